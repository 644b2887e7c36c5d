"""Every diagnostic code: a program that provokes it, and it alone, at the place marked by `¦`."""

from __future__ import annotations

import pickle

import pytest

from semantics.syntax import ProgramError, parse
from semantics.syntax.codes import CODES
from semantics.syntax.diagnostics import Diagnostic, Severity
from semantics.syntax.limits import MAX_REPORTED, MAX_SOURCE_CHARACTERS, MAX_TOKENS

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


def found(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, tuple[int, int]]]:
    return [(item.code, (item.span.start.line, item.span.start.column)) for item in diagnostics]


@pytest.mark.parametrize(("code", "text"), ERRORS, ids=[f"{n}-{code}" for n, (code, _) in enumerate(ERRORS)])
def test_error(code: str, text: str) -> None:
    prefix = "" if code == "source-too-large" else DECLARATIONS
    source, place = marked(prefix + text)
    with pytest.raises(ProgramError) as caught:
        parse(source)
    assert found(caught.value.diagnostics) == [(code, place)], caught.value.render()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.hint
    assert diagnostic.source_line == source.split("\n")[place[0] - 1]


@pytest.mark.parametrize(("code", "text"), WARNINGS, ids=[f"{n}-{code}" for n, (code, _) in enumerate(WARNINGS)])
def test_warning(code: str, text: str) -> None:
    source, place = marked("template T {} " + text)
    warnings = parse(source).warnings
    assert found(warnings) == [(code, place)]
    assert all(warning.severity is Severity.WARNING and warning.hint for warning in warnings)


def test_no_rules() -> None:
    assert found(parse("").warnings) == [("no-rules", (1, 1))]


def test_too_many_errors() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("template T {}\n" * (MAX_REPORTED + 100))
    diagnostics = caught.value.diagnostics
    assert len(diagnostics) == MAX_REPORTED + 1
    assert diagnostics[-1].code == "too-many-errors"
    assert found(diagnostics)[-1][1] == (MAX_REPORTED + 2, 10)


def test_every_code_is_provoked() -> None:
    provoked = {code for code, _ in ERRORS + WARNINGS} | {"no-rules", "too-many-errors"}
    assert provoked == set(CODES)
    assert {code for code, _ in WARNINGS} | {"no-rules"} == {
        code.name for code in CODES.values() if code.severity is Severity.WARNING
    }
    assert all(code.title and code.explanation.endswith(".") for code in CODES.values())


def test_all_errors_are_found_in_source_order() -> None:
    text = DECLARATIONS + (
        "rule R where a : T { ¦j = 1, ¦s = 2, i = ¦c.i }, b : ¦U when ¦b in a [2 days, 1 day] "
        "then emit ¦N at ¦a.i with { ¦m = 1 }"
    )
    parts = text.split(MARK)
    places = [len("".join(parts[: number + 1]).split("\n")[-1]) + 1 for number in range(len(parts) - 1)]
    with pytest.raises(ProgramError) as caught:
        parse("".join(parts))
    codes = [
        *("unknown-attribute", "type-mismatch", "unknown-variable", "unknown-template"),
        *("empty-interval", "missing-assignment", "not-a-timestamp", "unknown-attribute"),
    ]
    line = text.count("\n") + 1
    assert found(caught.value.diagnostics) == [(code, (line, place)) for code, place in zip(codes, places, strict=True)]


def test_syntax_errors_in_several_declarations() -> None:
    text = "template A { x y }\nrule R where a : : T\ntemplate B {}\nrule S where a : T {\nrule Q where a : T when x\n"
    with pytest.raises(ProgramError) as caught:
        parse(text)
    assert found(caught.value.diagnostics) == [
        ("syntax-error", (1, 16)),
        ("syntax-error", (2, 18)),
        ("syntax-error", (5, 1)),
        ("syntax-error", (5, 26)),
    ]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("template Money {} rule R where a : Mony", "did you mean `Money`?"),
        ("template T { amount : Float } rule R where a : T { amuont > 1 }", "did you mean `amount`?"),
        ("template T { flag : Boolean } rule R where a : T { flag }", "write `flag = true`"),
        ("template T {} rule R where a : T wen b in a", "did you mean `when`?"),
        ("template T {} rule R where a : T when a in a [0, 1 day]", "write a unit after the number"),
    ],
)
def test_hint(text: str, hint: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(text)
    assert caught.value.diagnostics[0].hint.startswith(hint)


def test_rendering() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("template T {\n\tx : Sting,\n}\n")
    assert caught.value.diagnostics[0].render("bank.parte") == (
        "bank.parte:2:6: error[unknown-type]: there is no type called `Sting`\n"
        "    \tx : Sting,\n"
        "    \t    ^^^^^\n"
        "  hint: did you mean `String`?"
    )


@pytest.mark.parametrize(
    ("string", "columns"), [("ab", 2), ("日本", 4), ("\U0001f600", 2), ("e\u0301", 1), ("\N{DEGREE SIGN}", 1)]
)
def test_the_caret_stands_under_what_it_points_at(string: str, columns: int) -> None:
    line = f'rule R where a : T {{ s = "{string}", x = 1 }}'
    with pytest.raises(ProgramError) as caught:
        parse(f"template T {{ s : String }}\n{line}")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span.start.column == line.index("x =") + 1
    _, _, caret, _ = diagnostic.render().split("\n")
    assert caret == "    " + " " * (len(line) - len(" = 1 }") - 1 - len(string) + columns) + "^"


def test_a_wide_string_is_underlined_whole() -> None:
    with pytest.raises(ProgramError) as caught:
        parse('template T { k : Integer }\nrule R where a : T { k = "日本" }')
    assert "^" * len('k = "') + "^^^^" + "^" in caught.value.render()


def test_the_hint_for_a_negation_without_a_window_names_another_variable() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("template T {}\nrule R where no a : T")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics][-1] == "unbounded-negation"
    assert "a in a" not in caught.value.render()


def test_the_message_names_the_file() -> None:
    with pytest.raises(ProgramError, match=r"^bank\.parte:1:1: error\[syntax-error\]"):
        parse("nonsense", "bank.parte")
    with pytest.raises(ProgramError, match=r"^program:1:1: "):
        parse("nonsense")


def test_errors_cross_between_processes() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("nonsense", "bank.parte")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.diagnostics, str(copy)) == (caught.value.diagnostics, str(caught.value))


def test_rendering_of_a_long_line_is_short_and_shows_no_control_characters() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("type X = \x1b[2J String " + "// \x1b[2J".ljust(100_000, "x"))
    rendered = caught.value.render()
    assert len(rendered) < 2_000
    assert "\x1b" not in rendered
