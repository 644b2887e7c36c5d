package parte;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.stream.output.StreamCallback;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Siddhi behind lines of JSON: an app for each run. */
public final class SiddhiHarness implements Harness.Engine {
    private SiddhiHarness() {}

    public static void main(String[] arguments) throws Exception {
        Gson gson = new GsonBuilder().serializeNulls().serializeSpecialFloatingPointValues().create();
        Harness.serve(new SiddhiHarness(), new Harness.Json() {
            @Override
            public Object read(String line) {
                return plain(new JsonParser().parse(line));
            }

            @Override
            public String write(Object value) {
                return gson.toJson(value);
            }
        });
        System.exit(0); // threads of Siddhi would go on
    }

    @Override
    public void load(Node program) {
        throw new Unsupported("apps come with the events");
    }

    @Override
    public Object run(Node run) throws Exception {
        List<Object> found = new ArrayList<>();
        List<Throwable> failed = new ArrayList<>();
        SiddhiManager manager = new SiddhiManager();
        SiddhiAppRuntime app = manager.createSiddhiAppRuntime(run.get("app").textValue());
        try {
            app.handleRuntimeExceptionWith(failed::add);
            for (Node output : run.get("outputs")) {
                String name = output.textValue();
                app.addCallback(name, new StreamCallback() {
                    @Override
                    public void receive(io.siddhi.core.event.Event[] events) {
                        for (io.siddhi.core.event.Event event : events) {
                            found.add(Map.of("output", name, "row", Arrays.asList(event.getData())));
                        }
                    }
                });
            }
            app.start();
            for (Node event : run.get("events")) {
                List<Object> data = new ArrayList<>();
                event.get("data").forEach(value -> data.add(value.value()));
                data.set(0, ((Long) data.get(0)).intValue());
                app.getInputHandler(event.get("stream").textValue())
                        .send(event.get("timestamp").longValue(), data.toArray());
            }
            app.getInputHandler("Time").send(run.get("end").longValue(), new Object[] {0});
        } finally {
            app.shutdown();
            manager.shutdown();
        }
        if (!failed.isEmpty()) {
            throw new IllegalStateException(failed.get(0));
        }
        return found;
    }

    private static Object plain(JsonElement element) {
        if (element.isJsonObject()) {
            Map<String, Object> members = new HashMap<>();
            element.getAsJsonObject().entrySet().forEach(each -> members.put(each.getKey(), plain(each.getValue())));
            return members;
        }
        if (element.isJsonArray()) {
            List<Object> items = new ArrayList<>();
            ((JsonArray) element).forEach(item -> items.add(plain(item)));
            return items;
        }
        if (element.isJsonNull()) {
            return null;
        }
        JsonPrimitive value = element.getAsJsonPrimitive();
        if (value.isString()) {
            return value.getAsString();
        }
        if (value.isBoolean()) {
            return value.getAsBoolean();
        }
        // Not a conditional expression: that would turn a long into a double.
        if (value.getAsString().matches("-?[0-9]+")) {
            return value.getAsLong();
        }
        return value.getAsDouble();
    }
}
