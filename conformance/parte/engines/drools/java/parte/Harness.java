package parte;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Drools behind lines of JSON: a request a line, a reply a line (see harness.py). */
public final class Harness {
    private Harness() {}

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err); // what others print is no reply
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Session session = null;
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            ObjectNode reply = mapper.createObjectNode();
            try {
                JsonNode request = mapper.readTree(line);
                if (request.has("load")) {
                    session = null;
                    session = new Session(request.get("load"));
                    reply.put("loaded", true);
                } else if (request.has("run")) {
                    reply.set("fired", session.run(request.get("run")));
                }
            } catch (Unsupported reason) {
                reply.removeAll().put("unsupported", reason.getMessage());
            } catch (Exception | StackOverflowError error) {
                error.printStackTrace();
                reply.removeAll().put("error", error.toString());
            }
            replies.println(mapper.writeValueAsString(reply));
            replies.flush();
        }
    }
}
