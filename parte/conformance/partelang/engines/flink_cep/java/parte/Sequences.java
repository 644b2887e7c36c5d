package parte;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;

/** A sequence of stages as a Pattern. */
final class Sequences {
    private Sequences() {}

    static Pattern<Arrived, ?> pattern(Node sequence) {
        Pattern<Arrived, Arrived> pattern = null;
        Map<String, String> earlier = new HashMap<>();
        for (Node stage : sequence.get("stages")) {
            String name = stage.get("name").textValue();
            boolean negated = stage.get("negated").booleanValue();
            if (pattern == null) {
                pattern = Pattern.begin(name, AfterMatchSkipStrategy.noSkip());
            } else if (negated) {
                pattern = pattern.notFollowedBy(name);
            } else {
                pattern = pattern.followedByAny(name);
            }
            boolean first = true;
            for (Node option : stage.get("options")) {
                Demand demand = new Demand(option, earlier);
                pattern = first ? pattern.where(demand) : pattern.or(demand);
                first = false;
            }
            if (!negated) {
                earlier = Demand.with(earlier, stage);
            }
        }
        return sequence.has("within") ? pattern.within(Duration.ofMillis(sequence.get("within").longValue())) : pattern;
    }
}
