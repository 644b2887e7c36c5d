"""Named patterns of level 2: a program with `use` is the program with the text put in by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from parte import api
from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.structural import strategy
from parte.conformance.partelang.drawing import drawn_program
from parte.conformance.partelang.outlining import outlined
from parte.conformance.partelang.strategies import ProgramShape, programs, schedules, traces
from parte.semantics.events.event import TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import ast, core, elaborate, parse, parse_source, reuse
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.limits import MAX_NESTED_USES
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError

TEMPLATES = """level 2
template A { k : Integer, f : Float }
template D { n : Integer }
"""
NAMED = """
pattern Q(y : Float) exports b where b : A { f >= y }, all s : A { k = b.k } when s in b [-3 ms, -1 ms]
    having count(s) >= 1 end
pattern P(x : Integer) exports a, q.b where
    a : A { k = x }, use Q(x) as q, first c : A { k = a.k }, no d : A { k = q.b.k }
    when q.b in a [0 ms, 5 ms], c in a [1 ms, 9 ms], no d in q.b [1 ms, 2 ms] end
rule R where z : A, use P(z.k) as p, w : A { f > p.q.b.f, weekday(p.a) < 8 }
    when p.a in z [0 ms, 5 ms], w in p.q.b [0 ms, 4 ms]
    then emit D at p.a.timestamp with { n = p.q.b.k }
"""
BY_HAND = """
rule R where z : A, p_a : A { k = z.k }, p_q_b : A { f >= z.k * 1.0 }, all p_q_s : A { k = p_q_b.k },
    first p_c : A { k = p_a.k }, no p_d : A { k = p_q_b.k }, w : A { f > p_q_b.f, weekday(p_a) < 8 }
    when p_q_s in p_q_b [-3 ms, -1 ms], p_q_b in p_a [0 ms, 5 ms], p_c in p_a [1 ms, 9 ms],
    no p_d in p_q_b [1 ms, 2 ms], p_a in z [0 ms, 5 ms], w in p_q_b [0 ms, 4 ms]
    having count(p_q_s) >= 1
    then emit D at p_a.timestamp with { n = p_q_b.k }
"""
TRACE = [
    f'{{"id":"a{time}","template":"A","timestamp":{time},"attributes":{{"k":{time * 7 % 3},"f":{time * 5 % 4}.5}}}}'
    for time in range(40)
]


def matches(text: str, model: str) -> set[tuple[tuple[str, str], ...]]:
    result = api.execute(parse(TEMPLATES + text), read_trace(TRACE), model=model)
    return {tuple((name.replace(".", "_"), event) for name, event in match.bindings) for match in result.matches}


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound", "duckdb"])
def test_use_means_its_text(model: str) -> None:
    by_hand = matches(BY_HAND, "algebra")
    assert len(by_hand) > 3
    assert matches(NAMED, model) == by_hand


def test_forms() -> None:
    source = parse_source(TEMPLATES + NAMED)
    assert parse_source(print_program(source)) == source
    program = parse(TEMPLATES + NAMED)
    assert program_from_json(program_to_json(program)) == program
    (rule,) = map(core.with_plain_variables, program.rules)
    (by_hand,) = parse(TEMPLATES + BY_HAND).rules
    names = {a.variable: b.variable for a, b in zip(rule.patterns, by_hand.patterns, strict=True)}
    assert [core.renamed(c, names) for p in rule.patterns for c in p.conditions] == [
        condition for pattern in by_hand.patterns for condition in pattern.conditions
    ]


P = "pattern P(x : Integer) exports a where a : A { k = x }, b : A end\n"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("rule R where use P(1) as p", "unrelated-variables", (4, 57)),
        ("rule R where use P(1) as p, c : A { k = p.b.k }", "not-exported", (5, 41)),
        ("rule R where use P(1) as p, c : A { k = p.x }", "not-exported", (5, 41)),
        ("rule R where use P(1.5) as p", "type-mismatch", (5, 20)),
        ("rule R where c : A, use P(c.k + 1) as p", "invalid-argument", (5, 27)),
        ("rule R where use P(c.k) as p, c : A", "unknown-variable", (5, 20)),
        ("rule R where use P as p", "wrong-argument-count", (5, 14)),
        ("rule R where use S as p", "unknown-pattern", (5, 18)),
        ("rule R where p : A, use P(1) as p", "duplicate-name", (5, 33)),
        ("pattern S(k : Integer) where a : A { k = 1 } end", "ambiguous-name", (5, 38)),
        ("pattern S where a : A, use S as s end", "cyclic-pattern", (5, 28)),
        ("pattern S where no a : A end", "first-pattern-negated", (5, 17)),
    ],
)
def test_errors(text: str, code: str, place: tuple[int, int]) -> None:
    with pytest.raises(ProgramError) as error:
        parse(TEMPLATES + P + text)
    reported = [(d.code, (d.span.start.line, d.span.start.column)) for d in error.value.diagnostics]
    assert (code, place) in reported


def test_errors_name_the_use() -> None:
    with pytest.raises(ProgramError, match=r"`p\.b` and `p\.a` \(from `use P as p`, line 5, column 14\)"):
        parse(TEMPLATES + P + "rule R where use P(1) as p")


def test_limits_count_what_is_put_in() -> None:
    doubled = "pattern P0 exports a where a : A end\n" + "".join(
        f"pattern P{n} where use P{n - 1} as p, use P{n - 1} as q end\n" for n in range(1, 9)
    )
    with pytest.raises(ProgramError) as error:
        parse(TEMPLATES + doubled)
    assert {diagnostic.code for diagnostic in error.value.diagnostics} == {"too-many-patterns"}


@pytest.mark.parametrize(("depth", "fits"), [(MAX_NESTED_USES, True), (MAX_NESTED_USES + 1, False)])
def test_the_depth_of_uses_is_bounded(depth: int, fits: bool) -> None:
    text = "pattern P1 exports a where a : A end\n" + "".join(
        f"pattern P{n} where use P{n - 1} as p end\n" for n in range(2, depth + 1)
    )
    text += f"rule R where use P{depth} as p"
    if fits:
        assert len(parse(TEMPLATES + text).rules) == 1
        return
    with pytest.raises(ProgramError, match="more than 8 patterns stand inside each other") as error:
        parse(TEMPLATES + text)
    assert {diagnostic.code for diagnostic in error.value.diagnostics} == {"too-many-patterns"}


def test_all_that_is_put_in_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEMPLATES + P + "rule R where use P(1) as p when p.b in p.a [0 ms, 1 ms]\n"
    text = text.replace("exports a", "exports a, b")
    assert len(parse(text + text.splitlines()[-1].replace("R", "S")).rules) == 2
    monkeypatch.setattr(reuse, "MAX_PUT_IN", 20)
    assert len(parse(text).rules) == 1
    with pytest.raises(ProgramError):
        parse(text + text.splitlines()[-1].replace("R", "S"))


# --- Drawn programs: a rule whose patterns become a named one means what it meant ----------------------------------


@st.composite
def outlined_cases(draw: st.DrawFn) -> tuple[core.Program, core.Program, tuple[TraceItem, ...]]:
    """A program, the same with named patterns, and a trace. Suppression looks at ids, which contain other names."""
    program = draw(programs(ProgramShape(level=2, reuse=False, once=False)))
    named = elaborate(draw(strategy(lambda choices: outlined(choices, program.source))))
    return program, named, draw(traces(program))


def unnamed(outcome: Outcome) -> set[str]:
    """The matches, without the names of uses."""
    return {re.sub(r"\bu[0-9]+\.", "", match.to_json()) for match in outcome.matches}


@settings(max_examples=60)
@given(outlined_cases(), schedules())
def test_a_named_pattern_changes_nothing_but_names(
    case: tuple[core.Program, core.Program, tuple[TraceItem, ...]], schedule: Schedule
) -> None:
    program, named, trace = case
    expected = unnamed(api.execute(program, trace, model="algebra"))
    for model in ("algebra", "indexed", "sound"):
        outcome = api.execute(named, trace, model=model, schedule=schedule if model == "sound" else None)
        assert unnamed(outcome) == expected, model
    assert parse(print_program(named.source)) == named
    assert program_from_json(program_to_json(named)) == named


def test_what_is_drawn() -> None:
    drawn = [drawn_program(seeded(number), ProgramShape(level=2)) for number in range(100)]
    patterns = [item for program in drawn for item in program.source.declarations if isinstance(item, ast.NamedPattern)]
    assert len(patterns) > 50
    for some in (
        [item for item in patterns if item.parameters],
        [item for item in patterns if item.body.uses],
        [item for item in patterns if any("." in export.name for export in item.exports)],
        [item for item in patterns if item.body.having],
        [item for item in patterns if any(use.arguments for use in item.body.uses)],
    ):
        assert len(some) > 5
    assert not [
        item
        for number in range(100)
        for item in drawn_program(seeded(number), ProgramShape(level=2, reuse=False)).source.declarations
        if isinstance(item, ast.NamedPattern)
    ]


def test_the_smallest_use_is_of_a_pattern_of_one_event() -> None:
    def used(program: core.Program) -> bool:
        return any(isinstance(item, ast.NamedPattern) for item in program.source.declarations)

    search = settings(max_examples=2000, deadline=None, database=None, derandomize=True)
    smallest = find(programs(ProgramShape(level=2)), used, settings=search)
    (pattern,) = (item for item in smallest.source.declarations if isinstance(item, ast.NamedPattern))
    assert print_program(ast.SourceProgram((pattern,))) == "pattern P0 where\n    v0 : A,\nend\n"
    assert [rule.name for rule in smallest.rules] == ["R0"]
