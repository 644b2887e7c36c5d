package parte;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A part of a request: what a reader of JSON makes of it, with Maps, Lists, Longs and Doubles; null is no part. */
record Node(Object value) implements Iterable<Node>, Serializable {
    /** The member with this name, or null. */
    Node get(String name) {
        Object found = value instanceof Map<?, ?> members ? members.get(name) : null;
        return found == null ? null : new Node(found);
    }

    boolean has(String name) {
        return get(name) != null;
    }

    String textValue() {
        return (String) value;
    }

    boolean booleanValue() {
        return (Boolean) value;
    }

    long longValue() {
        return (Long) value;
    }

    int intValue() {
        return Math.toIntExact(longValue());
    }

    int size() {
        return ((List<?>) value).size();
    }

    /** The items of an array. */
    @Override
    public Iterator<Node> iterator() {
        return ((List<?>) value).stream().map(item -> new Node(item)).iterator();
    }

    /** The members of an object by name. */
    @SuppressWarnings("unchecked")
    Map<String, Object> members() {
        return (Map<String, Object>) value;
    }
}
