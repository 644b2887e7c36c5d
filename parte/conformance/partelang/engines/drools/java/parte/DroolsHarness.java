package parte;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Drools behind lines of JSON. */
public final class DroolsHarness implements Harness.Engine {
    private Session session;

    private DroolsHarness() {}

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);
        Harness.serve(new DroolsHarness(), new Harness.Json() {
            @Override
            public Object read(String line) throws Exception {
                return mapper.readValue(line, Object.class);
            }

            @Override
            public String write(Object value) throws Exception {
                return mapper.writeValueAsString(value);
            }
        });
    }

    @Override
    public void load(Node program) throws Exception {
        session = null;
        session = new Session(program);
    }

    @Override
    public Object run(Node arrivals) throws Exception {
        return session.run(arrivals);
    }
}
