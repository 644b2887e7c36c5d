"""Every diagnostic code: a program that provokes it, and it alone, where it should: those of the suite, and more."""

from __future__ import annotations

import pickle

import pytest

from parte.conformance.coverage import codes_of
from parte.conformance.fixtures import Fixture
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.syntax import ProgramError, parse, stratification
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.source.diagnostics import Diagnostic, Severity
from parte.semantics.source.limits import MAX_REPORTED, MAX_SOURCE_CHARACTERS, MAX_TOKENS
from parte.semantics.source.reporting import Reporter

MARK = "¦"
DECLARATIONS = """
template T { i : Integer, f : Float, s : String, b : Boolean }
template N { n : Integer }
"""
REJECTED = [
    case
    for case in load_suite(PARTELANG).cases.values()
    if case.expected.rejected is not None and case.expected.rejected.code in CODES.keys() - {"too-many-errors"}
]
LARGE: list[tuple[str, str]] = [
    ("lone-surrogate", 'rule R where a : T { s = ¦"\\ud800" }'),
    ("lone-surrogate", "// ¦\ud800\nrule R where a : T"),
    ("source-too-large", "¦" + "//" + " " * MAX_SOURCE_CHARACTERS),
    ("source-too-large", ", " * MAX_TOKENS + "¦,"),
]
"""Programs that no case holds, since no message can, or that are too long for one."""

OF_FILES = {
    *("invalid-import", "import-not-found", "import-outside", "import-level", "cyclic-import", "too-many-imports")
}
"""Errors of programs in several files (`tests/semantics/partelang/test_level_2_imports.py`)."""

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


def codes_and_places(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, tuple[int, int]]]:
    return [(item.code, (item.span.start.line, item.span.start.column)) for item in diagnostics]


@pytest.mark.parametrize("case", REJECTED, ids=lambda case: str(case.id))
def test_error(case: Fixture) -> None:
    assert case.expected.rejected is not None
    expected = case.expected.rejected
    assert expected.column is not None
    alone(case.text, expected.code, (expected.line, expected.column))


@pytest.mark.parametrize(("code", "text"), LARGE)
def test_error_of_a_program_that_is_no_case(code: str, text: str) -> None:
    source, place = marked((DECLARATIONS if code == "lone-surrogate" else "") + text)
    alone(source, code, place)


def alone(source: str, code: str, place: tuple[int, int]) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(source)
    assert codes_and_places(caught.value.diagnostics) == [(code, place)], caught.value.render()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.hint
    assert diagnostic.source_line == source.split("\n")[place[0] - 1]


@pytest.mark.parametrize(("code", "text"), WARNINGS, ids=[f"{n}-{code}" for n, (code, _) in enumerate(WARNINGS)])
def test_warning(code: str, text: str) -> None:
    source, place = marked("template T {} " + text)
    warnings = parse(source).warnings
    assert codes_and_places(warnings) == [(code, place)]
    assert all(warning.severity is Severity.WARNING and warning.hint for warning in warnings)


def test_a_template_may_be_declared_for_events_that_no_rule_reads() -> None:
    (warning,) = parse("template T {} template X {} rule R where a : T").warnings
    assert warning.hint == "keep the declaration if traces have such events, otherwise remove it"


def test_no_rules() -> None:
    assert codes_and_places(parse("").warnings) == [("no-rules", (1, 1))]


def test_too_many_errors() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("template T {}\n" * (MAX_REPORTED + 100))
    diagnostics = caught.value.diagnostics
    assert len(diagnostics) == MAX_REPORTED + 1
    assert diagnostics[-1].code == "too-many-errors"
    assert codes_and_places(diagnostics)[-1][1] == (MAX_REPORTED + 2, 10)


def test_more_forbidden_characters_than_are_listed() -> None:
    with pytest.raises(ProgramError) as caught:
        parse("template T {}\nrule R where a : T // " + "\x00" * 30)
    assert [item.code for item in caught.value.diagnostics] == ["nul-character"] * 20


def test_a_hostile_program_gets_some_suggestions() -> None:
    near = "".join(f"template T{number:03} {{}}\n" for number in range(400))
    text = near + "".join(f"rule R{number} where a : U{number:03}\n" for number in range(150))
    with pytest.raises(ProgramError) as caught:
        parse(text)
    hints = [item.hint for item in caught.value.diagnostics if item.code == "unknown-template"]
    assert len(hints) == 150
    assert [hint.startswith("did you mean `T") for hint in hints] == [True] * 100 + [False] * 50


def test_a_similar_name_is_searched_among_the_first() -> None:
    reporter = Reporter("", CODES)
    names = [f"ZZZZ{number:04}" for number in range(300)]
    assert reporter.suggestion("abcdefgh", [*names[:-1], "abcdefgi"], "none") == "did you mean `abcdefgi`?"
    assert reporter.suggestion("abcdefgh", [*names, "abcdefgi"], "none") == "none"


def test_of_many_cycles_of_rules_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the effort, a cycle that may be longer than the shortest."""
    emits = {"A": "B", "B": "C", "C": "DA", "D": "C"}
    text = "".join(f"template {name} {{}} " for name in emits) + " ".join(
        f"rule {name}{target} where a : {name} then emit {target} at a.timestamp"
        for name, targets in emits.items()
        for target in targets
    )

    def cycle() -> str:
        with pytest.raises(ProgramError) as caught:
            parse(text)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code == "recursive-rules"
        return diagnostic.message

    assert cycle().count("→ rule") == 2
    monkeypatch.setattr(stratification, "_EFFORT", 1)
    assert cycle().count("→ rule") == 3


def test_every_code_is_provoked() -> None:
    rejected = {case.expected.rejected.code for case in REJECTED if case.expected.rejected is not None}
    provoked = rejected | {code for code, _ in WARNINGS} | {"no-rules", "too-many-errors"}
    provoked |= OF_FILES
    provoked |= {code for case in load_suite(PARTELANG).cases.values() for code in codes_of(case)} & set(CODES)
    assert provoked == set(CODES)
    assert {code for code, _ in WARNINGS} | {"no-rules", "empty-set", "unused-set"} == {
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
    assert codes_and_places(caught.value.diagnostics) == [
        (code, (line, place)) for code, place in zip(codes, places, strict=True)
    ]


def test_syntax_errors_in_several_declarations() -> None:
    text = "template A { x y }\nrule R where a : : T\ntemplate B {}\nrule S where a : T {\nrule Q where a : T when x\n"
    with pytest.raises(ProgramError) as caught:
        parse(text)
    assert codes_and_places(caught.value.diagnostics) == [
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
        (
            "template T {} rule R where a : T, b : T, no x : T when b in a [0 ms, 1 hour], no x between a and b",
            "no `x` between `a` and `b` takes two windows: `no x in a [0 ms, 1 hour], no x in b [-1 hour, 0 ms]`",
        ),
        ("template T {} rule R where a : T { 1 = 1 && 2 = 2 }", "separate conditions by commas; a program that begins"),
        (
            "level 2 template T {} rule R where a : T, all b : T when b in a [0 ms, 1 ms] having len(b) > 1",
            "did you mean `count`?",
        ),
        ("template T {} rule R where a : T wen b in a", "did you mean `when`?"),
        ("template T {} rule R where a : T when a in a [0, 1 day]", "write a unit after the number"),
        ("template T {} rule R where a : T b : T when a in b [0 h, 1 day]", "`h` is written `hours`; the units are ms"),
        ("template T {} rule R where a : T b : T when a in b [0 ms, 5 min]", "`min` is written `minutes`"),
        ("template T {} rule R where a : T b : T when a in b [-1 d, 5 ms]", "`d` is written `days`"),
        ("template T {} rule R where a : T b : T when a in b [-1 Hour, 5 ms]", "`Hour` is written `hours`"),
        ("template T {} rule R where a : T then emit T at a.timestamp + 6 s", "`s` is written `seconds`"),
        ("template T {} rule R where a : T b : T when a in b [0 x, 1 day]", "write a unit after the number"),
        (
            "template T {} rule R where a : T b : T b in a [0 ms, 1 day]",
            "constraints stand after `when`: it is missing",
        ),
        ("template T {} rule R where a : T no b : T no b in a [0 ms, 1 day]", "constraints stand after `when`"),
        ("template T {} rule R where not a : T", "`no` says that an event is absent"),
        ("template T {} rule R where a : T b : T when b within 1 minute of a", "time stands after `when`"),
        ("template T {} rule R where a : T b : T when a before b", "time stands after `when`"),
        ("event T { k : Integer }", "events are declared by `template Name"),
        ("SELECT * WHERE A; B", "this is no PARTElang"),
        ("template T { k : int } rule R where a : T", "this type is called `Integer` here"),
        ("template T { k : float } rule R where a : T", "this type is called `Float` here"),
        ("template T { k : str } rule R where a : T", "this type is called `String` here"),
        ("template T { k : bool } rule R where a : T", "this type is called `Boolean` here"),
        ("template T { k : [varchar; 3] } rule R where a : T", "this type is called `String` here"),
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
