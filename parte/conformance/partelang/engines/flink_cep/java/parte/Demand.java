package parte;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;

/** What is asked of the event of a stage: its template, conditions and windows over it and the events before it. */
final class Demand extends IterativeCondition<Arrived> {
    private static final long serialVersionUID = 1L;

    private final Node demand;
    private final Map<String, String> earlier; // the stage of each variable that is bound before

    Demand(Node demand, Map<String, String> earlier) {
        this.demand = demand;
        this.earlier = new HashMap<>(earlier);
    }

    @Override
    public boolean filter(Arrived event, Context<Arrived> context) throws Exception {
        if (!event.getTemplate().equals(demand.get("template").textValue())) {
            return false;
        }
        Map<String, Event> bound = new HashMap<>();
        for (Map.Entry<String, String> each : earlier.entrySet()) {
            Iterator<Arrived> events = context.getEventsForPattern(each.getValue()).iterator();
            if (!events.hasNext()) { // Flink asks a notFollowedBy of the very event that has filled the stage before
                return false;
            }
            bound.put(each.getKey(), events.next());
        }
        demand.get("variables").forEach(variable -> bound.put(variable.textValue(), event));
        if (!met(demand, bound)) {
            return false;
        }
        for (Node other : demand.get("unless")) { // an event of the match itself that defeats it
            Map<String, Event> with = new HashMap<>(bound);
            with.put(other.get("variables").iterator().next().textValue(), bound.get(other.get("at").textValue()));
            if (met(other, with)) {
                return false;
            }
        }
        return true;
    }

    private static boolean met(Node demand, Map<String, Event> bound) {
        for (Node window : demand.get("windows")) {
            long subject = bound.get(window.get("subject").textValue()).getTimestamp();
            long reference = bound.get(window.get("reference").textValue()).getTimestamp();
            if (!inside(subject, reference, window.get("lower").longValue(), window.get("upper").longValue())) {
                return false;
            }
        }
        for (Node condition : demand.get("conditions")) {
            if (!Boolean.TRUE.equals(Loaded.values().read(condition).value(bound))) {
                return false;
            }
        }
        return true;
    }

    /** lower <= subject - reference <= upper, in numbers: sums of 64 bit that overflow lie beyond all timestamps. */
    private static boolean inside(long subject, long reference, long lower, long upper) {
        return atLeast(subject, reference, lower) && atMost(subject, reference, upper);
    }

    private static boolean atLeast(long subject, long reference, long distance) {
        long bound = reference + distance;
        boolean overflow = ((reference ^ bound) & (distance ^ bound)) < 0;
        return overflow ? distance < 0 : subject >= bound;
    }

    private static boolean atMost(long subject, long reference, long distance) {
        long bound = reference + distance;
        boolean overflow = ((reference ^ bound) & (distance ^ bound)) < 0;
        return overflow ? distance > 0 : subject <= bound;
    }

    /** The variables that are bound once a stage has its event. */
    static Map<String, String> with(Map<String, String> earlier, Node stage) {
        Map<String, String> all = new HashMap<>(earlier);
        String name = stage.get("name").textValue();
        List<Node> options = new ArrayList<>();
        stage.get("options").forEach(options::add);
        options.get(0).get("variables").forEach(variable -> all.put(variable.textValue(), name));
        return all;
    }
}
