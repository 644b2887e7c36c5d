"""Optional attributes of level 2 and `is present`, `is missing`: all evaluators agree, and every reader reads null."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event as seen
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.algebra.partelang.relational.logs import run_log
from parte.algebra.partelang.relational.parquet import load_log, write_log
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event, TraceItem
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure, Outcome, in_order
from parte.semantics.events.promises import Promises
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.events.trace import read_trace, trace_lines
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import ast, core, parse
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.spark_adapter.partitioning import groups_of, router_of
from parte.spark_adapter.stream.keyed import KeyedMachine
from parte.spark_adapter.stream.state import event_of, event_record
from tests.spark_adapter.stream.drawn import batches_of
from tests.spark_adapter.stream.test_bucket import Simulation

SHAPE = ProgramShape(level=2)
Case = tuple[core.Program, tuple[TraceItem, ...]]


def printed(outcome: Outcome) -> tuple[list[str], list[str]]:
    return [match.to_json() for match in outcome.matches], [str(failure) for failure in outcome.failures]


def outcomes(program: core.Program, items: tuple[TraceItem, ...], schedule: Schedule | None = None) -> list[Any]:
    """The outcome by the definition, by indexes, by the machine and by DuckDB."""
    scenario = Scenario.of(program, items)
    return [
        printed(run(program, items)),
        printed(run(program, items, evaluator="indexed")),
        printed(execute(scenario) if schedule is None else execute(scenario, schedule=schedule)),
        printed(duckdb.run(program, items)),
    ]


def with_nulls(item: TraceItem, program: core.Program, data: st.DataObject) -> TraceItem:
    """The event with null in place of some of the attributes that it lacks."""
    if not isinstance(item, Event):
        return item
    lacking = [slot.name for slot in program.template(item.template).attributes if slot.name not in item.attributes]
    named: dict[str, Any] = {name: None for name in lacking if data.draw(st.booleans())}
    return replace(item, attributes=named | dict(item.attributes))


@settings(max_examples=60)
@given(cases(SHAPE), schedules(), st.data())
def test_all_evaluators_agree_whether_null_or_nothing_is_there(
    case: Case, schedule: Schedule, data: st.DataObject
) -> None:
    program, items = case
    lines = list(trace_lines(with_nulls(item, program, data) for item in items))
    read = conform(program, read_trace(lines, nulls=True))
    assert read == items
    first, *others = outcomes(program, read, schedule)
    lacking = any(len(item.attributes) < 4 for item in items if isinstance(item, Event))
    seen(f"matches: {bool(first[0])}, events lack attributes: {lacking}")
    assert others == [first] * 3
    assert "null" not in "".join(first[0])
    arriving = Arriving(program, Promises(set(), 10**6))
    assert [arrival.event for arrival in arriving.more(lines) if arrival.event is not None] == [
        item for item in items if isinstance(item, Event)
    ]


@settings(max_examples=60)
@given(cases(SHAPE))
def test_logs_have_null_where_an_attribute_is_missing(case: Case) -> None:
    program, items = case
    events = tuple(item for item in items if isinstance(item, Event))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        write_log(program, events, path)
        assert conform(program, load_log(program, path)) == tuple(replace(event) for event in events)
        assert printed(run_log(program, path)) == printed(run(program, events))


@given(cases(SHAPE))
def test_the_state_of_a_stream_keeps_events_as_they_are(case: Case) -> None:
    for item in case[1]:
        if isinstance(item, Event):
            assert event_of(json.loads(json.dumps(event_record(item)))) == item


# --- Keys: what is missing is none -----------------------------------------------------------------------------------


@st.composite
def keyed_cases(draw: st.DrawFn, sets: bool = True) -> Case:
    """Programs in which later patterns equate an attribute with one of the first, and dense traces that lack some.

    Without `sets` there is no `once` and no `-ever` either: the queries of a stream reject all three.
    """
    program = draw(programs(ProgramShape(rules=2, level=2, sets=sets, once=sets, ever=sets, reuse=False)))
    condition_on = draw(st.sampled_from("kxsb"))
    declarations = [
        _with_equalities(item, condition_on) if isinstance(item, ast.Rule) else item
        for item in program.source.declarations
    ]
    program = elaborate(ast.SourceProgram(tuple(declarations), 2))
    optional = {t.name: {slot.name for slot in t.attributes if slot.optional} for t in program.templates}
    rows = draw(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 8), st.integers(0, 1)), max_size=10))
    events = []
    for number, (template, timestamp, k) in enumerate(rows):
        whole: dict[str, Any] = {"k": k, "x": float(k), "s": "", "b": k == 1}
        lacking = {name for name in sorted(optional[template]) if draw(st.booleans())}
        attributes = {name: value for name, value in whole.items() if name not in lacking}
        events.append(Event(f"e{number}", template, timestamp, attributes))
    return program, tuple(sorted(events, key=lambda item: item.timestamp))


def _with_equalities(rule: ast.Rule, on: str) -> ast.Rule:
    first, *others = rule.patterns
    condition = ast.Binary(ast.BinaryOperator.EQUAL, ast.Reference(None, on), ast.Reference(first.variable, on))
    later = (replace(p, conditions=(*p.conditions, condition)) for p in others)
    return replace(rule, patterns=(first, *later))


@settings(max_examples=60)
@given(keyed_cases())
def test_joins_on_keys_that_are_missing(case: Case) -> None:
    first, *others = outcomes(*case)
    seen(f"matches: {bool(first[0])}")
    assert others == [first] * 3


@settings(max_examples=60)
@given(keyed_cases(sets=False))
def test_a_run_in_parts_is_the_run_of_the_whole(case: Case) -> None:
    program, events = case
    matches: list[Match] = []
    for group in groups_of(program):
        seen(f"keyed: {group.keyed}")
        route, machine = router_of(group, {}), KeyedMachine(group, {})
        parts: dict[str, list[Event]] = {}
        for item in events:
            assert isinstance(item, Event)
            for key in route(item):
                parts.setdefault(key, []).append(item)
        for key, own in parts.items():
            before = machine.run(key, None, own, NEGATIVE_INFINITY)
            matches += [*before.matches, *machine.run(key, before.state, (), POSITIVE_INFINITY).matches]
    assert canonical(matches) == list(run(program, events).matches)


@settings(max_examples=60, deadline=None)
@given(keyed_cases(sets=False), st.integers(1, 2))
def test_buckets_of_a_stream(case: Case, count: int) -> None:
    program, events = case
    simulation = Simulation(program, count)
    for some, promise in batches_of([item for item in events if isinstance(item, Event)]):
        simulation.batch(some, promise)
    simulation.close()
    expected = run(program, events)
    assert canonical(simulation.matches) == list(expected.matches)
    assert in_order(simulation.failures) == tuple(expected.failures)


# --- Truth -----------------------------------------------------------------------------------------------------------

HEAD = "level 2\ntemplate A { k : Integer, m : Integer?, s : String?, b : Boolean?, x : Float? }\n"
FULL = {"k": 1, "m": 1, "s": "a", "b": True, "x": 1.0}


def truth(condition: str, **attributes: Any) -> bool | None:
    """The truth of a condition on an event, by every evaluator."""
    items = (Event("a", "A", 0, {"k": 1, **attributes}),)
    results = []
    for text in (condition, f"not ({condition})"):
        program = parse(f"{HEAD}rule R where a : A {{ {text} }}\n")
        counts = {len(outcome[0]) for outcome in outcomes(program, items)}
        assert len(counts) == 1, text
        results.append(bool(counts.pop()))
    return True if results[0] else False if results[1] else None


@pytest.mark.parametrize(
    ("condition", "full", "empty"),
    [
        ("m is present", True, False),
        ("m is missing", False, True),
        ("k is present", True, True),
        ("k is missing", False, False),
        ("m = 1", True, None),
        ("m != 1", False, None),
        ("m = m", True, None),
        ("m = 1 or k = 1", True, True),
        ("m = 1 and k = 2", False, False),
        ("m = 1 and k = 1", True, None),
        ("m in (2, k)", True, None),
        ("k in (m, 1)", True, True),
        ("k in (m, 2)", True, None),
        ("m + 9223372036854775807 is missing", True, True),
        ("k + 9223372036854775807 is missing", True, True),
        ("x / 0.0 is missing", True, True),
        ("x * 1e308 * 10.0 is present", False, False),
        ("-x is present", True, False),
        ("min(m, k) is present", True, False),
        ("m + k is present", True, False),
        ("m * 1.0 is present", True, False),
        ("(m = 2) is present", True, False),
        ("(m = 1 or k = 1) is present", True, True),
        ("(not b = true) is missing", False, True),
        ("(m is missing) = b", False, None),
        ("(m is missing) is missing", False, False),
        ("m is missing or m = 1", True, True),
        ("not m is missing", True, False),
        ("s is missing = (x is missing)", True, True),
        ('starts_with(s, "a")', True, None),
        ('like(s, "?")', True, None),
        ("length(s) is missing", False, True),
    ],
)
def test_the_truth_of_presence(condition: str, full: bool | None, empty: bool | None) -> None:
    if condition.startswith("s is missing ="):  # comparisons do not associate
        condition = condition.replace("s is missing", "(s is missing)")
    assert truth(condition, **FULL) is full
    assert truth(condition) is empty


PREDICATE = "level 2\ntemplate A { s : String? }\npredicate p(String)\nrule R where a : A { %s }\n"


@pytest.mark.parametrize(("text", "member"), list(product(["p(s)", "not p(s)", "p(s) is missing"], [True, False])))
def test_a_predicate_of_what_is_missing_has_no_value(text: str, member: bool) -> None:
    program = parse(PREDICATE % text)
    items = (Event("a", "A", 0, {}), Event("b", "A", 0, {"s": "x"}))
    for domain in ({"p": lambda _: member}, _table(member, "x"), _table(not member, "y")):
        expected = ["a"] if "missing" in text else ["b"] if member is not text.startswith("not") else []
        for outcome in (
            run(program, items, domain),
            run(program, items, domain, evaluator="indexed"),
            execute(Scenario.of(program, items, domain)),
            duckdb.run(program, items, domain),
        ):
            assert [match.bindings[0][1] for match in outcome.matches] == expected


def _table(member_means: bool, value: str) -> dict[str, Any]:
    from parte.semantics.events.domain import DomainTable

    return {"p": DomainTable(frozenset({(value,)}), member_means)}


# --- Negation and emissions -------------------------------------------------------------------------------------------


def test_an_event_that_lacks_a_key_fills_no_negated_pattern() -> None:
    program = parse("""level 2
        template A { k : Integer? } template B { k : Integer? }
        rule R where a : A, no b : B { k = a.k } when no b in a [0 ms, 5 ms]
        rule S where a : A, no b : B { k is missing } when no b in a [0 ms, 5 ms]
    """)
    items = (Event("a", "A", 0, {}), Event("b", "A", 0, {"k": 1}), Event("c", "B", 1, {}), Event("d", "B", 1, {"k": 1}))
    first, *others = outcomes(program, items)
    assert first[0] == ['{"rule":"R","bindings":{"a":"a"},"emits":[]}']
    assert others == [first] * 3


def test_emissions_leave_out_what_has_no_value() -> None:
    program = parse("""level 2
        template A { k : Integer? }
        template D { j : Integer?, k : Integer?, l : Integer, m : Integer? }
        template E { l : Integer }
        rule R where a : A then
            emit D at a.timestamp with { m = a.k + 9223372036854775807, l = 7, k = a.k }
            emit D at a.timestamp + 1 ms with { l = a.k }
        rule S where d : D { j is missing } then emit E at d.timestamp with { l = d.k }
    """)
    items = (Event("a", "A", 0, {"k": 1}), Event("b", "A", 0, {}))
    for outcome in (
        run(program, items),
        run(program, items, evaluator="indexed"),
        execute(Scenario.of(program, items)),
        duckdb.run(program, items),
    ):
        emitted = {event.id: dict(event.attributes) for match in outcome.matches for event in match.emits}
        assert emitted == {
            "R#1(a=a)": {"k": 1, "l": 7},
            "R#2(a=a)": {"l": 1},
            "R#1(a=b)": {"l": 7},
            "S(d=R#1(a=a))": {"l": 1},
        }
        assert list(emitted["R#1(a=a)"]) == ["k", "l"]  # in the order of the template
        assert [(failure.rule, failure.position) for failure in outcome.failures] == [("R", 2), ("S", 1), ("S", 1)]
    failures: tuple[EmissionFailure, ...] = run(program, items).failures
    assert {failure.without_value for failure in failures} == {("l",)}
    assert duckdb.run(program, items).failures == failures
