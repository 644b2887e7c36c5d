"""A staged run, an unbounded one by rules and a watched one, driven alike: after every arrival all have found the same.

A staged run also takes as many steps as the unbounded one by rules, and stores no more than that, and no less than the
watched one. The mutants at the end are faults in the texts that `staging` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import parte
from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.partelang.strategies import ProgramShape, cases
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.experiments.scenarios import SCENARIOS, transfers, uncommon_route
from parte.languages.partelang import PARTELANG
from parte.proofs.mutation import Mutant, applied
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.match import canonical
from parte.semantics.events.outcome import in_order
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang import writing
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.schedules import entering, settle
from parte.semantics.partelang.sharing import shared
from parte.semantics.partelang.staged import DEEPEST, WRITTEN, Staged
from parte.semantics.partelang.streaming import stored
from parte.semantics.partelang.syntax import core, parse

Case = tuple[core.Program, tuple[TraceItem, ...]]
EVEN = {"even": lambda number: number % 2 == 0}
ROUTES = {"uncommon_route": uncommon_route}
LEVEL_2 = ProgramShape(level=2)


def results_of(machine: Machine) -> tuple[object, ...]:
    suppressed = in_order(machine.undecided.suppressed)
    return [match.to_json() for match in canonical(machine.matches)], in_order(machine.failures), suppressed


def started(machine: Machine, patience: int | None) -> Callable[[Arrival], None]:
    if machine.unbounded is not None and patience is not None:
        machine.unbounded.patience = patience
    settle(machine, range(len(machine.queues)))
    return entering(machine)


def reused(scenario: Scenario[core.Program]) -> Network:
    return shared(network_of(scenario, reuse=True))


def compare(scenario: Scenario[core.Program], patience: int | None = None) -> Machine:
    """Drive three machines, of which two run the shared network, and return the staged one."""
    network = reused(scenario)
    staged, quick = Machine(network, staging=True), Machine(network)
    watched = Machine(network_of(scenario), recorder=lambda _: None)
    enter = [started(machine, patience) for machine in (staged, quick, watched)]
    for arrival in scenario.arrivals:
        for take in enter:
            take(arrival)
        assert results_of(staged) == results_of(quick) == results_of(watched)
        assert staged.steps_taken == quick.steps_taken
        least, most = stored(watched), stored(quick)
        for name, size in stored(staged).items():
            assert size <= most[name]
            # A suppression that is not decided yet is among those that wait, and has no key.
            assert name.endswith(" keys") or least[name] <= size
    assert staged.finished
    return staged


@settings(max_examples=100)
@given(cases(), st.sampled_from([1, 2, None]), st.integers(0, 9))
def test_a_staged_run_keeps_up(case: Case, patience: int | None, disorder: int) -> None:
    scenario = Scenario.of(*case, disorder=disorder)
    machine = compare(scenario, patience)
    event(f"staged: {isinstance(machine.unbounded, Staged)}, matches: {bool(machine.matches)}")


@settings(max_examples=100)
@given(cases(LEVEL_2), st.sampled_from([1, None]))
def test_a_staged_run_keeps_up_with_sets_and_suppression(case: Case, patience: int | None) -> None:
    scenario = Scenario.of(*case)
    machine = compare(scenario, patience)
    event(f"staged: {isinstance(machine.unbounded, Staged)}, matches: {bool(machine.matches)}")


def test_after_a_reset_a_staged_run_finds_the_same() -> None:
    scenario = Scenario.of(parse(SCENARIOS["C refund scam"]), transfers(300, 8, days=90, claims=True), ROUTES)
    machine = Machine(network_of(scenario), staging=True)
    results = []
    for _ in range(2):
        enter = started(machine, None)
        for arrival in scenario.arrivals:
            enter(arrival)
        results.append(results_of(machine))
        machine.reset()
    assert results[0] == results[1]
    assert results[0][0]


@pytest.mark.parametrize("name", SCENARIOS)
def test_long_traces(name: str) -> None:
    """Histories are swept, lists of a key are cut, and entries of several ages expire."""
    events = transfers(3_000, 20, days=300, claims=True)
    scenario = Scenario.of(parse(SCENARIOS[name]), events, ROUTES)
    quick, staged = execute(scenario), execute(scenario, staging=True)
    assert replace(quick, steps=staged.steps) == staged
    assert (staged.steps or 0) <= (quick.steps or 0)
    assert quick.matches


def test_a_deep_network_runs_by_rules() -> None:
    """Functions that call each other need a frame of Python each."""
    chained = "".join(
        f"rule R{number} where a: A{number}, b: A{number} when b in a [0 ms, 0 ms] "
        f"then emit A{number + 1} at a.timestamp with {{}} "
        for number in range(DEEPEST)
    )
    program = parse("".join(f"template A{number} {{}} " for number in range(DEEPEST + 1)) + chained)
    scenario = Scenario.of(program, (Event("e", "A0", 0, {}),))
    network = network_of(scenario)
    assert not isinstance(Machine(network, staging=True).unbounded, Staged)
    assert len(execute(scenario, staging=True).matches) == DEEPEST


def test_more_conditions_than_in_a_text() -> None:
    program = parse("template A { k: Integer } predicate good(Integer) " + " ".join(
        f"rule R{number} where a: A {{ k > {number}, good(k) }}, b: A {{ good(k) }} when b in a [0 ms, 3 ms] then"
        for number in range(WRITTEN + 3)
    ))  # fmt: skip
    events = [Event(f"e{time}", "A", time, {"k": 7 * time % (WRITTEN + 5)}) for time in range(40)]
    scenario = Scenario.of(program, events, {"good": lambda k: k % 3 != 0})
    assert len(compare(scenario).matches) > WRITTEN


def test_an_exception_ends_a_staged_run() -> None:
    program = parse("template A { k: Integer } predicate good(Integer) rule R where a: A { good(k) } then "
                    "rule S where a: A, b: A when b in a [0 ms, 1 ms] then")  # fmt: skip

    def good(k: int) -> bool:
        raise KeyError(k)

    scenario = Scenario.of(program, [Event(f"e{k}", "A", k, {"k": k}) for k in range(2)], {"good": good})
    machine = Machine(network_of(scenario), staging=True)
    enter = entering(machine)
    with pytest.raises(KeyError):
        enter(scenario.arrivals[0])
    with pytest.raises(RuntimeError, match="midway"):
        enter(scenario.arrivals[1])


def test_python_can_run_without_staging() -> None:
    program = parse(SCENARIOS["A pass-through"])
    events = transfers(200, 5)
    by_rules = parte.run(program, events, domain=ROUTES, staging=False)
    assert by_rules == parte.run(program, events, domain=ROUTES)
    assert by_rules


# --- The suite, and mutants ---------------------------------------------------------------------------------------


@cache
def suite() -> list[tuple[str, Scenario[core.Program]]]:
    """The cases of the suite that are run."""
    scenarios = []
    for fixture in load_suite(PARTELANG).cases.values():
        if fixture.expected.rejected is None:
            loaded = read_program(prepare(fixture, PARTELANG).load)
            scenarios.append((fixture.id, loaded.scenario(fixture.trace)))
    return scenarios + [(name, Scenario.of(parse(text), events, EVEN)) for name, (text, events) in BESIDE.items()]


BESIDE = {
    "a sum beyond 64 bit": (
        "template A { k: Integer } rule R where a: A, b: A { k + a.k > 0 } when b in a [0 ms, 5 ms] then",
        [Event(f"e{time}", "A", time, {"k": 2**62}) for time in range(3)],
    ),
    "a predicate of two attributes": (
        "template A { k: Integer, l: Integer } predicate even(Integer) rule Q where a: A { even(k) } then "
        "rule R where a: A { even(l) }, b: A { even(k), even(l) } when b in a [0 ms, 5 ms] then",
        [Event(f"e{time}", "A", time, {"k": time, "l": time // 2}) for time in range(8)],
    ),
    "two keys of one pattern": (
        "template A { k: Integer, l: Integer } rule R where a: A, b: A { k = a.k }, c: A { l = a.l } "
        "when b in a [0 ms, 5 ms] c in a [0 ms, 9 ms] then",
        [Event(f"e{time}", "A", time, {"k": time % 2, "l": time % 3}) for time in range(12)],
    ),
    "rules of equal patterns": (
        "template A { k: Integer } template B { k: Integer } "
        "rule R where a: A, b: A { k = a.k } when b in a [1 ms, 5 ms] then emit B at a.timestamp with { k = b.k } "
        "rule S where c: A, a: A { k = c.k } when a in c [1 ms, 5 ms] then emit B at a.timestamp with { k = c.k } "
        "rule T where a: A, b: A { k = a.k } when b in a [1 ms, 3 ms] then "
        "rule U where a: A, b: A { k < a.k } when b in a [1 ms, 3 ms] then",
        [Event(f"e{time}", "A", time, {"k": time % 2}) for time in range(9)],
    ),
    "a bound that waits, and an event": (
        "template A {} template C { k: Integer } template D {} "
        "rule E where a: A then emit C at a.timestamp with { k = 1 } emit C at a.timestamp with { k = 0 } "
        "rule S where d: D, no c: C { k = 1 } when no c in d [0 ms, 5 ms] then",
        [Event("d", "D", 0, {}), Event("a", "A", 3, {}), Event("b", "A", 9, {})],
    ),
}
"""Programs and traces beside the suite."""


FIRST = 60
"""As many arrivals of each case are compared."""


def different() -> Iterator[str]:
    """The cases in which a staged run finds something else in the end, or stores something else after an arrival."""
    for name, scenario in suite():
        ends = []
        for staged in (True, False):
            machine = Machine(reused(scenario), staging=staged)
            enter = started(machine, 3)
            states: list[object] = []
            try:
                for arrival in scenario.arrivals[:FIRST]:
                    enter(arrival)
                    states.append((machine.steps_taken, stored(machine)))
                states.append(results_of(machine))
            except Exception as problem:
                states.append(repr(problem))
            ends.append(states)
        if ends[0] != ends[1]:
            yield name


def test_the_suite_finds_no_difference() -> None:
    assert not list(different())


MUTANTS = {
    "left window opens late": ("bisect_left(bucket, opens,", "bisect_left(bucket, opens + 1,"),
    "left window closes early": ("if other.closes > closes:", "if other.closes >= closes:"),
    "left event not live at its end": ("closes >= left.least", "closes > left.least"),
    "left event always live": ("if opens <= closes and closes >= left.least", "if True"),
    "right window opens late": ("if other.opens <= timestamp:", "if other.opens < timestamp:"),
    "right window closes early": ("bisect_left(bucket, timestamp,", "bisect_left(bucket, timestamp + 1,"),
    "a promise not noted": ("promises[0] = bound\n", "pass\n"),
    "own promise passed on": ("bound = min(promises)", "pass"),
    "steps of a shared alpha node": ("run.steps += 1\n", "run.steps += 0\n"),
    "right events never expire": ("right.least = expires", "pass"),
    "left partial matches never expire": ("left.least = bound", "pass"),
    "defeated ones stay": ("left.without(met)", "pass"),
    "released too late": ("left.passed(bound)", "left.passed(bound - 1)"),
    "a stale right event expires late": ("right.least = expires", "right.least = expires - 1"),
    "window of the last event alone": ("if opens < other:", "if True:"),
    "window of the first event alone": ("if closes > other:", "if False:"),
    "no value holds": ("holds = False", "holds = True"),
    "steps of the alpha node": ("run.steps += 2", "run.steps += 1"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_the_suite_finds_a_fault_in_the_texts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before, after = MUTANTS[name]
    compiled, changed = writing._compiled, set[bool]()

    def mutated(text: str) -> object:
        changed.add(before in text)
        return compiled(text.replace(before, after))

    monkeypatch.setattr(writing, "_compiled", mutated)
    assert next(different(), None), "no case finds this fault"
    assert True in changed


PLACE = "parte.semantics.partelang"
FAULTS = (
    Mutant("predicates-confused", f"{PLACE}.writing:Text.expression", 'f"call_{len(self.calls)}"', '"call_0"'),
    Mutant(
        "live-entries-swept",
        f"{PLACE}.expiring:Lists.sweep",
        "if bucket[-1].closes < least",
        "if bucket[-1].closes <= least",
    ),
    Mutant("all-of-a-key-swept", f"{PLACE}.expiring:Lists.sweep", "if bucket[-1].closes < least", "if True"),
    Mutant(
        "stored-by-none",
        f"{PLACE}.staged:Staged._stage",
        "histories[0] is data.right",
        "histories[-1] is not data.right",
    ),
    Mutant("keys-confused", f"{PLACE}.staged:_right_keys", "node.criteria.right_keys", "()"),
    Mutant("bounds-expire-nothing", f"{PLACE}.staged:bounds_from_left", "data.right.passed(expires)[0]", "data.right"),
    Mutant("promises-not-written", f"{PLACE}.staged:Staged.note", "tuple(promises)", "state.data.bounds"),
    Mutant("promises-not-read", f"{PLACE}.staged:_noting", "promises[:] = outcome.data.bounds", "pass"),
    Mutant("emissions-lost", f"{PLACE}.staged:Staged._producing", "in entries", "in entries[1:]"),
    Mutant("emissions-without-value", f"{PLACE}.staged:Staged._producing", "event is None", "False"),
    Mutant("steps-of-matches", f"{PLACE}.staged:Staged._matching", "self.steps += 1", "pass"),
)
"""Faults in the code around the texts."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_suite_finds_a_fault_around_the_texts(fault: Mutant) -> None:
    with applied(fault):
        assert next(different(), None), "no case finds this fault"


def test_rules_of_other_windows_have_chains_of_their_own() -> None:
    text, events = BESIDE["rules of equal patterns"]
    scenario = Scenario.of(parse(text), events)
    assert compare(scenario).matches
    fault = Mutant("windows-confused", f"{PLACE}.compilation:_chain", "c.lower, c.upper", "c.lower")
    with applied(fault), pytest.raises(AssertionError):
        compare(scenario)
