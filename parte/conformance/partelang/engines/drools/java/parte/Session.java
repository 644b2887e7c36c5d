package parte;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.drools.core.time.impl.PseudoClockScheduler;
import org.drools.model.Drools;
import org.drools.modelcompiler.KieBaseBuilder;
import org.kie.api.KieBase;
import org.kie.api.KieServices;
import org.kie.api.conf.EventProcessingOption;
import org.kie.api.runtime.KieSession;
import org.kie.api.runtime.KieSessionConfiguration;
import org.kie.api.runtime.conf.ClockTypeOption;

/** A loaded program, and the runs of it. */
final class Session {
    private final Values values;
    private final KieBase base;
    private final long rest; // how long the clock goes on after the last event
    private final Map<String, Class<? extends Event>> types = new HashMap<>();

    // Of the run at hand:
    private List<Object> matches = new ArrayList<>();
    private int events;

    Session(Node program) throws Exception {
        values = new Values(program.get("predicates"));
        for (Node template : program.get("templates")) {
            types.put(template.textValue(), Types.type(types.size()));
        }
        rest = program.has("rest") ? program.get("rest").longValue() : Long.MAX_VALUE;
        base = KieBaseBuilder.createKieBaseFromModel(
                new Rules(values, this::fired).model(program), EventProcessingOption.STREAM);
    }

    /** What fired, in order. Each event comes with the time to which the clock goes before it is inserted. */
    List<Object> run(Node arrivals) throws Exception {
        matches = new ArrayList<>();
        events = arrivals.size();
        KieSessionConfiguration configuration = KieServices.get().newKieSessionConfiguration();
        configuration.setOption(ClockTypeOption.PSEUDO);
        KieSession session = base.newKieSession(configuration, null);
        try {
            PseudoClockScheduler clock = session.getSessionClock();
            int number = 0;
            for (Node arrival : arrivals) {
                long time = arrival.get("clock").longValue();
                if (number == 0) {
                    clock.setStartupTime(time);
                }
                advance(session, clock, time);
                clock.advanceTime(time - clock.getCurrentTime(), TimeUnit.MILLISECONDS);
                session.insert(event(number++, arrival));
                session.fireAllRules();
            }
            long now = clock.getCurrentTime();
            advance(session, clock, now > Long.MAX_VALUE - rest ? Long.MAX_VALUE : now + rest);
            return matches;
        } finally {
            session.dispose();
        }
    }

    /** As a clock that runs would: what is due before the time happens, and what it leads to fires, each when due. */
    private static void advance(KieSession session, PseudoClockScheduler clock, long time) {
        while (true) {
            long wait = clock.getTimeToNextJob();
            if (wait < 0) { // nothing is planned, or something for a time that has passed: try the latter
                clock.advanceTime(0, TimeUnit.MILLISECONDS);
                session.fireAllRules();
                wait = clock.getTimeToNextJob();
            }
            long left = time - clock.getCurrentTime();
            if (wait < 0 || (left >= 0 && wait >= left)) { // a distance below zero is one that exceeds 64 bit
                return;
            }
            clock.advanceTime(wait, TimeUnit.MILLISECONDS);
            session.fireAllRules();
        }
    }

    private Event event(int number, Node node) throws ReflectiveOperationException {
        Class<? extends Event> type = types.get(node.get("template").textValue());
        return Types.event(type, number, node.get("timestamp").longValue(), node.get("attributes").members());
    }

    /** The right-hand side of every rule: note the match, and insert what it emits. */
    private void fired(Drools drools, Node rule, List<Event> found) throws ReflectiveOperationException {
        List<Integer> numbers = new ArrayList<>();
        List<Object> emits = new ArrayList<>();
        matches.add(Map.of("rule", rule.get("name").textValue(), "events", numbers, "emits", emits));
        Map<String, Event> bound = new HashMap<>();
        for (Event event : found) {
            numbers.add(event.getNumber());
        }
        int next = 0;
        for (Node pattern : rule.get("patterns")) {
            if (!pattern.get("negated").booleanValue()) {
                bound.put(pattern.get("variable").textValue(), found.get(next++));
            }
        }
        for (Node emission : rule.get("emissions")) {
            Event event = emitted(emission, bound);
            if (event == null) {
                emits.add(null);
                continue;
            }
            emits.add(Map.of(
                    "number", event.getNumber(),
                    "timestamp", event.getTimestamp(),
                    "attributes", event.getAttributes()));
            drools.insert(event);
        }
    }

    private Event emitted(Node emission, Map<String, Event> bound) throws ReflectiveOperationException {
        Object timestamp = values.read(emission.get("at")).value(bound);
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (Node assignment : emission.get("assignments")) {
            Object value = values.read(assignment.get("value")).value(bound);
            if (value == null) {
                if (assignment.get("optional").booleanValue()) {
                    continue;
                }
                return null;
            }
            attributes.put(assignment.get("attribute").textValue(), value);
        }
        if (timestamp == null) {
            return null;
        }
        Class<? extends Event> type = types.get(emission.get("template").textValue());
        return Types.event(type, events++, (Long) timestamp, attributes);
    }
}
