package parte;

import java.util.Map;

/** An occurrence. Equal contents do not make two events one: equality is identity. */
public class Event {
    private final int number;
    private final long timestamp;
    private final Map<String, Object> attributes;

    public Event(int number, long timestamp, Map<String, Object> attributes) {
        this.number = number;
        this.timestamp = timestamp;
        this.attributes = attributes;
    }

    /** The identity of the event within its run. */
    public int getNumber() {
        return number;
    }

    /** When it happened, in milliseconds; Drools reads it by this name. */
    public long getTimestamp() {
        return timestamp;
    }

    /** Its values by name: Long, Double, String, Boolean, or a List of them. */
    public Map<String, Object> getAttributes() {
        return attributes;
    }
}
