package parte;

import java.math.BigInteger;
import java.util.List;

/** Operations on Long and Double; ArithmeticException, or a Double that is not finite, where there is no value. */
final class Arithmetic {
    private Arithmetic() {}

    static Object negated(Object operand) {
        if (operand instanceof Long integer) {
            return Math.negateExact(integer);
        }
        return -(Double) operand;
    }

    static Object combined(char operator, Object left, Object right) {
        if (left instanceof Long first && right instanceof Long second) {
            switch (operator) {
                case '+':
                    return Math.addExact(first, second);
                case '-':
                    return Math.subtractExact(first, second);
                case '*':
                    return Math.multiplyExact(first, second);
                default:
                    throw new Unsupported("the operator " + operator + " on Integers");
            }
        }
        double first = (Double) left;
        double second = (Double) right;
        switch (operator) {
            case '+':
                return first + second;
            case '-':
                return first - second;
            case '*':
                return first * second;
            default:
                return first / second; // by zero: infinite or not a number
        }
    }

    static Boolean compared(String operator, Object left, Object right) {
        int order = order(left, right);
        switch (operator) {
            case "=":
                return order == 0;
            case "!=":
                return order != 0;
            case "<":
                return order < 0;
            case "<=":
                return order <= 0;
            case ">":
                return order > 0;
            default:
                return order >= 0;
        }
    }

    private static int order(Object left, Object right) {
        if (left instanceof Long first) {
            return first.compareTo((Long) right);
        }
        if (left instanceof Double first) {
            double second = (Double) right; // both zeros are equal
            return first < second ? -1 : first > second ? 1 : 0;
        }
        if (left instanceof Boolean first) {
            return first.compareTo((Boolean) right);
        }
        int[] first = ((String) left).codePoints().toArray();
        int[] second = ((String) right).codePoints().toArray();
        return java.util.Arrays.compare(first, second);
    }

    static Object applied(String name, List<Object> operands) {
        Object total = operands.get(0);
        if (name.equals("abs")) {
            if (total instanceof Long integer) {
                return integer < 0 ? Math.negateExact(integer) : integer;
            }
            return Math.abs((Double) total);
        }
        for (Object next : operands.subList(1, operands.size())) {
            switch (name) {
                case "min":
                    total = order(next, total) < 0 ? next : total;
                    break;
                case "max":
                    total = order(next, total) > 0 ? next : total;
                    break;
                case "sum":
                case "avg":
                    total = combined('+', total, next);
                    break;
                default:
                    throw new Unsupported("the function " + name);
            }
        }
        return name.equals("avg") ? combined('/', total, (double) operands.size()) : total;
    }

    static Long timestamp(String name, List<Object> operands) {
        if (!name.equals("avg")) {
            return (Long) applied(name, operands);
        }
        BigInteger sum = BigInteger.ZERO;
        for (Object operand : operands) {
            sum = sum.add(BigInteger.valueOf((Long) operand));
        }
        BigInteger[] parts = sum.divideAndRemainder(BigInteger.valueOf(operands.size()));
        return parts[0].longValueExact() - (parts[1].signum() < 0 ? 1 : 0);
    }
}
