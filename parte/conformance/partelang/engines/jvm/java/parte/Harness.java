package parte;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An engine behind lines of JSON: a request a line, a reply a line (see harness.py). */
final class Harness {
    /** An engine. */
    interface Engine {
        /** Replace the program. */
        void load(Node program) throws Exception;

        /** What fired, in order; Maps and Lists. */
        Object run(Node arrivals) throws Exception;
    }

    /** Whatever library for JSON the engine comes with; integers are read as Longs. */
    interface Json {
        Object read(String line) throws Exception;

        String write(Object value) throws Exception;
    }

    private Harness() {}

    static void serve(Engine engine, Json json) throws Exception {
        PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err); // what others print is no reply
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            Object reply;
            try {
                Node request = new Node(json.read(line));
                if (request.has("load")) {
                    engine.load(request.get("load"));
                    reply = Map.of("loaded", true);
                } else {
                    reply = Map.of("fired", engine.run(request.get("run")));
                }
            } catch (Unsupported reason) {
                reply = Map.of("unsupported", reason.getMessage());
            } catch (Exception | StackOverflowError error) {
                error.printStackTrace();
                reply = Map.of("error", first(error).toString());
            }
            replies.println(json.write(reply));
            replies.flush();
        }
    }

    /** What led to an error, or the error itself. */
    private static Throwable first(Throwable error) {
        return error.getCause() == null || error.getCause() == error ? error : first(error.getCause());
    }
}
