"""What shows those parts of L that no pattern on a trace can: interpretations, priorities, nets of one tuple."""

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
"""What is found as printed, and as meant."""
INSTANTS = 5
"""So many are enough: what holds of a time must be false at two others."""


def _interpretations(formula: Callable[[Formula, int], Formula]) -> Iterator[list[int]]:
    """Those sets of instants at each of which the formula holds when an event matches at just these."""
    for chosen in product((False, True), repeat=INSTANTS):
        instants = [now for now in range(INSTANTS) if chosen[now]]
        if all(formula(instants.__contains__, INSTANTS)(now) for now in range(INSTANTS)):
            yield instants


def _events() -> Shown:
    """(3), (4): how often an event may match."""

    def text(formula: Callable[[Formula, int], Formula]) -> Lines:
        sizes = sorted({len(instants) for instants in _interpretations(formula)})
        return (f"an event matches {' or '.join(map(str, sizes))} times",) if sizes else ("no interpretation",)

    return text(is_event), text(is_event_as_meant)


def _branches() -> Shown:
    """(11): when branches of two items begin, at 0 and at 1; meant is what the whole matches, which it does not say."""
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
    """π of figure 4: how many functions fulfil L's condition, and how many of these tell H from L."""
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
    """Of a net what L's tuple has: places, transitions with their arcs, priorities, times and guards; not the kinds of
    places, ages, weights, nor what enables a transition and what firing does."""
    transitions = [
        (each.identity, each.trigger.number, [arc.place.number for arc in each.takes], each.rank, each.phase)
        for each in net.transitions
    ]
    outgoing = [[arc.place.number for arc in each.puts] for each in net.transitions]
    return len(net.places), transitions, outgoing


def _kinds() -> Shown:
    """Two nets of `A -> B` with one tuple: that of L, and one whose places pass tokens on; on a@0 b@1000."""
    rule, events = read("A -> B", "a0@0 b1@1000")
    nets = {"stateful": Machine(rule, PUBLISHED), "stateless": Machine(rule, PUBLISHED)}
    for place in nets["stateless"].net.places:
        place.red = False
    assert tuple_of(nets["stateful"].net) == tuple_of(nets["stateless"].net)
    found = tuple(f"{kind}: {len(machine.run(events))} found" for kind, machine in nets.items())
    kept = Machine(rule, PUBLISHED.repaired("keep")).run(events)
    return found, (f"{len(kept)} found",)


SHOWN: Mapping[str, Callable[[], Shown]] = {
    "events": _events,
    "branches": _branches,
    "priorities": _priorities,
    "kinds": _kinds,
}
