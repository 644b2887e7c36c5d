package parte;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.util.Collector;

/** What is done with a match: its events are handed on, with what it emits. */
final class Found extends PatternProcessFunction<Arrived, HashMap<String, Object>> {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final Node rule;
    private final Node places;

    Found(String name, Node rule, Node places) {
        this.name = name;
        this.rule = rule;
        this.places = places;
    }

    @Override
    public void processMatch(Map<String, List<Arrived>> match, Context context, Collector<HashMap<String, Object>> out) {
        Map<String, Event> bound = new HashMap<>();
        List<Integer> numbers = new ArrayList<>();
        for (Node variable : rule.get("variables")) {
            Event event = match.get(places.get(variable.textValue()).textValue()).get(0);
            bound.put(variable.textValue(), event);
            numbers.add(event.getNumber());
        }
        List<Object> emits = new ArrayList<>();
        for (Node emission : rule.get("emissions")) {
            emits.add(emitted(emission, bound));
        }
        HashMap<String, Object> found = new HashMap<>();
        found.put("rule", name);
        found.put("events", numbers);
        found.put("emits", emits);
        out.collect(found);
    }

    private static Map<String, Object> emitted(Node emission, Map<String, Event> bound) {
        Object timestamp = Loaded.values().read(emission.get("at")).value(bound);
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (Node assignment : emission.get("assignments")) {
            Object value = Loaded.values().read(assignment.get("value")).value(bound);
            if (value == null) {
                if (assignment.get("optional").booleanValue()) {
                    continue;
                }
                return null;
            }
            attributes.put(assignment.get("attribute").textValue(), value);
        }
        Map<String, Object> told = new HashMap<>();
        told.put("timestamp", timestamp);
        told.put("attributes", attributes);
        return timestamp == null ? null : told;
    }
}
