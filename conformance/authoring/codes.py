"""A program for every diagnostic code, which provokes it and it alone, at the place marked by `¦`.

New programs for a code go after those that are there: the ids of the cases count them.
"""

from __future__ import annotations

from semantics.syntax.limits import MAX_SOURCE_CHARACTERS, MAX_TOKENS

MARK = "¦"

DECLARATIONS = """
predicate near(String, Float)
template T { i : Integer, f : Float, s : String, b : Boolean }
template L { xs : [Integer; 2], fs : [Float; 2] }
template N { n : Integer }
template E {}
"""


def rule(conditions: str = "", then: str = "", patterns: str = "", when: str = "") -> str:
    """A rule over one event, to be filled in where it is wrong."""
    emission = f"then emit E at a.timestamp with {{}} {then}"
    return f"rule R where a : T {{ {conditions} }} {patterns} when {when} {emission}"


def emitting(assignments: str) -> str:
    return f"rule R where a : T then emit N at a.timestamp with {{ {assignments} }}"


def pair(patterns: str = "b : T", when: str = "b in a [0 days, 1 day]") -> str:
    return rule(patterns=patterns, when=when)


ERRORS: list[tuple[str, str]] = [
    # --- Reading the text
    ("syntax-error", rule("i = 1 ¦= 2")),
    ("syntax-error", "¦tempate X {}"),
    ("syntax-error", "rule R where a : T { i = 1 ¦when b in a [0 days, 1 day]"),
    ("syntax-error", "rule R where a : T ¦emit E at a.timestamp with {}"),
    ("syntax-error", "rule R where a : T when b in a [0¦, 1 day]"),
    ("syntax-error", "rule R where a : T when b in a [¦+1 day, 1 day]"),
    ("syntax-error", "rule R where when ¦: T"),
    ("syntax-error", "rule ¦where a : T"),
    ("syntax-error", "rule R ¦were a : T"),
    ("syntax-error", "template X { a : Integer¦"),
    ("syntax-error", "template X { a ¦Integer }"),
    ("syntax-error", "type X ¦: String"),
    ("syntax-error", "rule R where a : T { i =¦   "),
    ("syntax-error", rule("f = ¦.5")),
    ("syntax-error", rule("i = (1 + 2¦, i = 2")),
    ("syntax-error", rule("i = min(1¦; 2)")),
    ("invalid-character", rule("i ¦? = 1")),
    ("invalid-character", rule("mont¦é = 1")),
    ("invalid-operator", rule("i ¦== 1")),
    ("invalid-operator", rule("i = 1 ¦&& f > 2.0")),
    ("unterminated-string", rule('s = ¦"abc\n')),
    ("invalid-escape", rule(r's = "a¦\q"')),
    ("invalid-escape", rule(r's = "a¦\u12"')),
    ("lone-surrogate", rule(r's = ¦"\ud800"')),
    ("lone-surrogate", "// ¦\ud800\n" + rule()),
    ("nul-character", "// ¦\x00\n" + rule()),
    ("source-too-large", "¦" + "//" + " " * MAX_SOURCE_CHARACTERS),
    ("source-too-large", ", " * MAX_TOKENS + "¦,"),
    ("identifier-too-long", rule() + f" type ¦{'x' * 129} = String"),
    ("number-too-long", rule(f"i = ¦{'1' * 101}")),
    ("nesting-too-deep", rule("i = " + "(" * 64 + "¦(1" + ")" * 65)),
    ("expression-too-deep", rule("i = 1" + " + 1" * 99 + " ¦+ 1" + " + 1" * 1000)),
    ("integer-out-of-range", rule("i = ¦9223372036854775808")),
    ("integer-out-of-range", rule("i = ¦-9223372036854775809")),
    ("float-out-of-range", rule("f = ¦1e309")),
    ("duration-out-of-range", pair(when="b in a [0 days, ¦106751991168 days]")),
    ("duration-out-of-range", "rule R where a : T then emit E at a.timestamp + (¦9223372036854775807 ms + 1 ms)"),
    ("capacity-out-of-range", "template X { xs : [Integer; ¦0] }"),
    ("capacity-out-of-range", "template X { xs : [Integer; ¦1025] }"),
    # --- Names
    ("duplicate-name", "template ¦T {}"),
    ("duplicate-name", "type ¦T = String"),
    ("duplicate-name", "type ¦Integer = Float"),
    ("duplicate-name", "predicate ¦min(Integer)"),
    ("duplicate-name", "template ¦list {}"),
    ("duplicate-name", "template X { a : Integer, ¦a : Float }"),
    ("duplicate-name", pair("¦a : N", when="")),
    ("duplicate-name", rule() + " " + rule().replace("rule R", "rule ¦R")),
    ("reserved-attribute", "template X { ¦timestamp : Integer }"),
    ("unknown-type", "template X { a : ¦Interger }"),
    ("unknown-type", "predicate p([¦Nothing; 3])"),
    ("unknown-template", pair("b : ¦U { anything = 1, f = b.whatever }")),
    ("unknown-template", "rule R where a : T then emit ¦U at a.timestamp with { x = a.i }"),
    ("unknown-variable", rule("i = ¦c.i")),
    ("unknown-variable", "rule R where a : T then emit E at ¦c.timestamp"),
    ("unknown-variable", pair(when="b in a [0 days, 1 day], ¦c in a [0 days, 1 day]")),
    ("unknown-variable", pair(when="b in ¦c [0 days, 1 day]")),
    ("unknown-attribute", rule("¦j = 1")),
    ("unknown-attribute", pair("b : T { i = a.¦j }")),
    ("unknown-attribute", pair("b : T { s = ¦a }")),
    ("unknown-attribute", emitting("n = 1, ¦m = 2")),
    ("unknown-function", rule("i = ¦median(i, 1)")),
    ("cyclic-alias", "type ¦A = B type B = A template X { a : A }"),
    ("cyclic-alias", "type ¦A = [A; 3] template X { a : A }"),
    ("variable-too-early", rule("i = ¦b.i", patterns="b : T", when="b in a [0 days, 1 day]")),
    ("negated-variable", pair("no b : T, c : T { i = ¦b.i }", "no b in a [0 days, 1 day], c in a [0 days, 1 day]")),
    (
        "negated-variable",
        "rule R where a : T no b : T when no b in a [0 days, 1 day] then emit N at a.timestamp with { n = ¦b.i }",
    ),
    (
        "negated-variable",
        "rule R where a : T no b : T when no b in a [0 days, 1 day] then emit E at ¦b.timestamp",
    ),
    # --- Types
    ("type-mismatch", rule("¦s = 1")),
    ("type-mismatch", rule("¦b = 1.0")),
    ("type-mismatch", rule("near(¦i, f)")),
    ("type-mismatch", emitting("n = ¦a.f")),
    ("type-mismatch", emitting("n = ¦list(1)")),
    ("type-mismatch", "rule R where a : T then emit L at a.timestamp with { xs = ¦a.i, fs = list() }"),
    ("type-mismatch", "rule R where a : T then emit L at a.timestamp with { xs = list(¦1.5), fs = list(1) }"),
    (
        "type-mismatch",
        "template M { fs : [Float; 2] } rule R where a : L then emit M at a.timestamp with { fs = ¦a.xs }",
    ),
    ("not-a-number", rule("f = ¦s * 2")),
    ("not-a-number", rule("i = -¦b")),
    ("not-a-number", rule("i = max(i, (¦i = 1))")),
    ("not-ordered", rule("¦b < true")),
    ("not-a-condition", rule("¦b")),
    ("not-a-condition", rule("¦i + 1")),
    ("not-a-condition", rule("¦max(i, 1)")),
    ("not-a-condition", rule("¦true")),
    ("wrong-argument-count", rule("i = ¦abs(i, 1)")),
    ("wrong-argument-count", rule("i = ¦min()")),
    ("wrong-argument-count", rule("¦near(s)")),
    ("wrong-argument-count", "rule R where a : T then emit E at ¦max()"),
    ("nested-list", "type Xs = [Integer; 3] template X { a : [¦Xs; 3] }"),
    ("list-parameter", "predicate p(String, ¦[Integer; 3])"),
    ("misplaced-list", rule("i = ¦list(1)")),
    ("misplaced-list", "rule R where a : L { ¦xs = 1 }"),
    ("misplaced-list", emitting("n = 1 + ¦list(1)")),
    ("list-too-long", "rule R where a : T then emit L at a.timestamp with { xs = ¦list(1, 2, 3), fs = list() }"),
    ("misplaced-duration", rule("i = ¦5 minutes")),
    ("misplaced-duration", emitting("n = a.timestamp + ¦5 minutes")),
    ("misplaced-timestamp", rule("i = ¦a.timestamp")),
    ("misplaced-timestamp", rule("¦timestamp > 3")),
    # --- Rules
    ("no-patterns", "rule ¦R where"),
    ("too-many-patterns", "rule R where " + "a : T, " * 64 + "¦b : T, c : T"),
    ("first-pattern-negated", "rule R where ¦no b : T a : T when no b in a [0 days, 1 day]"),
    ("bare-attribute", emitting("n = ¦i")),
    ("bare-attribute", emitting("n = ¦a")),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦5 minutes"),
    ("not-a-timestamp", "rule R where a : T then emit E at a.timestamp + ¦5"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦a.i"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦a"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦a.timestamp + a.timestamp"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦5 minutes - a.timestamp"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦-a.timestamp"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦a.timestamp * 2"),
    ("not-a-timestamp", "rule R where a : T then emit E at ¦sum(a.timestamp)"),
    ("not-a-timestamp", "rule R where a : T then emit E at max(a.timestamp, ¦list(1))"),
    ("missing-assignment", "rule R where a : T then emit ¦N at a.timestamp with {}"),
    ("missing-assignment", "rule R where a : T then emit ¦N at a.timestamp"),
    ("duplicate-assignment", emitting("n = 1, ¦n = 2")),
    # --- Time
    ("empty-interval", pair(when="¦b in a [2 days, 1 day]")),
    ("negation-mismatch", pair(when="¦no b in a [0 days, 1 day]")),
    ("negation-mismatch", pair("no b : T", "¦b in a [0 days, 1 day]")),
    ("negated-reference", pair("no b : T", "a in ¦b [0 days, 1 day]")),
    ("negated-reference", pair("no b : T no c : T", "no c in ¦b [0 days, 1 day] no b in a [0 days, 1 day]")),
    (
        "reference-too-late",
        pair("no b : T c : T", "no b in a [0 days, 1 day] c in a [0 days, 1 day] no b in ¦c [0 days, 1 day]"),
    ),
    ("self-constraint", rule(when="¦a in a [0 days, 0 days]")),
    ("unrelated-variables", pair("¦b : T", "")),
    ("unrelated-variables", pair("b : T ¦c : T d : T", "b in a [0 days, 1 day] d in c [0 days, 1 day]")),
    ("unbounded-negation", pair("no ¦b : T", "")),
    ("recursive-rules", "rule R where e : E then emit ¦E at e.timestamp"),
    ("recursive-rules", "rule R where a : T no e : E when no e in a [0 ms, 1 ms] then emit ¦E at a.timestamp"),
    (
        "recursive-rules",
        "rule P where e : E then emit ¦N at e.timestamp with { n = 1 } "
        "rule Q where n : N then emit L at n.timestamp with { xs = list() fs = list() } "
        "rule R where n : N then emit E at n.timestamp",
    ),
]

WARNINGS: list[tuple[str, str]] = [
    ("contradictory-windows", "rule ¦R where a : T b : T when b in a [1 ms, 1 day] a in b [0 days, 1 day]"),
    (
        "contradictory-windows",
        "rule ¦R where a : T b : T c : T when b in a [1 day, 1 day] c in b [1 day, 1 day] c in a [0 days, 1 day]",
    ),
    (
        "contradictory-negation",
        "rule R where a : T b : T no ¦c : T when b in a [3 days, 9 days] no c in a [0 days, 1 day] "
        "no c in b [-1 day, 0 days]",
    ),
    ("unused-type", "type ¦X = String rule R where a : T"),
    ("unused-template", "template ¦X {} rule R where a : T"),
    ("unused-predicate", "predicate ¦p(String) rule R where a : T"),
]


def marked(text: str) -> tuple[str, tuple[int, int]]:
    """The text without its mark, and the line and column where that stood."""
    before, after = text.split(MARK)
    return before + after, (before.count("\n") + 1, len(before) - before.rfind("\n"))
