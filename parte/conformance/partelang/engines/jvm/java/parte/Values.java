package parte;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The values of expressions (program.schema.json) over bound events; null where there is none. */
final class Values {
    /** An expression that was read. */
    interface Expression {
        Object value(Map<String, Event> bound);
    }

    private record Table(Set<List<Object>> rows, boolean means) {}

    private final Map<String, Table> tables = new HashMap<>();

    Values(Node predicates) {
        for (String name : predicates.members().keySet()) {
            Set<List<Object>> rows = new HashSet<>();
            predicates.get(name).get("rows").forEach(row -> rows.add(key(list(row))));
            tables.put(name, new Table(rows, predicates.get(name).get("means").booleanValue()));
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Node array) {
        return (List<Object>) array.value();
    }

    Expression read(Node node) {
        switch (node.get("kind").textValue()) {
            case "constant": {
                Object value = node.get("value").value();
                boolean widen = value instanceof Long && isFloat(node);
                Object constant = widen ? Double.valueOf((Long) value) : value;
                return bound -> constant;
            }
            case "attribute": {
                String variable = node.get("variable").textValue();
                String attribute = node.get("attribute").textValue();
                return bound -> bound.get(variable).getAttributes().get(attribute);
            }
            case "timestamp": {
                String variable = node.get("variable").textValue();
                return bound -> bound.get(variable).getTimestamp();
            }
            case "shift": {
                long by = node.get("milliseconds").longValue();
                return strictly(List.of(read(node.get("operand"))), all -> Math.addExact((Long) all.get(0), by));
            }
            case "combination": {
                String name = node.get("function").textValue();
                return strictly(readAll(node.get("operands")), all -> Arithmetic.timestamp(name, all));
            }
            case "to-float":
                return strictly(List.of(read(node.get("operand"))), all -> ((Long) all.get(0)).doubleValue());
            case "negation":
                return strictly(List.of(read(node.get("operand"))), all -> Arithmetic.negated(all.get(0)));
            case "arithmetic": {
                char operator = node.get("operator").textValue().charAt(0);
                return strictly(two(node), all -> Arithmetic.combined(operator, all.get(0), all.get(1)));
            }
            case "comparison": {
                String operator = node.get("operator").textValue();
                return strictly(two(node), all -> Arithmetic.compared(operator, all.get(0), all.get(1)));
            }
            case "time-constant": {
                Object constant = node.get("milliseconds").value();
                return bound -> constant;
            }
            case "compound": {
                boolean decisive = node.get("connective").textValue().equals("or");
                return decided(readAll(node.get("operands")), decisive);
            }
            case "not":
                return strictly(List.of(read(node.get("operand"))), all -> !(Boolean) all.get(0));
            case "presence": {
                Expression operand = read(node.get("operand"));
                boolean present = node.get("present").booleanValue();
                return bound -> (operand.value(bound) != null) == present;
            }
            case "pattern-test": {
                if (!node.get("function").textValue().equals("like")) {
                    throw new Unsupported("the function " + node.get("function").textValue());
                }
                Pattern pattern = Strings.wildcards(node.get("pattern").textValue());
                return strictly(
                        List.of(read(node.get("operand"))), all -> pattern.matcher((String) all.get(0)).matches());
            }
            case "predicate-call": {
                Table table = tables.get(node.get("predicate").textValue());
                return strictly(readAll(node.get("arguments")), all -> table.rows.contains(key(all)) == table.means);
            }
            case "function-call": {
                String name = node.get("function").textValue();
                return strictly(readAll(node.get("arguments")), all -> Strings.applied(name, all));
            }
            case "list":
                return strictly(readAll(node.get("items")), all -> all);
            default:
                throw new Unsupported("expressions of the kind " + node.get("kind").textValue());
        }
    }

    private static boolean isFloat(Node node) {
        return node.get("type").has("name") && node.get("type").get("name").value().equals("Float");
    }

    private List<Expression> two(Node node) {
        return List.of(read(node.get("left")), read(node.get("right")));
    }

    private List<Expression> readAll(Node array) {
        List<Expression> parts = new ArrayList<>();
        array.forEach(item -> parts.add(read(item)));
        return parts;
    }

    /** `and`, or `or` where true decides: the decisive truth of an operand, else nothing where one has no value. */
    private static Expression decided(List<Expression> operands, boolean decisive) {
        return bound -> {
            Boolean result = !decisive;
            for (Expression operand : operands) {
                Object value = operand.value(bound);
                if (value == null) {
                    result = null;
                } else if ((Boolean) value == decisive) {
                    return decisive;
                }
            }
            return result;
        };
    }

    private interface Operation {
        Object of(List<Object> operands);
    }

    /** No operand, an overflow, a division by zero and an infinite result give no value. */
    private static Expression strictly(List<Expression> operands, Operation operation) {
        return bound -> {
            List<Object> values = new ArrayList<>(operands.size());
            for (Expression operand : operands) {
                Object value = operand.value(bound);
                if (value == null) {
                    return null;
                }
                values.add(value);
            }
            try {
                Object result = operation.of(values);
                return result instanceof Double real && !Double.isFinite(real) ? null : result;
            } catch (ArithmeticException none) {
                return null;
            }
        };
    }

    // A Double is equal to another if their bits are: both zeros are one number here.
    private static List<Object> key(List<Object> row) {
        List<Object> key = new ArrayList<>(row);
        Collections.replaceAll(key, -0.0, 0.0);
        return key;
    }
}
