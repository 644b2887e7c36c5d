"""Windows without beginning of level 2: all evaluators agree, and one summary for each key stands for the past."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import event, given, settings

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.checker.environment.deployment import read_deployment
from parte.checker.partelang.bounds.bounds import bounds
from parte.conformance.partelang.strategies import ProgramShape, cases, schedules
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.schedules import Schedule, entering
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.constructs import LEVEL_1, Construct, undeclared
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.partelang.syntax.source_form import source_of
from parte.semantics.source.diagnostics import ProgramError, Severity
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.stream.job import job_of

HEAD = """level 2
template A { k : Integer, x : Float? }
template B { k : Integer, x : Float? }
template Out { k : Integer, x : Float?, n : Integer }
"""
PAST = """rule R where a : A, no n : A { k = a.k }, all v : B { k = a.k }
when no n in a [-ever, -1 ms], v in a [-ever, 5 ms]
"""


def printed(outcome: Outcome) -> tuple[list[str], list[str], list[str]]:
    matches = [match.to_json() for match in outcome.matches]
    return matches, sorted(map(str, outcome.failures)), sorted(map(str, outcome.suppressed))


SHAPE = ProgramShape(level=2, rules=2, patterns=3, reuse=False)
"""Without named patterns: no text declares the variables that those get."""


@settings(max_examples=40)
@given(cases(SHAPE), schedules())
def test_all_evaluators_agree(case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule) -> None:
    program, items = case
    event(f"-ever: {any(constraint.lower is None for rule in program.rules for constraint in rule.constraints)}")
    truth = printed(run(program, items))
    assert printed(run(program, items, evaluator="indexed")) == truth
    assert printed(execute(Scenario.of(program, items), schedule=schedule)) == truth
    assert printed(duckdb.run(program, items)) == truth
    assert parse(print_program(source_of(program))) == program
    assert program_from_json(program_to_json(program)) == program


# --- One summary for each key (specification: windows-endless) --------------------------------------------------------

FOLDS = (
    "count(v)",
    "sum(v.k)",
    "count(v.x)",
    *(f"{name}(v.x)" for name in ("sum", "avg", "min", "max", "first", "last")),
    *(f"{name}(v.timestamp)" for name in ("min", "max")),
)


def log(length: int, keys: int) -> Iterator[Event]:
    """Yield a long log: many events of B, some without x, and one of A every now and then."""
    for number in range(length):
        attributes = {"k": number % keys} | ({} if number % 5 == 0 else {"x": (number % 13 - 6) / 3})
        yield Event(f"e{number}", "A" if number % 17 == 0 else "B", number, attributes)


def machine_of(program: core.Program) -> Machine:
    return Machine(compile_program(program, {}, {"A": ["default"], "B": ["default"]}))


def test_memory_depends_on_the_keys_and_not_on_the_length_of_the_log() -> None:
    program = parse(HEAD + PAST + "having count(v) >= 0 then emit Out at a.timestamp with { k = a.k, n = count(v) }")
    machine = machine_of(program)
    enter = entering(machine)
    sizes = []
    for number, item in enumerate(log(3000, 7)):
        for template in "AB":
            enter(Arrival("default", template, item.timestamp, item if item.template == template else None))
        if number % 500 == 499:
            datas = [node.data for node in machine.nodes if isinstance(node.data, TwoInputData)]
            sizes.append(sum(len(data.left) + len(data.right) for data in datas))
    # Two nodes with seven keys each, and what came since bounds were sent.
    assert max(sizes) <= 2 * 7 + 2 * 70
    assert len(machine.matches) == 7


@pytest.mark.parametrize("value", FOLDS)
@pytest.mark.parametrize("window", ["[-ever, -1 ms]", "[-ever, 9 ms]", "[-ever, -40 ms]"])
def test_aggregates_of_the_past_are_those_of_its_events(value: str, window: str) -> None:
    slot = "n" if value.startswith("count") or "timestamp" in value or value == "sum(v.k)" else "x"
    given_n = f"n = {value}" if slot == "n" else f"n = 0, x = {value}"
    text = f"rule R where a : A, all v : B {{ k = a.k }} when v in a {window}"
    program = parse(f"{HEAD}{text} then emit Out at a.timestamp with {{ k = a.k, {given_n} }}")
    items = tuple(log(500, 3))
    outcome = execute(Scenario.of(program, items))
    assert printed(outcome) == printed(run(program, items, evaluator="indexed")) == printed(duckdb.run(program, items))
    assert len(outcome.matches) == 30


DEPLOYMENT = """[[source]]
name = "s"
[[source.emits]]
template = "A"
at_most = 1
per = "1 second"
[[source.emits]]
template = "B"
at_most = 1
per = "1 second"
"""


def test_the_sizes_are_one_summary_for_each_key_if_their_number_is_declared() -> None:
    program = parse(HEAD + PAST)
    report = bounds(program, read_deployment(DEPLOYMENT))
    assert not report.bounded
    assert any("declare the cardinality" in size.reason for size in report.sizes)
    declared = "".join(
        f'[[cardinality]]\ntemplate = "{template}"\nattribute = "k"\nat_most = 1\nper = "1 second"\ndistinct = 9\n'
        for template in "AB"
    )
    report = bounds(program, read_deployment(DEPLOYMENT + declared))
    viable = {(size.node, size.store): size.viable for size in report.sizes}
    assert viable["not:R.n", "right"] == 9 + 1
    assert 9 < (viable["set:R.v", "right"] or 0) < 9 + 5


# --- Errors and rejections --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a : A, b : A when b in a [-ever, 0 ms]", "positive-ever"),
        ("a : A, no b : A when no b in a [0 ms, ever]", "never-decided"),
        ("a : A, no b : A when no b in a [-ever, ever]", "never-decided"),
        ("a : A, no b : A when no b in a [-ever, -ever]", "never-decided"),
        ("a : A, no b : A when no b in a [ever, 0 ms]", "never-decided"),
        ("a : A, no b : A { k > a.k } when no b in a [-ever, 0 ms]", "unbounded-without-key"),
        ("a : A, no b : A { k + a.k = 3 } when no b in a [-ever, 0 ms]", "unbounded-without-key"),
        ("a : A, no b : A { a.k = 3 } when no b in a [-ever, 0 ms]", "unbounded-without-key"),
        ("a : A, no b : A { k = 1 or k = a.k } when no b in a [-ever, 0 ms]", "unbounded-without-key"),
        ("a : A, no b : A { b.timestamp = a.timestamp } when no b in a [-ever, 0 ms]", "unbounded-without-key"),
        ("a : A, all b : A when b in a [-ever, 0 ms] having count(distinct b.k) > 1", "unbounded-distinct"),
        (
            "a : A, all b : A when b in a [-ever, 0 ms] then emit Out at max(b.timestamp) with { k = 1, n = 1 }",
            "unbounded-at",
        ),
        ("a : A, no b : A when no b in a [-ever 0 ms]", "syntax-error"),
        ("a : A, first b : A when b in a [-ever, 0 ms]", "positive-ever"),
    ],
)
def test_each_error_has_one_message(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"{HEAD}rule R where {text}")
    assert [diagnostic.code for diagnostic in error.value.diagnostics if diagnostic.severity is Severity.ERROR] == [
        code
    ]


def test_a_window_with_a_beginning_bounds_one_without() -> None:
    rule = "rule R where a : A, no b : A { k > a.k } when"
    program = parse(f"{HEAD}{rule} no b in a [-ever, 0 ms], no b in a [-5 ms, 9 ms]")
    tight = parse(f"{HEAD}{rule} no b in a [-5 ms, 0 ms]")
    nodes = [compile_program(variant, {}, {}).nodes for variant in (program, tight)]
    (first,), (second,) = ([node for node in nodes_of_variant if node.name == "not:R.b"] for nodes_of_variant in nodes)
    assert isinstance(first, TwoInputNode)
    assert isinstance(second, TwoInputNode)
    assert (first.minima, first.past) == (second.minima, second.past) == ((-5,), None)


def test_ever_is_a_word_in_windows_only() -> None:
    head = "level 2 template ever { ever : Integer } rule ever where ever : ever { ever = 1 }, no b : ever when "
    assert parse(head + "no b in ever [-ever, 0 ms]").rules[0].constraints[0].lower is None
    with pytest.raises(ProgramError, match="needs-level-2"):
        parse("template A { } rule R where a : A, no b : A when no b in a [-ever, 0 ms]")


def test_what_has_no_windows_without_beginning_rejects_them() -> None:
    program = parse(HEAD + PAST)
    assert Construct.EVER in {construct for construct, _ in undeclared(program, LEVEL_1)}
    with pytest.raises(Unusable, match="-ever"):
        job_of(program)
    for way in translations():
        if way[0] == "PARTElang" and way[1] != "LEAD":  # whose lists have no beginning either
            with pytest.raises(ProgramError, match="windows without a beginning"):
                translations()[way](Given(HEAD + PAST))
