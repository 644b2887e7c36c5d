package parte;

import java.util.Map;

/** The class of the events of one template, for Drools keeps time by class. Others are copies of it: see Types. */
public class Type0000 extends Event {
    public Type0000(int number, long timestamp, Map<String, Object> attributes) {
        super(number, timestamp, attributes);
    }
}
