package parte;

import java.util.List;
import java.util.regex.Pattern;

/** Functions on Strings, which are sequences of code points; null where there is no value. */
final class Strings {
    private static final int LONGEST = 65_536;

    private Strings() {}

    static Object applied(String name, List<Object> operands) {
        if (!(operands.get(0) instanceof String first)) {
            return Arithmetic.applied(name, operands);
        }
        switch (name) {
            case "starts_with":
                return first.startsWith((String) operands.get(1));
            case "ends_with":
                return first.endsWith((String) operands.get(1));
            case "contains":
                return first.contains((String) operands.get(1));
            case "length":
                return length(first);
            case "concat": {
                StringBuilder all = new StringBuilder();
                operands.forEach(all::append);
                String joined = all.toString();
                return length(joined) <= LONGEST ? joined : null;
            }
            case "lower":
                return shifted(first, 'A', 'Z', 'a' - 'A');
            case "upper":
                return shifted(first, 'a', 'z', 'A' - 'a');
            default:
                throw new Unsupported("the function " + name);
        }
    }

    private static long length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The letters of ASCII only: Java changes those of all alphabets. */
    private static String shifted(String text, char first, char last, int by) {
        StringBuilder changed = new StringBuilder(text);
        for (int at = 0; at < changed.length(); at++) {
            char letter = changed.charAt(at);
            if (first <= letter && letter <= last) {
                changed.setCharAt(at, (char) (letter + by));
            }
        }
        return changed.toString();
    }

    /** The pattern of `like` as a regular expression: `*` is any text, `?` any code point, `\` escapes these. */
    static Pattern wildcards(String pattern) {
        StringBuilder regular = new StringBuilder();
        for (int at = 0; at < pattern.length(); at++) {
            char letter = pattern.charAt(at);
            if (letter == '*') {
                regular.append(".*");
            } else if (letter == '?') {
                regular.append('.');
            } else {
                int code = pattern.codePointAt(letter == '\\' ? ++at : at);
                at += Character.charCount(code) - 1;
                regular.append(Pattern.quote(Character.toString(code)));
            }
        }
        return Pattern.compile(regular.toString(), Pattern.DOTALL);
    }
}
