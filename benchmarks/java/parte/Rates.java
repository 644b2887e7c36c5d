package parte;

import static org.drools.model.DSL.declarationOf;
import static org.drools.model.DSL.on;
import static org.drools.model.PatternDSL.after;
import static org.drools.model.PatternDSL.annotationValue;
import static org.drools.model.PatternDSL.betaIndexedBy;
import static org.drools.model.PatternDSL.pattern;
import static org.drools.model.PatternDSL.rule;
import static org.drools.model.PatternDSL.typeMetaData;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.drools.core.time.impl.PseudoClockScheduler;
import org.drools.model.Index.ConstraintType;
import org.drools.model.PatternDSL.PatternDef;
import org.drools.model.Rule;
import org.drools.model.Variable;
import org.drools.model.impl.ModelImpl;
import org.drools.modelcompiler.KieBaseBuilder;
import org.kie.api.KieBase;
import org.kie.api.KieServices;
import org.kie.api.conf.EventProcessingOption;
import org.kie.api.runtime.KieSession;
import org.kie.api.runtime.KieSessionConfiguration;
import org.kie.api.runtime.conf.ClockTypeOption;

/**
 * Scenarios A and B as one would write them for Drools alone: typed events, rules that Java compiles, one process.
 *
 * <p>Arguments: A or B, a file with a transfer a line (timestamp, originator, destination and amount between tabs), and
 * how often it is run through. A line is printed for each run: seconds and matches.
 */
public final class Rates {
    private static final int DAYS = 14;

    /** A transfer; its number is its place in the trace. */
    public record Transfer(int number, long timestamp, String originator, String destination, double amount) {
        public long getTimestamp() {
            return timestamp;
        }

        boolean uncommon() {
            CRC32 sum = new CRC32();
            sum.update((originator + ">" + destination).getBytes(StandardCharsets.UTF_8));
            return sum.getValue() % 2 == 0;
        }
    }

    /** What both rules emit. */
    public record Suspicion(String id, long timestamp, String account, double amount, List<String> outgoing) {
        public long getTimestamp() {
            return timestamp;
        }
    }

    private Rates() {}

    public static void main(String[] arguments) throws Exception {
        List<Transfer> transfers = read(Path.of(arguments[1]));
        KieBase base = base(arguments[0].equals("A") ? passThrough() : diffusion());
        for (int run = 0; run < Integer.parseInt(arguments[2]); run++) {
            long start = System.nanoTime();
            int matches = matches(base, transfers);
            System.out.println((System.nanoTime() - start) / 1e9 + " " + matches);
        }
    }

    private static List<Transfer> read(Path file) throws Exception {
        List<String> lines = Files.readAllLines(file);
        return java.util.stream.IntStream.range(0, lines.size()).mapToObj(number -> {
            String[] parts = lines.get(number).split("\t");
            return new Transfer(number, Long.parseLong(parts[0]), parts[1], parts[2], Double.parseDouble(parts[3]));
        }).toList();
    }

    private static KieBase base(Rule rule) {
        ModelImpl model = new ModelImpl();
        for (Class<?> type : List.of(Transfer.class, Suspicion.class)) {
            model.addTypeMetaData(typeMetaData(type)
                    .addAnnotation("role", annotationValue("value", "event"))
                    .addAnnotation("timestamp", annotationValue("value", "timestamp")));
        }
        model.addRule(rule);
        return KieBaseBuilder.createKieBaseFromModel(model, EventProcessingOption.STREAM);
    }

    /** The clock goes with the events, so that Drools forgets those that have left every window. */
    private static int matches(KieBase base, List<Transfer> transfers) {
        KieSessionConfiguration configuration = KieServices.get().newKieSessionConfiguration();
        configuration.setOption(ClockTypeOption.PSEUDO);
        KieSession session = base.newKieSession(configuration, null);
        try {
            PseudoClockScheduler clock = session.getSessionClock();
            clock.setStartupTime(transfers.get(0).timestamp());
            int matches = 0;
            for (Transfer transfer : transfers) {
                clock.advanceTime(transfer.timestamp() - clock.getCurrentTime(), TimeUnit.MILLISECONDS);
                session.insert(transfer);
                matches += session.fireAllRules();
            }
            return matches;
        } finally {
            session.dispose();
        }
    }

    private static final Variable<Transfer> IN = declarationOf(Transfer.class, "incoming");
    private static final Variable<Transfer> ONE = declarationOf(Transfer.class, "outgoing_1");
    private static final Variable<Transfer> TWO = declarationOf(Transfer.class, "outgoing_2");
    private static final Variable<Transfer> THREE = declarationOf(Transfer.class, "outgoing_3");

    private static PatternDef<Transfer> incoming() {
        return pattern(IN).expr("large", a -> a.amount() >= 100.0).expr("incoming uncommon", Transfer::uncommon);
    }

    private static PatternDef<Transfer> outgoing(Variable<Transfer> variable) {
        return pattern(variable)
                .expr("uncommon", Transfer::uncommon)
                .expr("account", IN, (b, a) -> b.originator().equals(a.destination()), betaIndexedBy(
                        String.class, ConstraintType.EQUAL, 0, Transfer::originator, Transfer::destination))
                .expr("window", IN, after(0, TimeUnit.DAYS, DAYS, TimeUnit.DAYS));
    }

    private static Rule passThrough() {
        PatternDef<Transfer> outgoing = outgoing(ONE).expr("amount", IN, (b, a) -> b.amount() == a.amount(),
                betaIndexedBy(Double.class, ConstraintType.EQUAL, 1, Transfer::amount, Transfer::amount));
        return rule("FraudPassThrough").build(incoming(), outgoing, on(IN, ONE).execute((drools, a, b) ->
                drools.insert(suspicion("FraudPassThrough", a, b))));
    }

    private static Rule diffusion() {
        PatternDef<Transfer> two = outgoing(TWO).expr("not one", ONE, (c, b) -> c.number() != b.number());
        PatternDef<Transfer> three = outgoing(THREE)
                .expr("nor one", ONE, (d, b) -> d.number() != b.number())
                .expr("nor two", TWO, (d, c) -> d.number() != c.number())
                .expr("sum", IN, ONE, TWO, (d, a, b, c) -> {
                    double sum = b.amount() + c.amount() + d.amount();
                    return sum >= a.amount() * 0.9 && sum <= a.amount() * 1.1;
                });
        return rule("FraudDiffusion").build(incoming(), outgoing(ONE), two, three, on(IN, ONE, TWO, THREE).execute(
                (drools, a, b, c, d) -> drools.insert(suspicion("FraudDiffusion", a, b, c, d))));
    }

    private static Suspicion suspicion(String rule, Transfer incoming, Transfer... outgoing) {
        List<String> ids = java.util.Arrays.stream(outgoing).map(each -> "t" + each.number()).toList();
        String id = rule + "(t" + incoming.number() + "," + String.join(",", ids) + ")";
        return new Suspicion(id, incoming.timestamp(), incoming.destination(), incoming.amount(), ids);
    }
}
