"""The measurements for each number that T prints, by the part of T."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, pstdev, stdev

from parte.experiments.experiment import Row, Unit
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance.counting import MEASURES
from parte.languages.cel.experiments.streams import (
    FIGURE_3_3,
    example_1_1,
    query_of,
    stream_of,
    stream_of_figure_5_3,
)
from parte.languages.cel.semantics.determinised import Determinised
from parte.languages.cel.semantics.distribution import (
    Choice,
    dcere,
    exact_search,
    power_of_choices,
    round_robin,
    weight_of_runs,
)
from parte.languages.cel.semantics.enumeration import counted, enumerate_paths
from parte.languages.cel.semantics.evaluation import UNBOUNDED, Evaluation, live
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.maximal import Task, parts, tasks
from parte.languages.cel.semantics.repairs import SOUND, Repairs
from parte.languages.cel.semantics.syntax.tree import Strategy
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Union
from parte.semantics.events.complex_event import ComplexEvent

WAIT = 10
"""Milliseconds that T's program waits for each event of a result, instead of checking links (defect 34)."""


@dataclass(frozen=True, slots=True)
class Named:
    """The fields of a unit."""

    query: str
    stream: int
    workers: int
    strategy: str
    seeds: int


def measure(unit: Unit, seeds: int) -> Sequence[Row]:
    """Return the row of a unit: the `measured` value, and, for random choices, the least and the greatest."""
    named = Named(str(unit["query"]), int(unit["stream"] or 0), int(unit["workers"] or 0), str(unit["strategy"]), seeds)
    measured = PARTS[str(unit["part"])](named)
    if isinstance(measured, list):
        return [{"measured": sorted(measured)[len(measured) // 2], "least": min(measured), "greatest": max(measured)}]
    return [{"measured": measured, "least": None, "greatest": None}]


# --- Results ----------------------------------------------------------------------------------------------------------


def _example_1_1(named: Named) -> int:
    query, listed_query, events = example_1_1()
    return len(evaluate(query if named.strategy == "results" else listed_query, events))


def _sizes(named: Named) -> int:
    """Return the number of results, by counting; up to `MANY` results, check it by enumeration."""
    query, events = query_of(named.query), stream_of(named.query, named.stream)
    (size,) = MEASURES["paths"](query, events, SOUND, 1)
    if size <= MANY:
        assert sum(1 for _ in Machine(query).run(events)) == size
    return size


MANY = 10_000


# --- Figures 5.3 and 5.4 ----------------------------------------------------------------------------------------------

AS_DRAWN = Repairs.of(SOUND.without("keys-of-event"))
"""The figures have states in the order in which they were first reached (defect 15)."""


def _drawn(position: int) -> tuple[Node, Callable[[Node], int]]:
    """Return the node that a figure names by a position: of those at this position the one with the most paths and
    nodes."""
    automaton = Determinised(FIGURE_3_3, Strategy.ALL, labelled=False, everywhere=False)
    evaluation = Evaluation(automaton, AS_DRAWN, windowed=False)
    for place, event in enumerate(stream_of_figure_5_3(position + 1)):
        evaluation.event(event, place, place, UNBOUNDED)
    outputs = [node for node in live(evaluation) if isinstance(node, Output) and node.position == position]
    node_of_figure = max(outputs, key=lambda node: (counted(node, UNBOUNDED)(node), len(term(node))))
    return node_of_figure, counted(node_of_figure, UNBOUNDED)


def term(node: Node) -> str:
    """Return a node and all below it: `2 1 0 0'` is a path to a bottom, `[left | right]` a union."""
    match node:
        case Bottom(position=position):
            return f"{position}'"
        case Output(position=position, next=following):
            assert following is not None
            return f"{position} {term(following)}"
        case Union(left=left, right=right):
            assert left is not None
            assert right is not None
            return f"[{term(left)} | {term(right)}]"


def _below(node: Node) -> Iterator[Node]:
    yield node
    for name in ("next", "left", "right"):
        following = getattr(node, name, None)
        if following is not None:
            yield from _below(following)


def _figure_5_3(named: Named) -> str | int:
    node, paths = _drawn(named.stream)
    kinds: Mapping[str, Callable[[], str | int]] = {
        "shape": lambda: term(node),
        "paths": lambda: paths(node),
        "nodes": lambda: len({id(inner) for inner in _below(node)}),
    }
    return kinds[named.strategy]()


def _figure_5_4(named: Named) -> str:
    """Return the results of a process, in the order of enumeration, with shares of ⌈m/n⌉ (defect 23)."""
    node, paths = _drawn(named.stream)
    size = -(-paths(node) // named.workers)
    index = int(named.strategy.rpartition(" ")[2])
    results = enumerate_paths(node, UNBOUNDED, lambda: None, (index * size, size), paths)
    return ", ".join(" ".join(str(position) for position, _ in path.marks) for path in results)


# --- Loads ------------------------------------------------------------------------------------------------------------


def shares(named: Named, rng: Random) -> list[list[ComplexEvent]]:
    """Return the results that each worker handles, by the strategy."""
    query, events = query_of(named.query), stream_of(named.query, named.stream)
    if named.strategy in ("DCORE", "CORE2"):
        return [
            list(Machine(query, processes=named.workers, index=index).run(events)) for index in range(named.workers)
        ]
    by_worker: list[list[ComplexEvent]] = [[] for _ in range(named.workers)]
    if named.strategy in ("MME", "MCEE"):
        for task in dcere(_by_size(named), named.workers, exact_search, lambda task: task.size):
            for groups in task.content.maximal:  # each maximal result counts separately: parts of several are repeated
                by_worker[task.worker] += parts(Task(task.content.configuration, (groups,)))
        return by_worker
    types = [event.template for event in events]
    choices: Mapping[str, Choice] = {
        "RR": round_robin,
        "ES": exact_search,
        "PoTC": power_of_choices(2, rng, distinct=False),
    }

    def weight(result: ComplexEvent) -> int:
        return weight_of_runs(types[position] for position in result.positions)

    for result in dcere(Machine(query).run(events), named.workers, choices[named.strategy], weight):
        by_worker[result.worker].append(result.content)
    return by_worker


def _by_size(named: Named) -> list[Task]:
    """Return the tasks of all maximal results, the large ones first."""
    query, events = query_of(named.query), stream_of(named.query, named.stream)
    unsorted = tasks(query, events, joined=named.strategy == "MCEE")
    return sorted(unsorted, key=lambda task: task.size, reverse=True)


def _figure_6_4(named: Named) -> float | list[float]:
    """Return the coefficient of variation: the standard deviation of the loads divided by their mean. The deviation is
    that of a sample for DCORE, and of a population otherwise.

    T does not mention this difference: only with it are the printed numbers reproduced.
    """
    deviation = stdev if named.strategy == "DCORE" else pstdev
    coefficients = []
    for seed in range(named.seeds if named.strategy == "PoTC" else 1):
        loads = [len(share) for share in shares(named, Random(seed))]
        coefficients.append(round(deviation(loads) / fmean(loads), 4))
    return coefficients if named.strategy == "PoTC" else coefficients[0]


def _waiting(named: Named) -> int:
    """Return the milliseconds that the last worker waits."""
    return WAIT * max(sum(len(result.positions) for result in share) for share in shares(named, Random(0)))


PARTS: Mapping[str, Callable[[Named], str | float | list[float]]] = {
    "example 1.1": _example_1_1,
    "sizes": _sizes,
    "stated sizes": _sizes,
    "figure 5.3": _figure_5_3,
    "figure 5.4": _figure_5_4,
    "figure 6.3": _waiting,
    "figure 6.4": _figure_6_4,
    "figure 6.5": _waiting,
}
