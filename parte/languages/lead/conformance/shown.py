"""Calculations that show the parts of L that no pattern on a trace can show: interpretations, priorities, nets with
equal tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product

from parte.languages.lead.algebra.published.formulas import Formula, branches, is_event, is_event_as_meant
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.printed import Lines, read, written
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net
from parte.languages.lead.semantics.repairs import PUBLISHED

Shown = tuple[Lines, Lines]
"""The results as printed, and as meant."""
INSTANTS = 5
"""The number of instants. It is enough: a formula that holds at one time must be false at two others."""


def _interpretations(formula: Callable[[Formula, int], Formula]) -> Iterator[list[int]]:
    """Yield the sets of instants for which the formula holds at each instant if an event matches at just these."""
    for chosen in product((False, True), repeat=INSTANTS):
        instants = [now for now in range(INSTANTS) if chosen[now]]
        if all(formula(instants.__contains__, INSTANTS)(now) for now in range(INSTANTS)):
            yield instants


def _events() -> Shown:
    """(3), (4): the number of times that an event may match."""

    def text(formula: Callable[[Formula, int], Formula]) -> Lines:
        sizes = sorted({len(instants) for instants in _interpretations(formula)})
        return (f"an event matches {' or '.join(map(str, sizes))} times",) if sizes else ("no interpretation",)

    return text(is_event), text(is_event_as_meant)


def _branches() -> Shown:
    """(11): the instants at which branches of two items begin, at 0 and at 1. The meaning is the match of the whole,
    which the formula does not give."""
    items: list[Formula] = [frozenset({0}).__contains__, frozenset({1}).__contains__]

    def never(_: int) -> bool:
        return False

    starts = branches(items, frozenset({0, 1}).__contains__, never)
    begun = tuple(f"{now}: a branch begins" for now in range(INSTANTS) if starts(now))
    pattern = "collect(A) terminate (count() >= 2) AS l Subcontext(i ==> l (MATCH not B within 2 ms)) AS m"
    return begun, written(evaluate(*read(pattern, "a0@0 a1@1")))


_FIGURE_4 = (("stream", "pass"), ("enable", "pass"), ("stream", "garbage"))
"""The input arcs of a source: those of H and of L leave one place."""


def _priorities() -> Shown:
    """π of figure 4: the number of functions that fulfil L's condition, and how many of these distinguish H from L."""
    functions = list(product(range(len(_FIGURE_4)), repeat=len(_FIGURE_4)))
    pairs = list(combinations(range(len(_FIGURE_4)), 2))

    def as_printed(rank: tuple[int, ...]) -> bool:
        return all((rank[a] == rank[b]) == (_FIGURE_4[a][0] == _FIGURE_4[b][0]) for a, b in pairs)

    def as_meant(rank: tuple[int, ...]) -> bool:
        return all(rank[a] != rank[b] for a, b in pairs if _FIGURE_4[a][0] == _FIGURE_4[b][0])

    def text(condition: Callable[[tuple[int, ...]], bool]) -> Lines:
        fulfilling = [rank for rank in functions if condition(rank)]
        telling = [rank for rank in fulfilling if rank[0] != rank[2]]
        return (f"{len(fulfilling)} of {len(functions)} functions fulfil it, {len(telling)} of these tell H from L",)

    return text(as_printed), text(as_meant)


def tuple_of(net: Net) -> tuple[object, ...]:
    """Return the parts of a net that L's tuple has: places, transitions with their arcs, priorities, times and
    guards. It has neither the kinds of places, ages and weights, nor the conditions and effects of firing."""
    transitions = [
        (
            transition.identity,
            transition.trigger.number,
            [arc.place.number for arc in transition.takes],
            transition.rank,
            transition.phase,
        )
        for transition in net.transitions
    ]
    outgoing = [[arc.place.number for arc in transition.puts] for transition in net.transitions]
    return len(net.places), transitions, outgoing


def _kinds() -> Shown:
    """Two nets of `A -> B` with equal tuples, on a@0 b@1000: that of L, and one whose places pass tokens on."""
    rule, events = read("A -> B", "a0@0 b1@1000")
    nets = {"stateful": Machine(rule, PUBLISHED), "stateless": Machine(rule, PUBLISHED)}
    for place in nets["stateless"].net.places:
        place.red = False
    assert tuple_of(nets["stateful"].net) == tuple_of(nets["stateless"].net)
    results = tuple(f"{kind}: {len(machine.run(events))} found" for kind, machine in nets.items())
    repaired = Machine(rule, PUBLISHED.repaired("keep")).run(events)
    return results, (f"{len(repaired)} found",)


SHOWN: Mapping[str, Callable[[], Shown]] = {
    "events": _events,
    "branches": _branches,
    "priorities": _priorities,
    "kinds": _kinds,
}
