package parte;

import java.util.Map;

/** A row of the stream: an event, or none where only time passes, and the watermark that follows it, if any. */
public class Arrived extends Event {
    private final String template;
    private final Long watermark;

    public Arrived(int number, String template, long timestamp, Long watermark, Map<String, Object> attributes) {
        super(number, timestamp, attributes);
        this.template = template;
        this.watermark = watermark;
    }

    /** The template, empty where only time passes. */
    public String getTemplate() {
        return template;
    }

    /** No event up to this time comes any more; null if that is not known. */
    public Long getWatermark() {
        return watermark;
    }
}
