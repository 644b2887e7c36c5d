"""Conditions of level 2: all evaluators agree, and programs keep their meaning as text and as JSON."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang import values
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.types import Scalar
from parte.semantics.partelang import expressions as machine
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.wildcards import InvalidPattern, segments

SHAPE = ProgramShape(level=2)


def printed(outcome: Outcome) -> tuple[list[str], list[str]]:
    return [match.to_json() for match in outcome.matches], [str(failure) for failure in outcome.failures]


@settings(max_examples=60)
@given(cases(SHAPE), schedules())
def test_all_evaluators_agree(case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule) -> None:
    program, items = case
    truth = printed(run(program, items))
    event(f"matches: {'some' if truth[0] else 'none'}")
    assert printed(run(program, items, evaluator="indexed")) == truth
    assert printed(execute(Scenario.of(program, items), schedule=schedule)) == truth
    assert printed(duckdb.run(program, items)) == truth


@settings(max_examples=60)
@given(programs(SHAPE))
def test_programs_keep_their_meaning_as_text_and_as_json(program: core.Program) -> None:
    printed = print_program(program.source)
    assert printed.startswith("level 2\n\n")
    again = parse(printed)
    assert again == program
    assert again.source == program.source
    assert program_from_json(json.loads(json.dumps(program_to_json(program)))) == program


# --- The three truths (specification: connectives) --------------------------------------------------------------------

CONDITIONS = {True: "k = 1", False: "k = 0", None: "k + 9223372036854775807 > 0"}
"""Conditions by their truth where k is 1."""
EVENTS = (Event("a1", "A", 0, {"k": 1}),)


def truth(condition: str) -> bool | None:
    """The truth of a condition where k is 1, by the definition, which is that of every evaluator."""
    results = []
    for text in (condition, f"not ({condition})"):
        program = parse(f"level 2\ntemplate A {{ k : Integer }}\nrule R where a : A {{ {text} }}\n")
        counts = {
            len(outcome.matches)
            for outcome in (
                run(program, EVENTS),
                run(program, EVENTS, evaluator="indexed"),
                execute(Scenario.of(program, EVENTS)),
                duckdb.run(program, EVENTS),
            )
        }
        assert len(counts) == 1, text
        results.append(bool(counts.pop()))
    return True if results[0] else False if results[1] else None


@pytest.mark.parametrize(("left", "right"), list(product(CONDITIONS, repeat=2)))
def test_the_truth_of_and_and_of_or(left: bool | None, right: bool | None) -> None:
    first, second = CONDITIONS[left], CONDITIONS[right]
    sides = {left, right}
    assert truth(f"{first} and {second}") is (False if False in sides else None if None in sides else True)
    assert truth(f"{first} or {second}") is (True if True in sides else None if None in sides else False)
    assert truth(f"not {first}") is (None if left is None else not left)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("k in (0, 1)", True),
        ("k in (0, 2)", False),
        ("k in (9223372036854775807 + k, 1)", True),
        ("k in (9223372036854775807 + k, 0)", None),
        ("k + 9223372036854775807 in (1)", None),
    ],
)
def test_the_truth_of_in(condition: str, expected: bool | None) -> None:
    assert truth(condition) is expected


# --- Strings (specification: function-strings, function-like) ---------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('starts_with("", "")', True),
        ('ends_with("ab", "")', True),
        ('ends_with("ab", "cab")', False),
        ('contains("aéb", "é")', True),
        ('contains("aeb", "é")', False),
        ('length("a𝄞é") = 3', True),
        ('lower("AZÉaz") = "azÉaz"', True),
        ('upper("AZéßaz") = "AZéßAZ"', True),
        ('concat("a", "", "b") = "ab"', True),
        ('concat("a") = "a"', True),
        ('like("", "")', True),
        ('like("", "?")', False),
        ('like("a", "")', False),
        ('like("ab", "a*b")', True),
        ('like("aab", "a*ab")', True),
        ('like("ab", "ab*ab")', False),
        ('like("aXbXc", "a*X*c")', True),
        ('like("a.b", "a?b")', True),
        ('like("𝄞", "?")', True),
        ('like("a\\nb", "a*b")'.replace("\\\\", "\\"), True),
        ('like("a*b", "a\\\\*b")', True),
        ('like("axb", "a\\\\*b")', False),
        ('like("a%b", "a%b")', True),
        ('like("axb", "a%b")', False),
        ('like("axb", "a_b")', False),
        ('like("a!b", "a!b")', True),
    ],
)
def test_the_truth_of_conditions_on_strings(condition: str, expected: bool) -> None:
    assert truth(condition) is expected


def test_a_string_that_is_too_long_has_no_value() -> None:
    half = f"concat({', '.join(['s'] * 8)})"
    program = parse(
        f"level 2\ntemplate A {{ s : String }}\nrule R where a : A {{ length(concat({half}, {half})) = 65536 }}\n"
        f"rule S where a : A {{ length(concat({half}, {half}, s)) > 0 }}\n"
    )
    events = (Event("a1", "A", 0, {"s": "é" * 4096}),)
    for outcome in (
        run(program, events),
        run(program, events, evaluator="indexed"),
        execute(Scenario.of(program, events)),
        duckdb.run(program, events),
    ):
        assert [match.rule for match in outcome.matches] == ["R"]


@given(st.text("ab*?\\", max_size=8), st.text("ab*?\\", max_size=6))
def test_like_is_what_a_regular_expression_says(text: str, pattern: str) -> None:
    try:
        segments(pattern)
    except InvalidPattern:
        return
    kinds = {"*": ".*", "?": "."}
    escaped = re.sub(r"\\(.)|(.)", lambda part: kinds.get(part[2]) or re.escape(part[1] or part[2]), pattern)
    expected = re.fullmatch(escaped, text, re.DOTALL) is not None
    assert machine.FUNCTIONS["like"](text, pattern) is expected
    assert values.FUNCTIONS["like"][Scalar.BOOLEAN](text, pattern) is expected


def test_functions_of_level_2_are_free_names_at_level_1() -> None:
    text = "template like { length : String }\npredicate contains(String)\nrule R where a : like { contains(length) }\n"
    assert parse(text).level == 1
    with pytest.raises(ProgramError) as error:
        parse(f"level 2\n{text}")
    clashes = [diagnostic for diagnostic in error.value.diagnostics if diagnostic.code == "duplicate-name"]
    assert [diagnostic.message for diagnostic in clashes] == [
        f"`{name}` is a function already" for name in ("like", "contains")
    ]
    with pytest.raises(ProgramError) as error:
        parse("template A { s : String }\nrule R where a : A { lower(s) = s }\n")
    assert error.value.diagnostics[0].code == "unknown-function"
    assert "level 2" in error.value.diagnostics[0].hint


# --- Reading (specification: level, connectives) ----------------------------------------------------------------------

HEAD = "template A { k : Integer, or : Integer, not : Integer, s : String, b : Boolean }\n"


def condition_of(text: str) -> str:
    """The only condition of a pattern of level 2, printed."""
    program = parse(f"level 2\n{HEAD}rule R where a : A {{ {text} }}\n")
    return print_program(program.source).split("a : A {\n")[1].split("    },")[0].strip().removesuffix(",")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("k = 1 or k = 2 and k = 3", "k = 1 or k = 2 and k = 3"),
        ("(k = 1 or k = 2) and k = 3", "(k = 1 or k = 2) and k = 3"),
        ("(k = 1 or k = 2) or k = 3", "(k = 1 or k = 2) or k = 3"),
        ("(k = 1) or ((k = 2))", "k = 1 or k = 2"),
        ("not not k = 1", "not not k = 1"),
        ("not (k = 1 or k = 2)", "not (k = 1 or k = 2)"),
        ("(not k = 1) and k = 2", "not k = 1 and k = 2"),
        ("not k in (1, 2,) or (k = 1) = b", "not k in (1, 2) or (k = 1) = b"),
        ("or = 1 or a.not = 2 and a.or in (3)", "or = 1 or a.not = 2 and a.or in (3)"),
        ("b = (k = 1 or k = 2)", "b = (k = 1 or k = 2)"),
    ],
)
def test_precedence_and_names(text: str, printed: str) -> None:
    assert condition_of(text) == printed
    assert condition_of(printed) == printed


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("k = 1 or b", "not-a-condition"),
        ("k = 1 and 2", "not-a-condition"),
        ("not k", "not-a-condition"),
        ("k in ()", "no-candidates"),
        ("k in (1, s)", "type-mismatch"),
        ("z in (1, 2)", "unknown-attribute"),
        ("not = 1", "syntax-error"),
        ("k = 1 or = 2", "syntax-error"),
        ("or(k)", "syntax-error"),
        ("k in 1", "syntax-error"),
        ("starts_with(s, 1)", "type-mismatch"),
        ("starts_with(s)", "wrong-argument-count"),
        ("length(s)", "not-a-condition"),
        ("like(s, s)", "invalid-pattern"),
        (r'like(s, "\\a")', "invalid-pattern"),
        (r'like(s, "\\")', "invalid-pattern"),
    ],
)
def test_errors_in_conditions_have_one_message(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        condition_of(text)
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == [code]


@pytest.mark.parametrize("word", ["and", "or", "not"])
def test_the_words_of_level_2_name_nothing_but_attributes(word: str) -> None:
    for text in (f"template {word} {{}}", f"template A {{}} rule {word} where a : A", f"rule R where {word} : A"):
        with pytest.raises(ProgramError) as error:
            parse(f"level 2\n{text}")
        assert error.value.diagnostics[0].code == "syntax-error"
        assert f"`{word}` is a keyword" in error.value.diagnostics[0].hint


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not k = 1", "unknown-attribute"),  # `not` may be an attribute
        ("(k = 1 or k = 2) and k = 3", "needs-level-2"),
        ("k in (1, 2)", "needs-level-2"),
        ("k in (1, 2", "syntax-error"),
    ],
)
def test_what_level_1_says_of_level_2(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"template A {{ k : Integer }}\nrule R where a : A {{ {text} }}\n")
    assert error.value.diagnostics[0].code == code
    assert code == "syntax-error" or "level 2" in error.value.diagnostics[0].hint


def test_the_shortest_program_of_level_2() -> None:
    assert print_program(parse("  level\n2").source) == "level 2\n"


def test_comments_before_and_after_the_level_stay() -> None:
    text = "// first\nlevel 2  // second\n\n// third\ntemplate A {}\n\nrule R where\n    a : A,\n"
    assert print_program(parse(text).source) == text
