package parte;

/** What Drools, or this use of it, cannot express; the message is shown in the report. */
final class Unsupported extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unsupported(String reason) {
        super(reason);
    }
}
