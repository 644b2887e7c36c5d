package parte;

/** The program at hand. The MiniCluster runs in this process: what its tasks look up need not be sent to them. */
final class Loaded {
    private static volatile Values values;

    private Loaded() {}

    static void replace(Node program) {
        values = new Values(program.get("predicates"));
    }

    static Values values() {
        return values;
    }
}
