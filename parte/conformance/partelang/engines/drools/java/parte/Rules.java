package parte;

import static org.drools.model.PatternDSL.after;
import static org.drools.model.PatternDSL.annotationValue;
import static org.drools.model.PatternDSL.before;
import static org.drools.model.PatternDSL.betaIndexedBy;
import static org.drools.model.PatternDSL.declarationOf;
import static org.drools.model.PatternDSL.not;
import static org.drools.model.PatternDSL.pattern;
import static org.drools.model.PatternDSL.rule;
import static org.drools.model.PatternDSL.typeMetaData;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.drools.model.Drools;
import org.drools.model.Index;
import org.drools.model.PatternDSL.PatternDef;
import org.drools.model.RuleItemBuilder;
import org.drools.model.Variable;
import org.drools.model.consequences.ConsequenceBuilder;
import org.drools.model.functions.temporal.TemporalPredicate;
import org.drools.model.impl.ModelImpl;
import org.drools.model.impl.TypeMetaDataImpl;

/** A program as rules of Drools: its patterns, joins, windows and negations are Drools's own. */
final class Rules {
    /** What is done with a match: the events of the positive patterns, in order. */
    interface Fired {
        void fired(Drools drools, Node rule, List<Event> bound) throws Exception;
    }

    private static final int MOST_OTHERS = 5;

    private final Values values;
    private final Fired fired;
    private final Map<String, Integer> properties = new HashMap<>(); // the numbers that indices know attributes by
    private int expressions;

    Rules(Values values, Fired fired) {
        this.values = values;
        this.fired = fired;
    }

    ModelImpl model(Node program) throws Exception {
        ModelImpl model = new ModelImpl();
        for (int position = 0; position < program.get("templates").size(); position++) {
            TypeMetaDataImpl type = typeMetaData(Types.type(position))
                    .addAnnotation("role", annotationValue("value", "event"))
                    .addAnnotation("timestamp", annotationValue("value", "timestamp"));
            if (program.has("expires")) { // otherwise Drools infers it
                type.addAnnotation("expires", annotationValue("value", program.get("expires").textValue()));
            }
            model.addTypeMetaData(type);
        }
        for (Node each : program.get("rules")) {
            model.addRule(rule(each.get("name").textValue()).build(items(each)));
        }
        return model;
    }

    private RuleItemBuilder<?>[] items(Node rule) throws Exception {
        List<RuleItemBuilder<?>> items = new ArrayList<>();
        Map<String, Variable<? extends Event>> positive = new LinkedHashMap<>();
        for (Node each : rule.get("patterns")) {
            String name = each.get("variable").textValue();
            Variable<? extends Event> variable = declarationOf(Types.type(each.get("type").intValue()), name);
            PatternDef<? extends Event> pattern = filled(pattern(variable), name, each, positive);
            if (each.get("negated").booleanValue()) {
                items.add(not(pattern));
            } else {
                items.add(pattern);
                positive.put(name, variable);
            }
        }
        items.add(new Consequence(rule, positive.values().toArray(new Variable<?>[0])));
        return items.toArray(new RuleItemBuilder<?>[0]);
    }

    private final class Consequence extends ConsequenceBuilder.AbstractValidBuilder<Consequence> {
        Consequence(Node rule, Variable<?>[] positive) {
            super(positive);
            usingDrools = true;
            block = arguments -> {
                List<Event> bound = new ArrayList<>();
                for (Object each : Arrays.asList(arguments).subList(1, arguments.length)) {
                    bound.add((Event) each);
                }
                fired.fired((Drools) arguments[0], rule, bound);
            };
        }
    }

    private <T extends Event> PatternDef<T> filled(
            PatternDef<T> pattern, String name, Node node, Map<String, Variable<? extends Event>> positive) {
        for (Node window : node.get("windows")) {
            long lower = window.get("lower").longValue();
            long upper = window.get("upper").longValue();
            Variable<? extends Event> other = positive.get(window.get("other").textValue());
            TemporalPredicate within = window.get("operator").textValue().equals("after")
                    ? after(lower, TimeUnit.MILLISECONDS, upper, TimeUnit.MILLISECONDS)
                    : before(lower, TimeUnit.MILLISECONDS, upper, TimeUnit.MILLISECONDS);
            pattern.expr("expression" + expressions++, other, within);
        }
        for (Node condition : node.get("conditions")) {
            List<String> names = new ArrayList<>(List.of(name));
            condition.get("others").forEach(other -> names.add(other.textValue()));
            Values.Expression test = values.read(condition.get("test"));
            if (condition.has("key")) {
                equal(pattern, names, positive.get(names.get(1)), condition.get("key"), test);
                continue;
            }
            conditioned(pattern, names, positive, bound -> Boolean.TRUE.equals(test.value(bound)));
        }
        return pattern;
    }

    /** Add an equality of attributes, with the index by which Drools finds the events that have it. */
    private <T extends Event, U extends Event> void equal(
            PatternDef<T> pattern, List<String> names, Variable<U> other, Node key, Values.Expression test) {
        String own = key.get("own").textValue();
        String others = key.get("other").textValue();
        int index = properties.computeIfAbsent(own, name -> properties.size());
        pattern.expr(
                "expression" + expressions++,
                other,
                (a, b) -> Boolean.TRUE.equals(test.value(bound(names, a, b))),
                betaIndexedBy(
                        Object.class,
                        Index.ConstraintType.EQUAL,
                        index,
                        event -> event.getAttributes().get(own),
                        event -> event.getAttributes().get(others),
                        Object.class));
    }

    private interface Test {
        boolean holds(Map<String, Event> bound);
    }

    /** Add a condition on the event of the pattern and those of other variables, as the pattern DSL wants it. */
    private <T extends Event> void conditioned(
            PatternDef<T> pattern, List<String> names, Map<String, Variable<? extends Event>> positive, Test test) {
        String id = "expression" + expressions++;
        List<Variable<? extends Event>> v = names.stream().skip(1).map(positive::get).toList();
        switch (v.size()) {
            case 0 -> pattern.expr(id, a -> test.holds(bound(names, a)));
            case 1 -> pattern.expr(id, v.get(0), (a, b) -> test.holds(bound(names, a, b)));
            case 2 -> pattern.expr(id, v.get(0), v.get(1), (a, b, c) -> test.holds(bound(names, a, b, c)));
            case 3 -> pattern.expr(
                    id, v.get(0), v.get(1), v.get(2), (a, b, c, d) -> test.holds(bound(names, a, b, c, d)));
            case 4 -> pattern.expr(id, v.get(0), v.get(1), v.get(2), v.get(3),
                    (a, b, c, d, e) -> test.holds(bound(names, a, b, c, d, e)));
            case MOST_OTHERS -> pattern.expr(id, v.get(0), v.get(1), v.get(2), v.get(3), v.get(4),
                    (a, b, c, d, e, f) -> test.holds(bound(names, a, b, c, d, e, f)));
            default -> throw new Unsupported("conditions over more than " + (MOST_OTHERS + 1) + " events");
        }
    }

    private static Map<String, Event> bound(List<String> names, Event... events) {
        Map<String, Event> bound = new HashMap<>();
        for (int position = 0; position < events.length; position++) {
            bound.put(names.get(position), events[position]);
        }
        return bound;
    }
}
