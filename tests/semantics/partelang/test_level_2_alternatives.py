"""Alternatives of level 2: all evaluators agree with the union over programs that each have one of the alternatives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hypothesis import event, given, settings

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.checker.partelang.check import check
from parte.checker.partelang.relations import rewrite_preserves, subsumed
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules
from parte.conformance.partelang.why import why
from parte.drawing.dot import draw_dot
from parte.drawing.svg import draw_svg
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import ast, core, parse
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program

Case = tuple[core.Program, tuple[TraceItem, ...]]
SHAPE = ProgramShape(level=2, patterns=3, rules=2)


def printed(outcome: Outcome) -> tuple[list[str], list[str], list[tuple[dict[str, object], str]]]:
    return (
        [match.to_json() for match in outcome.matches],
        [str(failure) for failure in outcome.failures],
        [(suppressed.record(), suppressed.event) for suppressed in outcome.suppressed],
    )


# --- The meaning, alternative by alternative (specification: alternatives) --------------------------------------------


def chosen(program: ast.SourceProgram) -> Iterator[ast.SourceProgram]:
    """The programs of one rule that have one alternative each, for all choices; those of one template stay apart."""
    (rule,) = (item for item in program.declarations if isinstance(item, ast.Rule))
    for choice in product(*(pattern.choices for pattern in rule.patterns)):
        patterns = tuple(
            replace(pattern, template=alternative.template, conditions=alternative.conditions, alternatives=())
            for pattern, alternative in zip(rule.patterns, choice, strict=True)
        )
        others = tuple(item for item in program.declarations if item is not rule)
        yield replace(program, declarations=(*others, replace(rule, patterns=patterns)))


@settings(max_examples=100, deadline=None)
@given(cases(ProgramShape(level=2, patterns=4, rules=1, strata=1, once=False)))
def test_the_matches_are_those_of_the_alternatives(case: Case) -> None:
    program, items = case
    texts = list(chosen(program.source))
    event(f"alternatives: {len(texts) > 1}")
    outcomes = [printed(run(elaborate(text), items)) for text in texts]
    matches, failures, _ = printed(run(program, items))
    assert matches == sorted({line for outcome in outcomes for line in outcome[0]})
    assert sorted(failures) == sorted({line for outcome in outcomes for line in outcome[1]})


# --- Evaluators, machine and schedules --------------------------------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(cases(SHAPE), schedules())
def test_evaluators_and_machine_agree(case: Case, schedule: Schedule) -> None:
    program, items = case
    event(f"cases: {max(len(rules) for rules in core.cases_of(program.rules))}")
    expected = printed(run(program, items))
    assert printed(run(program, items, evaluator="indexed")) == expected
    assert printed(duckdb.run(program, items)) == expected
    scenario = Scenario.of(program, items)
    assert printed(execute(scenario)) == expected
    assert printed(execute(scenario, schedule=schedule)) == expected


# --- The texts and the tree -------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(programs(SHAPE))
def test_layout_and_json(program: core.Program) -> None:
    assert parse(print_program(program.source)) == program
    tree = program_to_json(program)
    assert program_from_json(json.loads(json.dumps(tree))) == program


# --- Tools ------------------------------------------------------------------------------------------------------------

TEXT = """level 2
template A { k : Integer, x : Integer }
template B { k : Integer? }
template D { k : Integer? }
rule R where
    either v : A { x > 1 } or v : B { k = 2 } or v : A { x > 3, k > 0 },
    b : B { k = v.k, k = 2 }
when b in v [0 ms, 5 ms]
then emit D at v.timestamp with { k = v.k } once in 3 ms
rule S where d : D { 1 = 1 }
"""


def test_advice_is_true_of_all_cases() -> None:
    """In the case of B `k = 2` follows from the other conditions, in that of A it does not."""
    report = check(TEXT, timeout=5)
    assert [(finding.code, finding.rule) for finding in report.findings] == [
        ("covered-alternative", "R[A]"),
        ("implied-condition", "S"),
    ]
    covered = report.findings[0].span.start
    assert (covered.line, covered.column) == (6, 54)


def test_nodes_have_the_names_of_cases() -> None:
    program = parse(TEXT)
    network = compile_program(program, {}, {"A": ("s",), "B": ("s",)})
    names = [node.name for node in network.nodes]
    assert {"join:R[A].b", "join:R[B].b", "merge:R#1", "production:R#1"} <= set(names)
    assert "R[A]" in draw_dot(program, network)
    assert "Network of R, S" in draw_svg(program, network)


def test_why_names_the_case() -> None:
    event_of_b = Event("b1", "B", 0, {"k": 2}, "s")
    text = why(Scenario.of(parse(TEXT), [event_of_b]), "R", {"v": "b1", "b": "b1"}).render()
    assert text.startswith("R[B](v=b1, b=b1): 1 match")


def test_relations_are_those_of_the_cases() -> None:
    program = parse(TEXT + "rule Wide where either v : A or v : B, b : B { k = v.k } when b in v [0 ms, 5 ms]\n")
    assert subsumed(program, "R", "Wide", timeout=5).verdict is Verdict.PROVED
    assert subsumed(program, "Wide", "R", timeout=5).verdict is Verdict.REFUTED


def test_variables_of_all_cases_correspond_in_one_way() -> None:
    """By name, though the templates of some cases fit by position too."""
    text = "level 2\ntemplate A { k : Integer }\ntemplate B { k : Integer }\n"
    text += "rule R where either u : A or u : B, either v : A or v : B when v in u [1 ms, 5 ms]\n"
    text += "rule Q where either v : A or v : B, either u : A or u : B when v in u [1 ms, 5 ms]\n"
    text += "rule P where either x : A or x : B, either y : A or y : B when y in x [1 ms, 5 ms]\n"
    program = parse(text)
    for narrow, wide in (("R", "Q"), ("Q", "R"), ("R", "P"), ("P", "R")):
        assert subsumed(program, narrow, wide, timeout=5).verdict is Verdict.PROVED
    assert subsumed(program, "Q", "P", timeout=5).verdict is Verdict.REFUTED


def test_a_rewrite_preserves_all_cases() -> None:
    """The shorter window loses matches of the second alternative only."""
    text = "level 2\ntemplate A { k : Integer }\ntemplate B { k : Integer }\nrule R where c : A,\n"
    text += "either v : A { v.timestamp - c.timestamp < 2 ms } or v : B when v in c [0 ms, 5 ms]\n"
    program = parse(text)
    (window,) = program.rule("R").constraints
    assert rewrite_preserves(program, "R", (window,), timeout=5).verdict is Verdict.PROVED
    assert rewrite_preserves(program, "R", (replace(window, upper=1),), timeout=5).verdict is Verdict.REFUTED
