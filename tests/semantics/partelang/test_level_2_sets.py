"""Sets of level 2: what aggregates come to, when matches are reported, and how large set-nodes grow."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.expressions import Valuation, value_of
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import run as replay
from parte.checker.partelang.bounds.replay import schedules, skeleton, worst_arrivals
from parte.conformance.partelang.strategies import ProgramShape, cases, programs
from parte.semantics.events.event import NEGATIVE_INFINITY, Arrival, Event, TraceItem, Value
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.execution import execute, sources_of
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.summaries import is_upward
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.source.diagnostics import ProgramError, Severity

HEAD = """level 2
template A { k : Integer, x : Float, s : String, b : Boolean, l : [Integer; 3] }
template Out { k : Integer, x : Float, s : String, b : Boolean }
"""


def outcomes(text: str, events: Sequence[Event]) -> list[Outcome]:
    program, events = parse(HEAD + text), sorted(events, key=lambda item: item.timestamp)
    return [
        run(program, events),
        run(program, events, evaluator="indexed"),
        execute(Scenario.of(program, events)),
        execute(Scenario.of(program, events), recorder=lambda _: None),
        duckdb.run(program, events),
    ]


def a(number: int, timestamp: int, k: int = 0, x: float = 0.0, s: str = "", b: bool = False) -> Event:
    return Event(f"a{number}", "A", timestamp, {"k": k, "x": x, "s": s, "b": b, "l": ()})


# --- Aggregates (specification: aggregate-values) ---------------------------------------------------------------------

HUGE, TINY = 1.7e308, 5e-324
OF_NUMBERS: list[tuple[str, list[float], float | None]] = [
    ("sum", [], 0.0),
    ("sum", [0.1] * 10, 1.0),
    ("sum", [HUGE, HUGE, -HUGE, -HUGE, 1.5], 1.5),
    ("sum", [HUGE, HUGE], None),
    ("sum", [1e16, 1.0, -1e16, TINY, TINY], 1.0),
    ("avg", [], None),
    ("avg", [HUGE, HUGE], HUGE),
    ("avg", [0.1, 0.1, 0.1], 0.1),
    ("avg", [TINY, 0.0], 0.0),
    ("min", [-0.0, 0.0], 0.0),
    ("max", [], None),
    ("max", [-1.0, -0.0], 0.0),
    ("first", [2.0, 1.0], 2.0),
    ("last", [2.0, 1.0], 1.0),
]


@pytest.mark.parametrize(("aggregate", "values", "expected"), OF_NUMBERS)
def test_aggregates_of_floats(aggregate: str, values: list[float], expected: float | None) -> None:
    events = [a(0, 100), *(a(number, number, x=value) for number, value in enumerate(values, 1))]
    text = f"""rule R where a : A, all v : A when v in a [-99 ms, -1 ms] then
    emit Out at a.timestamp with {{ k = count(v), x = {aggregate}(v.x), s = a.s, b = a.b }}"""
    for outcome in outcomes(text, events):
        anchored = [match for match in outcome.matches if dict(match.bindings)["a"] == "a0"]
        emitted = [(event.attributes["k"], event.attributes["x"]) for match in anchored for event in match.emits]
        assert emitted == ([] if expected is None else [(len(values), expected)])
        assert all(str(x) != "-0.0" for _, x in emitted)


OF_OTHERS: list[tuple[str, str, Value | None]] = [
    ("k", "sum(v.k)", None),
    ("k", "max(v.k)", 2**63 - 1),
    ("k", "count(distinct v.s)", 2),
    ("k", "count(distinct v.x)", 1),
    ("k", "count(v.b)", 3),
    ("k", "min(v.timestamp)", 5),
    ("k", "max(v.timestamp) - min(v.timestamp)", 2),
    ("x", "avg(v.k)", float(2**64 - 1) / 3),
    ("s", "min(v.s)", "a"),
    ("s", "max(v.s)", "b"),
    ("s", "first(v.s)", "a"),
    ("s", "last(v.s)", "b"),
    ("b", "first(v.b)", False),
    ("b", "last(v.b)", True),
]


@pytest.mark.parametrize(("attribute", "expression", "expected"), OF_OTHERS)
def test_aggregates_of_other_values(attribute: str, expression: str, expected: Value | None) -> None:
    """Two events at one time have different values: the least is the first, the greatest the last."""
    events = [
        a(0, 100),
        a(1, 5, 2**63 - 1, -0.0, "b", True),
        a(2, 5, 2**63 - 1, 0.0, "a", False),
        a(3, 7, 1, 0.0, "b", True),
    ]
    values = {"k": "a.k", "x": "a.x", "s": "a.s", "b": "a.b", attribute: expression}
    text = f"""rule R where a : A {{ k = 0 }}, all v : A when v in a [-99 ms, -1 ms] then
    emit Out at a.timestamp with {{ {", ".join(f"{name} = {value}" for name, value in values.items())} }}"""
    for outcome in outcomes(text, events):
        emitted = [event.attributes[attribute] for match in outcome.matches for event in match.emits]
        assert emitted == ([] if expected is None else [expected])
        assert len(outcome.failures) == (expected is None)


def test_no_is_a_set_of_none() -> None:
    events = [a(number, time, k) for number, (time, k) in enumerate([(0, 1), (3, 0), (4, 1), (9, 1), (12, 0)])]
    patterns = "where a : A { k = 1 }, {} v : A { k = 0 } when {} v in a [0 ms, 4 ms]"
    absent, empty = (
        [[match.bindings for match in outcome.matches] for outcome in outcomes(text, events)]
        for text in (
            f"rule R {patterns.replace('{}', 'no')}".replace("where a : A no", "where a : A"),
            f"rule R {patterns.replace('{} v : A', 'all v : A').replace('{} v in', 'v in')} having count(v) = 0",
        )
    )
    assert absent == empty
    assert absent[0]


def test_an_emission_at_a_time_of_a_set_that_is_empty_fails() -> None:
    text = """rule R where a : A, all v : A when v in a [1 ms, 2 ms] then
    emit Out at max(a.timestamp, min(v.timestamp)) with { k = 1, x = a.x, s = a.s, b = a.b }"""
    for outcome in outcomes(text, [a(1, 0), a(2, 2)]):
        assert [event.timestamp for match in outcome.matches for event in match.emits] == [2]
        assert [failure.bindings for failure in outcome.failures] == [(("a", "a2"),)]


# --- Moments (specification: moments) ---------------------------------------------------------------------------------

ONE_STRATUM = ProgramShape(level=2, strata=1, rules=1, patterns=3, emissions=False, either=False)


@settings(max_examples=80)
@given(cases(ONE_STRATUM))
def test_a_match_is_reported_at_the_first_moment(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    program, items = case
    (rule,) = program.rules
    arrivals = Scenario.of(program, items).arrivals
    truth = {match.bindings for match in run(program, items).matches}
    machine = Machine(compile_program(program, {}, sources_of(arrivals)))
    early = 0
    for number, arrival in enumerate(arrivals, 1):
        RoundRobin().drive(machine, (arrival,))
        reported = {match.bindings for match in machine.matches}
        ready = {bindings for bindings in truth if _is_ready(rule, bindings, arrivals[:number], arrivals)}
        assert reported == ready
        early += number < len(arrivals) and bool(ready)
    event(f"sets: {len(rule.collected)}, early: {bool(early)}")


def _is_ready(
    rule: core.Rule,
    bindings: Sequence[tuple[str, str]],
    arrived: Sequence[Arrival],
    arrivals: Sequence[Arrival],
) -> bool:
    """Whether a match must be reported when some arrivals are there, by the clause, word for word."""
    events = {arrival.event.id: arrival.event for arrival in arrived if arrival.event is not None}
    if any(identity not in events for _, identity in bindings):
        return False
    bound = {variable: events[identity] for variable, identity in bindings}
    promises: dict[str, dict[str, int]] = {}
    for arrival in arrivals:
        promises.setdefault(arrival.template, {})[arrival.source] = NEGATIVE_INFINITY
    for arrival in arrived:
        promises[arrival.template][arrival.source] = arrival.bound
    for pattern in rule.patterns:
        if pattern.positive or (pattern.collected and is_upward(rule, pattern.variable)):
            continue
        windows = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
        opens = max(bound[c.reference].timestamp + c.begins for c in windows)
        closes = min(bound[c.reference].timestamp + c.upper for c in windows)
        promise = min(promises.get(pattern.template, {}).values(), default=closes + 1)
        if opens <= closes and not closes < promise:
            return False
    there = _with_sets(rule, bound, list(events.values()))
    return all(value_of(condition, there, {}) is True for condition in rule.having)


def _with_sets(rule: core.Rule, bound: dict[str, Event], events: Sequence[Event]) -> Valuation:
    from parte.algebra.partelang.aggregates import in_place_of_event

    there = dict(bound)
    for pattern in rule.collected:
        windows = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
        there[pattern.variable] = in_place_of_event(
            frozenset(
                item
                for item in events
                if item.template == pattern.template
                and all(c.begins <= item.timestamp - bound[c.reference].timestamp <= c.upper for c in windows)
                and all(value_of(c, {**bound, pattern.variable: item}, {}) is True for c in pattern.conditions)
            )
        )
    return there


@pytest.mark.parametrize(
    ("having", "upward"),
    [
        ("count(v) >= 2", True),
        ("2 < count(v)", True),
        ("exists(v) and (max(v.k) > a.k or 3 >= min(v.x))", True),
        ("count(distinct v.s) > 1, a.k = 1", True),
        ("count(v) >= 2.5", True),
        ("count(v) = 2", False),
        ("count(v) < 2", False),
        ("not exists(v)", False),
        ("sum(v.k) > 1", False),
        ("min(v.k) >= 1", False),
        ("count(v) > count(distinct v.s)", False),
        ("exists(v) or exists(w)", False),
        ("count(v) + 1 > 2", False),
    ],
)
def test_upward_sets(having: str, upward: bool) -> None:
    windows = "when v in a [0 ms, 9 ms], w in a [0 ms, 9 ms]"
    program = parse(f"{HEAD}rule R where a : A, all v : A, all w : A {windows} having {having}")
    assert is_upward(program.rules[0], "v") is upward


def test_a_set_that_an_emission_mentions_is_not_upward() -> None:
    text = "rule R where a : A, all v : A when v in a [0 ms, 9 ms] having exists(v) then emit Out at a.timestamp with"
    for k, upward in (("a.k", True), ("count(v)", False)):
        program = parse(f"{HEAD}{text} {{ k = {k}, x = a.x, s = a.s, b = a.b }}")
        assert is_upward(program.rules[0], "v") is upward


# --- Sizes (specification: size-viable) -------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    programs(ProgramShape(level=2, patterns=3, rules=2, conditions=False, least_distance=-4, greatest_distance=4)),
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.integers(1, 2), st.integers(1, 3)), min_size=3, unique_by=lambda e: e[0]
    ),
    st.sampled_from((0, 0, 1, 3)),
    st.integers(0, 3),
)
def test_a_machine_with_the_sizes_that_are_computed_never_blocks(
    program: core.Program, sent: list[tuple[str, int, int]], late: int, seed: int
) -> None:
    emits = tuple(Emits(template, Rate(events, period)) for template, events, period in sent)
    deployment = Deployment((Source("s", emits, late),), (), steps_per_second=1000)
    try:
        report = bounds(program, deployment, timeout=1.5)
    except NotComputed:
        return
    if not report.bounded or any((size.viable or 0) > 60 for size in report.sizes):
        return
    bare = skeleton(program)
    arrivals = worst_arrivals(bare, deployment, seed, 4, together=not report.any_schedule)
    expected = replay(bare, deployment, arrivals, UNBOUNDED, RoundRobin()).matches
    event(f"sets: {any(rule.collected for rule in program.rules)}")
    for schedule in schedules(seed) if report.any_schedule else (RoundRobin(),):
        outcome = replay(bare, deployment, arrivals, report.capacities(), schedule)
        assert outcome.blocked is None
        assert outcome.matches == expected


# --- Errors -----------------------------------------------------------------------------------------------------------

WHEN = "when v in a [0 ms, 1 ms]"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rule R where a : A, all v : A", "unbounded-set"),
        ("rule R where all v : A, a : A when v in a [0 ms, 1 ms]", "first-pattern-set"),
        (f"rule R where a : A, all v : A, b : A {{ k = v.k }} {WHEN}, b in a [0 ms, 1 ms]", "set-reference"),
        (f"rule R where a : A, all v : A, b : A {WHEN}, b in a [0 ms, 1 ms], b in v [0 ms, 1 ms]", "set-reference"),
        ("rule R where a : A, all v : A when no v in a [0 ms, 1 ms]", "negation-mismatch"),
        (f"rule R where a : A, all v : A {WHEN} having v.k = 1", "set-reference"),
        (f"rule R where a : A, all v : A {WHEN} having cuont(v) = 1", "unknown-function"),
        (f"rule R where a : A, all v : A {WHEN} having k = 1", "bare-attribute"),
        (f"rule R where a : A, all v : A {WHEN} having count(a) = 1", "not-a-set"),
        (f"rule R where a : A, all v : A {WHEN} having sum(v) = 1", "not-a-set"),
        (f"rule R where a : A, all v : A {WHEN} having count(distinct a.k) = 1", "not-a-set"),
        (f"rule R where a : A, all v : A {WHEN} having sum(v.s) = a.s", "invalid-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having min(v.b) = a.b", "invalid-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having count(v.l) = 1", "invalid-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having sum(distinct v.k) = 1", "invalid-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having count(v.timestamp) = 1", "invalid-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having count(v.z) = 1", "unknown-attribute"),
        (f"rule R where a : A, all v : A {WHEN} having count(v)", "not-a-condition"),
        (f"rule R where a : A, all v : A {WHEN} having a.timestamp = 1", "type-mismatch"),
        (f"rule R where a : A {{ count(a) = 1 }}, all v : A {WHEN}", "misplaced-aggregate"),
        (f"rule R where a : A, all v : A {{ exists(v) }} {WHEN}", "misplaced-aggregate"),
        (f"rule R where a : A, all v : A {WHEN} having = 1", "syntax-error"),
        (f"rule R where a : A, all v : A having exists(v) {WHEN}", "syntax-error"),
        ("predicate count(Integer) rule R where a : A", "duplicate-name"),
    ],
)
def test_errors_about_sets_have_one_message(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(HEAD + text)
    assert [diagnostic.code for diagnostic in error.value.diagnostics if diagnostic.severity is Severity.ERROR] == [
        code
    ]


def test_a_set_that_is_always_empty_is_a_warning() -> None:
    program = parse(
        f"{HEAD}rule R where a : A, b : A, all v : A when b in a [5 ms, 5 ms], v in a [0 ms, 1 ms], v in b [0 ms, 1 ms]"
    )
    assert [warning.code for warning in program.warnings] == ["unused-template", "empty-set", "unused-set"]


@pytest.mark.parametrize(
    ("rest", "unused"),
    [
        ("", ["v", "w"]),
        ("having count(v) >= 2", ["w"]),
        ("having 1 = 1 or exists(w)", ["v"]),
        ("then emit D at max(v.timestamp) with { k = count(w) }", []),
        ("then emit D at a.timestamp with { k = sum(v.k) }", ["w"]),
    ],
)
def test_a_set_that_nothing_reads_is_a_warning(rest: str, unused: list[str]) -> None:
    rule = f"template D {{ k : Integer }} rule R where a : A, all v : A, all w : A {WHEN}, w in a [0 ms, 1 ms] {rest}"
    warnings = [warning for warning in parse(HEAD + rule).warnings if warning.code == "unused-set"]
    assert [warning.message for warning in warnings] == [
        f"nothing reads the set `{name}`: `R` matches without such events too" for name in unused
    ]
    assert all(f"having count({name})" in warning.hint for name, warning in zip(unused, warnings, strict=True))


def test_conditions_of_having_on_no_set_are_conditions_of_the_last_pattern_that_they_mention() -> None:
    windows = "when b in a [0 ms, 1 ms], v in a [0 ms, 1 ms]"
    program = parse(f"{HEAD}rule R where a : A, b : A, all v : A {windows} having a.k = 1 and b.k = a.k, exists(v)")
    (rule,) = program.rules
    assert [len(pattern.conditions) for pattern in rule.patterns] == [1, 1, 0]
    assert len(rule.having) == 1
