"""Processes and workers in any order: what they find together is what the definition says, each result once
(CORE/SHARE, CORE/DCERE, CORE/MCEE)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.mutants import edited, read_mutants
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.mutants import FOLDER, MODULES, CelMutant
from parte.languages.cel.conformance.strategies import cases, streams
from parte.languages.cel.semantics.distribution import (
    Choice,
    Message,
    dcere,
    exact_search,
    power_of_choices,
    round_robin,
    weight_of_runs,
)
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.maximal import Task, parts, tasks, why_not
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.repairs import SOUND
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.proofs.edited_modules import EditedModules
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event

RANDOMS = st.randoms(use_true_random=False)
Case = tuple[tree.Query, tuple[Event, ...]]


def in_any_order(actors: list[Iterator[object]], rng: Random) -> None:
    """Let actors take steps, in an order that is drawn, until none takes one."""
    left = list(actors)
    while left:
        actor = rng.choice(left)
        try:
            next(actor)
        except StopIteration:
            left.remove(actor)


def streamed(case_items: tuple[object, ...] | list[object]) -> list[Event]:
    return [item for item in case_items if isinstance(item, Event)]


# --- Shares -----------------------------------------------------------------------------------------------------------


@given(case=cases(Shape(events=8, links=True, depth=2)), rng=RANDOMS, processes=st.integers(1, 5))
def test_processes_that_share_agree_in_any_order(case: Case, rng: Random, processes: int) -> None:
    """DCORE: exact, disjoint, and of what ends with one event at most one more each, whoever goes first."""
    query, items = case
    events = streamed(items)
    printed: list[list[ComplexEvent]] = [[] for _ in range(processes)]

    def process(index: int) -> Iterator[None]:
        machine = Machine(query, processes=processes, index=index)
        for event in events:
            printed[index] += machine.event(event)
            yield

    in_any_order([process(index) for index in range(processes)], rng)
    assert sorted(result for share in printed for result in share) == evaluate(query, events)
    linked = any(isinstance(node, tree.Link) for node in tree.within(query.formula))
    for end in range(0 if linked else len(events)):
        sizes = [sum(result.end == end for result in share) for share in printed]
        assert max(sizes) - min(sizes) <= 1
        assert sizes == sorted(sizes, reverse=True)


# --- A master and workers ---------------------------------------------------------------------------------------------


def sent_to(
    messages: Iterator[Message[ComplexEvent]] | Iterator[Message[Task]],
    workers: int,
    work: Callable[[ComplexEvent | Task], list[ComplexEvent]],
    rng: Random,
) -> list[list[ComplexEvent]]:
    """What each worker finds of what a master sends, each step of it and of them in an order that is drawn."""
    boxes: list[deque[ComplexEvent | Task]] = [deque() for _ in range(workers)]
    complex_events: list[list[ComplexEvent]] = [[] for _ in range(workers)]
    ended = False

    def master() -> Iterator[None]:
        nonlocal ended
        for message in messages:
            boxes[message.worker].append(message.content)
            yield
        ended = True

    def worker(index: int) -> Iterator[None]:
        while boxes[index] or not ended:
            if boxes[index]:
                complex_events[index] += work(boxes[index].popleft())
            yield

    in_any_order([master(), *(worker(index) for index in range(workers))], rng)
    return complex_events


def itself(content: ComplexEvent | Task) -> list[ComplexEvent]:
    assert isinstance(content, ComplexEvent)
    return [content]


def enumerated(content: ComplexEvent | Task) -> list[ComplexEvent]:
    assert isinstance(content, Task)
    return list(parts(content))


def choices(rng: Random, workers: int) -> dict[str, Choice]:
    drawn = rng.randint(1, workers)
    return {
        "RR": round_robin,
        "ES": exact_search,
        "PoTC": power_of_choices(drawn, rng),
        "PoTC, repeating": power_of_choices(drawn, rng, distinct=False),
    }


@pytest.mark.parametrize("name", choices(Random(0), 1))
@given(case=cases(Shape(events=8, depth=2)), rng=RANDOMS, workers=st.integers(1, 5))
def test_workers_of_a_master_find_what_the_definition_says(name: str, case: Case, rng: Random, workers: int) -> None:
    query, items = case
    events = streamed(items)

    def weight(result: ComplexEvent) -> int:
        return 1 + weight_of_runs(events[position].template for position in result.positions)

    messages = list(dcere(Machine(query).run(events), workers, choices(rng, workers)[name], weight))
    complex_events = sent_to(iter(messages), workers, itself, rng)
    expected = evaluate(query, events)
    assert sorted(result for share in complex_events for result in share) == expected
    assert len(messages) == len(expected), "one message for each result"
    loads = [sum(map(weight, share)) for share in complex_events]
    if name == "RR":
        assert max(map(len, complex_events)) - min(map(len, complex_events)) <= 1
    if name == "ES":
        assert max(loads) - min(loads) <= max(map(weight, expected), default=0)


@given(rng=RANDOMS, workers=st.integers(1, 6), weights=st.lists(st.integers(0, 9), max_size=30))
def test_as_many_choices_as_workers_is_exact_search_if_they_differ(
    rng: Random, workers: int, weights: list[int]
) -> None:
    def where(choose: Choice) -> list[int]:
        return [message.worker for message in dcere(weights, workers, choose, int)]

    assert where(power_of_choices(workers, rng)) == where(exact_search)


def test_weights_are_of_runs() -> None:
    assert weight_of_runs(["A", "B", "B", "B", "C"]) == 1 + 7 + 1
    assert weight_of_runs(["A", "B", "A"]) == 3
    assert weight_of_runs([]) == 0


# --- Maximal results --------------------------------------------------------------------------------------------------


def drawn_in_fragment(rng: Random) -> tree.Query:
    """A query whose maximal results stand for all."""
    types = rng.sample("ABC", rng.randint(1, 3))
    formula = "; ".join(name + rng.choice(["", "+"]) for name in types[:-1]) + "; " * (len(types) > 1) + types[-1]
    conditions = [f"{name}[v {rng.choice('<>=')} {rng.randint(0, 2)}]" for name in types if rng.random() < 0.3]
    where = f" FILTER {rng.choice([' AND ', ' OR ']).join(conditions)}" if conditions else ""
    return parse(
        f"SELECT * {'FROM s ' * (rng.random() < 0.2)}WHERE {formula}{where}{' PARTITION BY w' * (rng.random() < 0.2)}"
    )


@given(events=streams(9), rng=RANDOMS, workers=st.integers(1, 5))
def test_parts_of_maximal_results_are_the_results_in_the_fragment(
    events: tuple[Event, ...], rng: Random, workers: int
) -> None:
    query = drawn_in_fragment(rng)
    assert why_not(query) is None
    expected = evaluate(query, events)
    messages = dcere(tasks(query, events), workers, exact_search, lambda task: task.size)
    complex_events = sent_to(messages, workers, enumerated, rng)
    assert sorted(result for share in complex_events for result in share) == expected

    alone = list(tasks(query, events, joined=False))
    repeated = [result for task in alone for result in parts(task)]
    assert sorted(set(repeated)) == expected
    assert len(repeated) == sum(task.size for task in alone) == sum(task.size for task in tasks(query, events))


def printed(query: str, names: str, joined: bool = True) -> list[tuple[int, ...]]:
    """What is found of a query outside of the fragment, with nothing but that repair missing."""
    events = [Event(f"e{k}", name, k, {}) for k, name in enumerate(names.split())]
    task_list = tasks(parse(f"SELECT * WHERE {query}"), events, SOUND.without("fragment-only"), joined=joined)
    return [result.positions for task in task_list for result in parts(task)]


def test_outside_of_the_fragment_it_errs_in_three_ways() -> None:
    """Defects 30, 31, 32."""
    assert sorted(printed("A; A", "A A")) == [(0,), (0, 1), (1,)]
    assert printed("(A; C) OR (A; B; C)", "A B C") == [(0, 1, 2)]
    assert Counter(printed("A; B+", "A B B"))[(0, 1)] == 2


def test_example_4_1_finds_what_two_maximal_results_share_once() -> None:
    """Its query with an end that the strategy needs: {T1, H2} is a part of {T1, H1, H2} and of {T1, T2, H2}."""
    query, names = "T+; H+; E", "T H T H E"
    assert printed(query, names, joined=False).count((0, 3, 4)) == 2
    assert printed(query, names).count((0, 3, 4)) == 1
    assert len(printed(query, names)) == 5


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("* WHERE A; A", "two of its parts have one type"),
        ("* WHERE (A; C) OR (A; B; C)", "no sequence of types"),
        ("* WHERE A; B+", "its last part has a +"),
        ("* WHERE A: B", "no sequence of types"),
        ("* WHERE A:+; B", "no sequence of types"),
        ("* WHERE (A+)+; B", "no sequence of types"),
        ("* WHERE A AS x; B", "no sequence of types"),
        ("A WHERE A; B", "selects variables"),
        ("MAX * WHERE A; B", "the strategy MAX"),
        ("* WHERE A; B WITHIN 3 EVENTS", "it has a window"),
        ("* WHERE A; B CONSUME BY ANY", "consumes"),
        ("* WHERE A; B FILTER A[v] = B[v]", "together with MAX"),
    ],
)
def test_what_is_outside_is_refused_with_the_reason(query: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason.replace("+", r"\+")):
        list(tasks(parse(f"SELECT {query}"), []))


@given(streams(8), RANDOMS)
def test_as_published_a_last_group_of_one_is_lost(events: tuple[Event, ...], rng: Random) -> None:
    """Defect 29, as far as it can be run: nothing is left, for in the fragment all results end with a group of one."""
    task_list = tasks(drawn_in_fragment(rng), events, SOUND.without("last-groups"))
    assert [result for task in task_list for result in parts(task)] == []


def test_workers_are_told_once_for_each_configuration() -> None:
    """Which T holds against the strategy, and for it: few messages, of sizes that differ much."""
    task_list = list(
        tasks(parse("SELECT * WHERE A; B+; C"), [Event(f"e{k}", name, k, {}) for k, name in enumerate("ABBBBBC")])
    )
    assert [task.size for task in task_list] == [10, 10, 5, 5, 1]
    assert [dict(task.configuration)["B"] for task in task_list] == [2, 3, 1, 4, 5]
    loads = Counter(message.worker for message in dcere(task_list, 4, exact_search, lambda task: task.size))
    assert loads.total() == 5
    assert [key for key, _ in groupby(sorted(loads))] == [0, 1, 2, 3]


# --- Mutants ----------------------------------------------------------------------------------------------------------


def sent(modules: EditedModules) -> list[object]:
    """Who is sent what, on a few examples."""
    distribution, maximal = (
        modules.module(f"parte.languages.cel.semantics.{name}") for name in ("distribution", "maximal")
    )
    query = modules.module("parte.languages.cel.semantics.syntax.parser").parse("SELECT * WHERE T+; H+; E")
    make = modules.module("parte.semantics.events.event").Event
    events = [make(f"e{k}", name, k, {}) for k, name in enumerate("THTTHE")]
    observations: list[object] = [
        [(task.size, [(result.start, result.positions) for result in maximal.parts(task)])]
        for task in maximal.tasks(query, events)
    ]
    for choose in (
        distribution.round_robin,
        distribution.exact_search,
        distribution.power_of_choices(3, Random(1)),
    ):
        observations.append([message.worker for message in distribution.dcere([5, 1, 1, 1, 1, 4, 1], 3, choose, int)])
    return observations


@pytest.mark.parametrize("mutant", read_mutants(FOLDER, ("distribution",), CelMutant), ids=lambda mutant: mutant.name)
def test_mutants_of_what_is_sent_are_told(mutant: CelMutant) -> None:
    assert sent(edited(MODULES, mutant.edits)) != sent(edited(MODULES, ()))
