package parte;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Java class for each template, made when it is needed and used by every program after that. */
final class Types {
    private static final int MOST = 1000;
    private static final List<Class<? extends Event>> MADE = new ArrayList<>(List.of(Type0000.class));

    private Types() {}

    /** The class of the template with this position in its program. */
    static Class<? extends Event> type(int position) throws IOException, IllegalAccessException {
        if (position >= MOST) {
            throw new Unsupported("more than " + MOST + " templates");
        }
        while (MADE.size() <= position) {
            MADE.add(copy(String.format("Type%04d", MADE.size())));
        }
        return MADE.get(position);
    }

    /** A new event of a class that was made here. */
    static Event event(Class<? extends Event> type, int number, long timestamp, Map<String, Object> attributes)
            throws ReflectiveOperationException {
        Constructor<? extends Event> made = type.getConstructor(int.class, long.class, Map.class);
        return made.newInstance(number, timestamp, attributes);
    }

    // The name is as long as the one that it takes the place of, so a copy of the class file needs no other change.
    private static Class<? extends Event> copy(String name) throws IOException, IllegalAccessException {
        try (InputStream file = Types.class.getResourceAsStream("Type0000.class")) {
            String bytes = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1).replace("Type0000", name);
            byte[] renamed = bytes.getBytes(StandardCharsets.ISO_8859_1);
            return MethodHandles.lookup().defineClass(renamed).asSubclass(Event.class);
        }
    }
}
