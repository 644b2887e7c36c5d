"""Arbitrary automata on streams of a few events, and what they accept, as conditions.

Of an arbitrary automaton only the size is known. Every transition that there can be is there, with a test of its own
of which nobody knows which events pass it; one that no event passes might as well be missing. So constructions run as
they are, on transitions that they can see, and what the automaton accepts is a condition for each valuation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from parte.languages.cel.algebra.denotation import Valuation
from parte.languages.cel.semantics.automata import Automaton, IsType, Label, Test, Transition
from parte.languages.cel.semantics.predicates import compiled
from parte.languages.cel.semantics.syntax import tree
from parte.proofs.numbers import number
from parte.proofs.statements import every, same
from parte.proofs.symbolic import Run
from parte.semantics.events.event import Event
from parte.semantics.rulebook.connectives import conj, disj

Accepted = Mapping[Valuation, bool]
"""For each valuation that may be accepted, when it is."""

X, Y = "X", "Y"
EMPTY: Label = frozenset()
LABELS: Sequence[Label] = (EMPTY, frozenset({X}), frozenset({Y}))

LENGTH = 3
SIZE = 3


def stream(run: Run, types: Callable[[int], str] = lambda _: "T") -> list[Event]:
    """Events of which two attributes are arbitrary numbers."""
    return [
        Event(f"e{place}", types(place), 0, {name: number(run, f"{name} of {place}") for name in ("p", "q")})
        for place in range(LENGTH)
    ]


def automaton(
    name: str, labels: Sequence[Label] = LABELS[:2], finals: Iterable[int] = (2,), size: int = SIZE
) -> Automaton:
    """An arbitrary one: from every state to every other but the initial one, with each label."""
    transitions = tuple(
        Transition(source, frozenset([_test(f"{name}: {source} to {target} {'/'.join(sorted(label))}")]), label, target)
        for source in range(size)
        for target in range(1, size)
        for label in labels
    )
    return Automaton(size, 0, transitions, frozenset(finals))


def _test(name: str) -> tree.Predicate:
    return tree.Comparison(tree.Attribute(name), tree.Operator.EQUAL, tree.Literal(1))


def without(given: Automaton, missing: Callable[[Transition], bool]) -> Automaton:
    """An automaton without some transitions."""
    return Automaton(
        given.size, given.initial, tuple(one for one in given.transitions if not missing(one)), given.finals
    )


def accepted(run: Run, given: Automaton, events: Sequence[Event]) -> Accepted:
    """What an automaton accepts: runs from any event on, by what they mark."""
    found: dict[Valuation, bool] = {}
    for start in range(len(events)):
        reached: dict[tuple[int, frozenset[tuple[str, int]]], bool] = {(given.initial, frozenset()): True}
        for place in range(start, len(events)):
            following: dict[tuple[int, frozenset[tuple[str, int]]], bool] = {}
            for (state, content), condition in reached.items():
                for each in given.transitions:
                    if each.source == state:
                        goal = each.target, content | {(name, place) for name in each.label}
                        over = conj(condition, _passes(run, each, events, place))
                        following[goal] = disj(following.get(goal, False), over)
            reached = following
            for (state, content), condition in reached.items():
                if state in given.finals:
                    valuation = Valuation(start, place, content)
                    found[valuation] = disj(found.get(valuation, False), condition)
    return found


def _passes(run: Run, each: Transition, events: Sequence[Event], place: int) -> bool:
    return every(_holds(run, test, events[place], place) for test in sorted(each.guard, key=str))


def _holds(run: Run, test: Test, event: Event, place: int) -> bool:
    if isinstance(test, IsType):
        return event.template == test.name
    names = {node.name for node in tree.within(test) if isinstance(node, tree.Attribute)}
    if names <= event.attributes.keys():
        return run.formula(f"{sorted(names)} {test} at {place}", lambda: compiled(test)(event))
    return run.truth(f"{sorted(names)} at {place}")


def each_as(given: Accepted, meant: Callable[[Valuation], Iterable[Valuation]]) -> Accepted:
    """What the definition makes of what is accepted, valuation by valuation."""
    found: dict[Valuation, bool] = {}
    for valuation, condition in given.items():
        for one in meant(valuation):
            found[one] = disj(found.get(one, False), condition)
    return found


def pairs_as(one: Accepted, other: Accepted, meant: Callable[[Valuation, Valuation], Iterable[Valuation]]) -> Accepted:
    """What the definition makes of pairs."""
    found: dict[Valuation, bool] = {}
    for first, condition in one.items():
        for then, further in other.items():
            for valuation in meant(first, then):
                found[valuation] = disj(found.get(valuation, False), conj(condition, further))
    return found


def either(*given: Accepted) -> Accepted:
    """What one of them accepts."""
    found: dict[Valuation, bool] = {}
    for one in given:
        for valuation, condition in one.items():
            found[valuation] = disj(found.get(valuation, False), condition)
    return found


def same_accepted(found: Accepted, expected: Accepted) -> bool:
    """Both accept the same."""
    valuations = dict.fromkeys((*found, *expected))
    return every(same(found.get(one, False), expected.get(one, False)) for one in valuations)
