"""The cost model of shares against what processes do, counted in nodes: made, counted for shares, and entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases
from parte.languages.cel.semantics.cost import Work, alone, gain, least_results, pays, shared, slowest
from parte.languages.cel.semantics.enumeration import share
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event

MANY = [
    ("A; B; C", "A " * 40 + "B " * 40 + "C"),
    ("A; B+; C", "A " + "B " * 10 + "C"),
    ("A+; B+; C", "A B " * 6 + "C"),
    ("A+", "A " * 10),
]
FEW = [
    ("A; B", "A " * 400 + "B"),
    ("A", "A " * 50),
    ("A; B WITHIN 20 EVENTS", "A A B " * 60),
]
PROCESSES = (2, 3, 8)


def run(query: tree.Query, events: Sequence[Event], processes: int, index: int) -> tuple[Machine, list[ComplexEvent]]:
    machine = Machine(query, processes=processes, index=index)
    return machine, list(machine.run(events))


def node_count(machine: Machine) -> int:
    return sum(substream.evaluation.tecs.count for substream in machine.substreams.values())


def measured(text: str, names: str, processes: int) -> tuple[int, list[int], Work]:
    """The nodes that one process alone deals with, those of each of several, and what the model is told: what the one
    did, and how many nodes are counted."""
    query = parse(f"SELECT * WHERE {text}")
    events = [Event(f"e{k}", name, k, {}) for k, name in enumerate(names.split())]
    single, results = run(query, events, 1, 0)
    several = [run(query, events, processes, index)[0] for index in range(processes)]
    ends = list(Counter(result.end for result in results).values())
    work = Work(ends, node_count(single), single.visited / len(results), several[0].counted, 1.0)
    return (
        node_count(single) + single.visited,
        [node_count(machine) + machine.counted + machine.visited for machine in several],
        work,
    )


@pytest.mark.parametrize("processes", PROCESSES)
@pytest.mark.parametrize(("query", "events"), MANY + FEW)
def test_what_each_process_does_is_between_passing_by_nothing_and_by_all(
    query: str, events: str, processes: int
) -> None:
    undivided, several, work = measured(query, events, processes)
    assert alone(work) == pytest.approx(undivided)
    at_best = Work(work.results, work.evaluation, work.result, work.counting, 0.0)
    for index, nodes in enumerate(several):
        # What a result takes differs a little from one share to the next: a tenth is left for it.
        assert 0.9 * shared(at_best, processes, index) <= nodes <= 1.1 * shared(work, processes, index)


@pytest.mark.parametrize("processes", PROCESSES)
@pytest.mark.parametrize(("query", "events", "many"), [(*case, case in MANY) for case in MANY + FEW])
def test_shares_pay_where_the_model_says_so(query: str, events: str, many: bool, processes: int) -> None:
    """They do where the results are many more than the nodes, and do not where these are alike, or where events end
    with one result each."""
    undivided, several, work = measured(query, events, processes)
    assert pays(work, processes) == (max(several) < undivided) == many
    assert gain(work, processes) == pytest.approx(alone(work) / slowest(work, processes))
    assert undivided / max(several) >= 0.95 * gain(work, processes)


@given(cases(Shape(events=9, conditions=False)), st.integers(2, 5))
def test_a_process_enters_a_node_for_each_result_that_it_passes_by_at_most(
    case: tuple[tree.Query, tuple[Event, ...]], processes: int
) -> None:
    """Beside 4·(|D| + 1) for each that it prints (CORE/DELAY, and defect 26)."""
    query, events = case
    ends = Counter(result.end for result in run(query, events, 1, 0)[1])
    if any(isinstance(node, tree.Link) for node in tree.within(query.formula)):
        return
    for index in range(processes):
        machine, results = run(query, events, processes, index)
        shares = [share(count, processes, index) for count in ends.values()]
        passed = sum(skipped for skipped, printed in shares if printed)
        assert machine.visited <= passed + sum(4 * (len(result.positions) + 1) for result in results)


@given(
    st.integers(2, 9),
    st.integers(1, 60),
    st.integers(0, 500),
    st.integers(1, 20),
    st.integers(0, 20),
    st.integers(0, 99),
)
def test_how_many_results_of_one_event_it_takes(
    processes: int, per_process: int, counting: int, result: int, passing: int, evaluation: int
) -> None:
    results = processes * per_process
    assert pays(Work([results], evaluation, result, counting, passing), processes) == (
        results > least_results(processes, counting, result, passing) and result > passing
    )


def test_one_process_has_nothing_to_share() -> None:
    work = Work([3, 1], 10.0, 2.0, 100.0, 1.0)
    assert shared(work, 1, 0) == alone(work) == 18.0
    assert not pays(work, 1)
    assert [shared(work, 2, index) for index in range(2)] == [10 + 100 + 2 * 3, 10 + 100 + 2 * 1 + 2]
