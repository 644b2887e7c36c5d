"""Conditions: operators, types, arithmetic, functions, predicates, and expressions that have no value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.authoring.drafts import Draft, Json, event

_TYPES = ("SPEC 2",)
_LEAST, _GREATEST = -(2**63), 2**63 - 1


def drafts() -> Iterator[Draft]:
    """All cases of this module."""
    yield from _operators()
    yield from _strings()
    yield from _numbers()
    yield from _arithmetic()
    yield from _functions()
    yield from _earlier()
    yield from _predicates()


def _values(slot: str, values: Iterable[Json]) -> list[Json]:
    return [event(f"v{n}", n, **{slot: value}) for n, value in enumerate(values, 1)]


def _holding(id_: str, description: str, condition: str, slot: str, values: Iterable[Json], holds: str) -> Draft:
    """A rule of one pattern over several values of one attribute; `holds` names the events for which it holds."""
    matches = "; ".join(f"v{number}" for number in holds.split())
    return Draft(id_, description, f"rule R where a : V {{ {condition} }}", _values(slot, values), matches, _TYPES)


def _operators() -> Iterator[Draft]:
    names = {"=": "equal", "!=": "not-equal", "<": "less", "<=": "at-most", ">": "greater", ">=": "at-least"}
    expected = {"=": "2", "!=": "1 3", "<": "1", "<=": "1 2", ">": "3", ">=": "2 3"}
    kinds: dict[str, tuple[str, str, list[Json]]] = {
        "integer": ("i", "5", [4, 5, 6]),
        "float": ("f", "0.5", [0.25, 0.5, 0.75]),
        "string": ("s", '"b"', ["a", "b", "c"]),
    }
    for kind, (slot, constant, values) in kinds.items():
        for operator, name in names.items():
            yield _holding(
                f"conditions/{kind}-{name}",
                f"{kind.capitalize()} values below, at and above a constant under {operator}",
                f"{slot} {operator} {constant}",
                slot,
                values,
                expected[operator],
            )
    yield _holding("conditions/boolean-equal", "Booleans have =", "b = true", "b", [True, False], "1")
    yield _holding("conditions/boolean-not-equal", "Booleans have !=", "b != true", "b", [True, False], "2")
    yield _holding(
        "conditions/comparison-as-a-value",
        "A comparison in brackets is a Boolean value",
        "b = (i > 0)",
        "b",
        [True, False],
        "2",
    )
    yield _holding(
        "conditions/all-hold",
        "The conditions of a pattern hold together",
        "i > 1, i < 4, i != 2",
        "i",
        [1, 2, 3, 4],
        "3",
    )
    yield _holding("conditions/constant-on-the-left", "Either side may be a constant", "3 < i", "i", [3, 4], "2")
    yield _holding(
        "conditions/constants-only", "A condition may hold whatever the event is", "1 < 2", "i", [0, 1], "1 2"
    )
    yield _holding("conditions/never", "A condition may hold for no event", "1 > 2", "i", [0, 1], "")


def _strings() -> Iterator[Draft]:
    yield _holding(
        "strings/code-points",
        "Strings are ordered by code point, not by UTF-16 units: U+1F642 comes after U+FFFD",
        r's > "\ufffd"',
        "s",
        ["\ufffd", "🙂", "z"],
        "2",
    )
    yield _holding(
        "strings/case-and-prefix",
        "Capitals come before small letters, and a prefix before what it begins",
        's < "ab"',
        "s",
        ["", "a", "ab", "aba", "B", "Z", "é"],
        "1 2 5 6",
    )
    yield _holding(
        "strings/no-normalisation",
        "Composed and decomposed letters are different strings",
        r's = "\u00e9"',
        "s",
        ["\u00e9", "e\u0301"],
        "1",
    )
    yield _holding("strings/empty", "The empty string is a value like others", 's = ""', "s", ["", " "], "1")
    yield _holding(
        "strings/nul", "A NUL character is part of a string", r's = "a\u0000b"', "s", ["a\0b", "a", "ab"], "1"
    )
    yield _holding(
        "strings/escapes",
        "The escapes of JSON stand for their characters",
        r's = "\"\\\/\b\f\n\r\t\u0041"',
        "s",
        ['"\\/\b\f\n\r\tA', "other"],
        "1",
    )
    yield _holding("strings/blanks", "Blanks at the ends of a string count", 's = "a "', "s", ["a", "a ", " a"], "2")
    yield _holding(
        "strings/digits", "Digits in strings are compared as characters", 's < "9"', "s", ["10", "9", "8"], "1 3"
    )
    yield Draft(
        "strings/surrogate-pair-escape",
        "A pair of surrogate escapes in a program is one character",
        r'rule R where a : V { s = "\ud83d\ude42" }',
        _values("s", ["🙂", "?"]),
        "v1",
        _TYPES,
    )


def _numbers() -> Iterator[Draft]:
    yield _holding(
        "numbers/beyond-binary64",
        "Integers are compared exactly, also where binary64 numbers are sparse",
        "i = 9007199254740993",
        "i",
        [2**53, 2**53 + 1, 2**53 + 2],
        "2",
    )
    yield _holding(
        "numbers/integer-converted-to-float",
        "An Integer compared with a Float is converted to the nearest binary64 number first",
        "i = 9007199254740992.0",
        "i",
        [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2],
        "2 3",
    )
    yield _holding(
        "numbers/extreme-integers",
        "The extremes of signed 64 bit are values",
        "i <= -9223372036854775808",
        "i",
        [_LEAST, _LEAST + 1, _GREATEST],
        "1",
    )
    yield _holding("numbers/zeros", "0.0 and -0.0 are equal", "f = 0.0", "f", [0.0, -0.0, 5e-324], "1 2")
    yield _holding(
        "numbers/smallest", "The smallest positive Float is not zero", "f > 0.0", "f", [0.0, 5e-324, -5e-324], "2"
    )
    yield _holding(
        "numbers/largest",
        "The largest finite Float is a value",
        "f >= 1.7976931348623157e308",
        "f",
        [1.7976931348623157e308, 1.7976931348623155e308],
        "1",
    )
    yield _holding(
        "numbers/decimal-fractions",
        "Floats are binary: three tenths are not the sum of one and two tenths",
        "f = 0.1 + 0.2",
        "f",
        [0.3, 0.30000000000000004],
        "2",
    )
    yield Draft(
        "numbers/whole-number-for-a-float",
        "A trace may write a Float without a point",
        "rule R where a : V { f = 2.0, f / 4 = 0.5 }",
        [
            {"id": "v1", "template": "V", "timestamp": 0, "attributes": {"i": 0, "f": 2, "s": "", "b": False}},
            {"id": "v2", "template": "V", "timestamp": 1, "attributes": {"i": 0, "f": 2.0, "s": "", "b": False}},
        ],
        "v1; v2",
        ("SPEC 3", "docs/traces.md"),
    )


def _arithmetic() -> Iterator[Draft]:
    yield _holding("arithmetic/precedence", "Products bind more tightly than sums", "i + 2 * 3 = 8", "i", [2, 0], "1")
    yield _holding(
        "arithmetic/left-to-right", "Differences are taken from the left", "10 - i - 2 = 5", "i", [3, 7], "1"
    )
    yield _holding("arithmetic/brackets", "Brackets come first", "(i + 2) * 3 = 12", "i", [2, 6], "1")
    yield _holding("arithmetic/negation", "A minus before an attribute negates it", "-i = 3", "i", [-3, 3], "1")
    yield _holding(
        "arithmetic/division-is-float", "The quotient of Integers is a Float", "i / 2 = 1.5", "i", [3, 2], "1"
    )
    yield _holding(
        "arithmetic/division-rounds-not",
        "A quotient is not cut to an Integer",
        "i / 2 = 1",
        "i",
        [2, 3],
        "1",
    )
    yield _holding(
        "arithmetic/negative-division",
        "Quotients of negative numbers keep their fraction",
        "i / 2 = -1.5",
        "i",
        [-3],
        "1",
    )
    yield _holding("arithmetic/mixed", "Integer and Float make a Float", "i * 0.5 = 1.5", "i", [3, 2], "1")
    for name, expression, values, holds in (
        ("sum", "i + 1", [_GREATEST, _GREATEST - 1], "2"),
        ("difference", "i - 1", [_LEAST, _LEAST + 1], "2"),
        ("product", "i * 2", [2**62, -(2**62), 2**62 - 1], "2 3"),
        ("negation", "-i", [_LEAST, _GREATEST], "2"),
    ):
        yield _holding(
            f"novalue/integer-{name}",
            f"An Integer {name} beyond 64 bit has no value, and no condition over it holds",
            f"{expression} = {expression}",
            "i",
            values,
            holds,
        )
    yield _holding(
        "novalue/unequal",
        "A condition over no value does not hold, not even !=",
        "i + 1 != 0",
        "i",
        [_GREATEST, 5],
        "2",
    )
    yield _holding(
        "novalue/intermediate",
        "No value is strict: an overflow on the way is not undone by what follows",
        "i + 1 - 1 = i",
        "i",
        [_GREATEST, 5],
        "2",
    )
    yield _holding("novalue/division-by-zero", "Division by zero has no value", "1 / i < 9.0", "i", [0, 1], "2")
    yield _holding(
        "novalue/division-by-negative-zero", "Nor has division by -0.0", "1.0 / f != 9.0", "f", [-0.0, 0.0, 1.0], "3"
    )
    yield _holding(
        "novalue/float-overflow",
        "A result beyond the finite Floats has no value; there are no infinities",
        "f * 10.0 > 0.0",
        "f",
        [1.7e308, 1.7e307],
        "2",
    )
    yield _holding(
        "novalue/zero-by-zero", "Zero by zero has no value, and no NaN appears", "f / f = f / f", "f", [0.0, 2.0], "2"
    )
    yield _holding(
        "novalue/as-boolean",
        "A comparison without value is not false: it has no value either",
        "b = (i + 1 < 0)",
        "i",
        [_GREATEST, 5],
        "2",
    )


def _functions() -> Iterator[Draft]:
    for name, condition, values, holds in (
        ("min", "min(i, 3, 7) = 3", [2, 3, 5], "2 3"),
        ("max", "max(i, 3) = 3", [2, 3, 5], "1 2"),
        ("avg", "avg(i, 4) = 3.5", [3, 4], "1"),
        ("sum", "sum(i, 1, 2) = 6", [3, 4], "1"),
        ("abs", "abs(i) = 3", [3, -3, 2], "1 2"),
        ("single-argument", "max(i) = min(i)", [1, -1], "1 2"),
    ):
        yield _holding(f"functions/{name}", f"Integers: {condition}", condition, "i", values, holds)
    for name, condition, numbers, holds in (
        ("min-float", "min(f, 0.5) = 0.5", [0.25, 0.5, 0.75], "2 3"),
        ("max-float", "max(f, 0.5) = 0.5", [0.25, 0.5, 0.75], "1 2"),
        ("avg-float", "avg(f, 1.0, 2.0) = 1.5", [1.5, 2.5], "1"),
        ("sum-float", "sum(f, 1.0) = 1.5", [0.5, 1.5], "1"),
        ("abs-float", "abs(f) = 0.5", [0.5, -0.5, 0.0], "1 2"),
        ("mixed", "max(f, 1) = 1.0", [0.5, 1.5], "1"),
    ):
        yield _holding(f"functions/{name}", f"Floats: {condition}", condition, "f", numbers, holds)
    yield _holding(
        "functions/abs-of-the-least",
        "abs(-2^63) has no value",
        "abs(i) = abs(i)",
        "i",
        [_LEAST, _LEAST + 1],
        "2",
    )
    yield _holding(
        "functions/sum-overflows-on-the-way",
        "sum adds from left to right, and an overflow on the way means no value",
        "sum(i, 1, -5) = sum(i, -4)",
        "i",
        [_GREATEST, _GREATEST - 1],
        "2",
    )
    yield _holding(
        "functions/avg-of-large-integers",
        "avg is a Float, of the Float sum, and does not overflow where sum would",
        "avg(i, i) = i",
        "i",
        [_GREATEST, 5],
        "1 2",
    )
    yield _holding(
        "functions/nested",
        "Functions may stand in functions and in arithmetic",
        "max(min(i, 5), 2) + 1 = 6",
        "i",
        [9, 3],
        "1",
    )
    yield Draft(
        "functions/of-two-events",
        "Functions take attributes of several events",
        "rule R where a : A, b : A { max(k, a.k) = 5, min(k, a.k) < 3 } when b in a [0 ms, 9 ms]",
        "a1@0(k=5) a2@1(k=2) a3@2(k=3)",
        "a1 a2",
        _TYPES,
    )
    yield Draft(
        "functions/in-an-emission",
        "Functions make the attributes of emitted events",
        "template O { total : Integer, mean : Float, span : Integer }\n"
        "rule R where a : A, b : A when b in a [1 ms, 9 ms] then emit O at b.timestamp with {\n"
        "    total = sum(a.k, b.k), mean = avg(a.k, b.k), span = abs(b.timestamp - a.timestamp) }",
        "a1@0(k=5) a2@4(k=2)",
        "a1 a2",
        _TYPES,
        profile="functions",
    )


def _earlier() -> Iterator[Draft]:
    pair = "when b in a [0 ms, 9 ms]"
    for name, condition, holds in (
        ("equal", "k = a.k", "a1 b1; a2 b2"),
        ("less", "k < a.k", "a2 b1"),
        ("arithmetic", "k + 1 = a.k", "a2 b1"),
        ("own-name", "b.k = a.k", "a1 b1; a2 b2"),
    ):
        yield Draft(
            f"conditions/earlier-event-{name}",
            f"A pattern may refer to an event before it: {condition}",
            f"rule R where a : A, b : B {{ {condition} }} {pair}",
            "a1@0(k=1) a2@0(k=2) b1@1(k=1) b2@2(k=2)",
            holds,
            _TYPES,
        )
    yield Draft(
        "conditions/three-events",
        "A condition may join three events",
        "rule R where a : A, b : B, c : C { k = a.k + b.k } when b in a [0 ms, 9 ms] c in b [0 ms, 9 ms]",
        "a1@0(k=1) b1@1(k=2) b2@1(k=3) c1@2(k=3) c2@3(k=4)",
        "a1 b1 c1; a1 b2 c2",
        _TYPES,
    )
    yield Draft(
        "conditions/join-on-integer-and-float",
        "An equality between an Integer and a Float joins numbers that are equal after conversion",
        "rule R where a : V, b : V { f = a.i } when b in a [1 ms, 1 ms]",
        "v1@0(i=2) v2@1(f=2.0) v3@1(f=2.5)",
        "v1 v2",
        _TYPES,
    )
    yield Draft(
        "conditions/join-on-zeros",
        "An equality join on Floats finds -0.0 where it looks for 0.0",
        "rule R where a : V, b : V { f = a.f } when b in a [1 ms, 1 ms]",
        "v1@0(f=0.0) v2@0(f=-0.0) v3@1(f=-0.0)",
        "v1 v3; v2 v3",
        _TYPES,
    )
    yield Draft(
        "conditions/join-on-strings",
        "An equality join on strings compares them whole",
        "rule R where a : V, b : V { s = a.s } when b in a [1 ms, 1 ms]",
        'v1@0(s="x") v2@0(s="xy") v3@1(s="xy") v4@1(s="X")',
        "v2 v3",
        _TYPES,
    )
    yield Draft(
        "conditions/window-and-condition",
        "An event must be in the window and fulfil the condition; one of the two does not do",
        "rule R where a : A, b : B { k = a.k } when b in a [0 ms, 2 ms]",
        "a1@0(k=1) b1@1(k=2) b2@2(k=1) b3@3(k=1)",
        "a1 b2",
        ("SPEC 4",),
    )


def _predicates() -> Iterator[Draft]:
    near = "predicate near(String, Integer)\n"
    trace = 'v1@0(s="x",i=1) v2@1(s="x",i=2) v3@2(s="y",i=1)'
    rule = near + "rule R where a : V { near(s, i) }"
    rows = [["x", 1], ["y", 1]]
    yield Draft(
        "predicates/true-for",
        "A predicate is true for the rows of its table",
        rule,
        trace,
        "v1; v3",
        _TYPES,
        {"near": {"true_for": rows}},
    )
    yield Draft(
        "predicates/false-for",
        "A predicate is true for everything but the rows of its table",
        rule,
        trace,
        "v2",
        _TYPES,
        {"near": {"false_for": rows}},
    )
    for meaning, holds in (("true_for", ""), ("false_for", "v1; v2; v3")):
        yield Draft(
            f"predicates/empty-{meaning.replace('_', '-')}",
            f"A table without rows: {meaning}",
            rule,
            trace,
            holds,
            _TYPES,
            {"near": {meaning: []}},
        )
    yield Draft(
        "predicates/no-parameters",
        "A predicate may have no parameters",
        "predicate enabled()\nrule R where a : A { enabled() }",
        "a1@0",
        "a1",
        _TYPES,
        {"enabled": {"true_for": [[]]}},
    )
    yield Draft(
        "predicates/of-two-events",
        "A predicate may relate two events",
        "predicate follows(Integer, Integer)\nrule R where a : A, b : B { follows(a.k, k) } when b in a [0 ms, 9 ms]",
        "a1@0(k=1) a2@0(k=2) b1@1(k=2) b2@1(k=3)",
        "a1 b1; a2 b2",
        _TYPES,
        {"follows": {"true_for": [[1, 2], [2, 3]]}},
    )
    yield Draft(
        "predicates/float-parameter",
        "An Integer argument of a Float parameter is converted, and so are the numbers of the table",
        "predicate big(Float)\nrule R where a : A { big(k) }",
        "a1@0(k=1) a2@1(k=2)",
        "a2",
        _TYPES,
        {"big": {"true_for": [[2]]}},
    )
    yield Draft(
        "predicates/zeros",
        "0.0 and -0.0 are one number in a table",
        "predicate zero(Float)\nrule R where a : V { zero(f) }",
        "v1@0(f=0.0) v2@1(f=-0.0) v3@2(f=1.0)",
        "v1; v2",
        _TYPES,
        {"zero": {"true_for": [[-0.0]]}},
    )
    yield Draft(
        "predicates/as-a-value",
        "A call of a predicate is a Boolean value",
        near + "rule R where a : V { b = near(s, i) }",
        'v1@0(s="x",i=1,b=true) v2@1(s="x",i=1) v3@2(s="y",i=9)',
        "v1; v3",
        _TYPES,
        {"near": {"true_for": rows}},
    )
    yield Draft(
        "predicates/without-value",
        "A predicate over no value has no value: the condition does not hold, whatever the table says",
        "predicate any(Integer)\nrule R where a : A { any(k + 1) }",
        f"a1@0(k={_GREATEST}) a2@1(k=1)",
        "a2",
        _TYPES,
        {"any": {"false_for": []}},
    )
