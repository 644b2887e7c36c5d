"""The registry of diagnostic codes: stable names, titles, severities and explanations."""

from __future__ import annotations

from parte.semantics.source.diagnostics import Code, Severity


def _warning(name: str, title: str, explanation: str) -> Code:
    return Code(name, title, explanation, Severity.WARNING)


_ALL = (
    # --- Reading the text --------------------------------------------------------------------------------------------
    Code("syntax-error", "text that fits no rule of the grammar", "Something else was expected at this place."),
    Code("invalid-character", "a character without a meaning", "Outside strings and comments PARTElang is ASCII."),
    Code("invalid-operator", "an operator of another language", "PARTElang spells this operator differently."),
    Code("unterminated-string", "a string without an end", "A string ends on the line on which it begins."),
    Code("invalid-escape", "an unknown escape in a string", r"The escapes are \" \\ \/ \b \f \n \r \t and \uXXXX."),
    Code("lone-surrogate", "half a character", "A UTF-16 surrogate without its partner is no Unicode text."),
    Code("nul-character", "a NUL character", r"NUL characters must not stand in a source; write \u0000 in a string."),
    Code("source-too-large", "too large a source", "The number of characters and words of a program is limited."),
    Code("identifier-too-long", "too long a name", "The length of names is limited."),
    Code("number-too-long", "too long a number", "The number of characters of a number is limited."),
    Code("nesting-too-deep", "too many open brackets", "The number of brackets open at once is limited."),
    Code("expression-too-deep", "too deep an expression", "The height of an expression's tree is limited."),
    Code("integer-out-of-range", "an Integer beyond 64 bit", "An Integer lies between -2^63 and 2^63 - 1."),
    Code("float-out-of-range", "a Float that is not finite", "A Float is a finite binary64 value."),
    Code("duration-out-of-range", "a duration beyond 64 bit", "Durations fit 64 bit when given in milliseconds."),
    Code("capacity-out-of-range", "an impossible list capacity", "A list type holds between 1 and 1024 values."),
    Code("too-many-errors", "more errors than are reported", "Correct those listed first."),
    # --- Names -------------------------------------------------------------------------------------------------------
    Code("duplicate-name", "a name declared twice", "Templates, types, predicates and functions share their names."),
    Code("reserved-attribute", "an attribute called timestamp", "Every event has a timestamp; it is no attribute."),
    Code("unknown-type", "a type that is not declared", "Types are built in or declared by `type`."),
    Code("unknown-template", "a template that is not declared", "Events belong to templates declared by `template`."),
    Code("unknown-variable", "a variable that is not bound", "A variable is bound by a pattern of the same rule."),
    Code("unknown-attribute", "an attribute that the template lacks", "Attributes are the slots of the template."),
    Code("unknown-function", "a function that does not exist", "Functions are built in, predicates are declared."),
    Code("cyclic-alias", "a type defined by itself", "An alias stands for another type, in the end a built-in one."),
    Code("variable-too-early", "a variable used before its pattern", "A variable is visible from its pattern on."),
    Code(
        "negated-variable",
        "a negated variable used outside its pattern",
        "The event of a negated pattern is absent from every match: its variable is visible in its own pattern and "
        "in its own `no … in …` constraints only.",
    ),
    # --- Types -------------------------------------------------------------------------------------------------------
    Code("type-mismatch", "a value of the wrong type", "Only Integer is converted, and only to Float."),
    Code("not-a-number", "arithmetic on something else", "`+ - * /` and functions work on Integer and Float."),
    Code("not-ordered", "an order on Booleans", "Booleans can be compared by `=` and `!=` only."),
    Code("not-a-condition", "a condition that is none", "A condition is a comparison or a call of a predicate."),
    Code("wrong-argument-count", "too few or too many arguments", "A call matches the declaration it refers to."),
    Code("nested-list", "a list of lists", "The elements of a list are scalar."),
    Code("list-parameter", "a predicate over lists", "The parameters of a predicate are scalar."),
    Code("misplaced-list", "a list in a place for scalars", "Lists are whole values of emitted attributes only."),
    Code("list-too-long", "a list beyond its capacity", "`[T; n]` holds at most n values."),
    Code("misplaced-duration", "a duration outside `at` and `when`", "Durations shift timestamps and bound windows."),
    Code("misplaced-timestamp", "a timestamp in a condition", "Events are related in time by `when`."),
    # --- Rules -------------------------------------------------------------------------------------------------------
    Code("no-patterns", "a rule without patterns", "A rule reacts to at least one event."),
    Code("too-many-patterns", "too many patterns in a rule", "The number of patterns in a rule is limited."),
    Code("first-pattern-negated", "a rule that begins with `no`", "The first pattern of a rule is positive."),
    Code("bare-attribute", "an attribute of no event", "After `then` no event is at hand: name the variable."),
    Code("not-a-timestamp", "an `at` that is no timestamp", "`at` shifts and combines timestamps of variables."),
    Code("missing-assignment", "an attribute without a value", "An emission gives every attribute a value."),
    Code("duplicate-assignment", "an attribute with two values", "An emission gives every attribute one value."),
    # --- Time --------------------------------------------------------------------------------------------------------
    Code("empty-interval", "a window that ends before it begins", "In `[lower, upper]`, lower is at most upper."),
    Code("negation-mismatch", "a `no` too many or too few", "A constraint has `no` if its variable's pattern has."),
    Code("negated-reference", "a window around an absent event", "Windows are relative to positive variables."),
    Code("reference-too-late", "a negation that refers ahead", "A negated variable refers to variables before it."),
    Code("self-constraint", "a variable related to itself", "A constraint relates two variables."),
    Code(
        "unrelated-variables",
        "variables without a bound on their distance",
        "Every pair of positive variables is related, directly or not, by the constraints of the rule: otherwise "
        "events would have to be kept for ever.",
    ),
    Code(
        "unbounded-negation",
        "a negation without a window",
        "A negated variable needs a constraint to a positive variable: otherwise one would wait for ever.",
    ),
    Code(
        "recursive-rules",
        "rules that react to what they emit",
        "No template is emitted by a rule that reacts to it, directly or through other rules (stratification).",
    ),
    # --- Warnings ----------------------------------------------------------------------------------------------------
    _warning("contradictory-windows", "windows that exclude each other", "The rule never matches."),
    _warning("contradictory-negation", "a negation that never applies", "No event can lie in all of its windows."),
    _warning("unused-type", "a type that nothing uses", "The declaration can be removed."),
    _warning("unused-template", "a template that nothing uses", "No rule matches or emits its events."),
    _warning("unused-predicate", "a predicate that nothing calls", "The declaration can be removed."),
    _warning("no-rules", "a program without rules", "Without rules there are no matches."),
)

CODES = {code.name: code for code in _ALL}
"""All codes by their names."""
