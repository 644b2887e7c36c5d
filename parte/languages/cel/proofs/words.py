"""Arbitrary automata on streams of a few events, and what they accept, as conditions.

Of an arbitrary automaton only the size is known. It has every possible transition, each with its own test, which is an
unknown condition on events; a transition that no event passes might as well be missing. So constructions run unchanged,
on transitions that they can see, and for each valuation there is a condition under which the automaton accepts it.
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
"""The condition of acceptance for each valuation that may be accepted."""

X, Y = "X", "Y"
EMPTY: Label = frozenset()
LABELS: Sequence[Label] = (EMPTY, frozenset({X}), frozenset({Y}))

LENGTH = 3
SIZE = 3


def stream(run: Run, types: Callable[[int], str] = lambda _: "T") -> list[Event]:
    """Return events with two attributes that are arbitrary numbers."""
    return [
        Event(f"e{place}", types(place), 0, {name: number(run, f"{name} of {place}") for name in ("p", "q")})
        for place in range(LENGTH)
    ]


def automaton(
    name: str, labels: Sequence[Label] = LABELS[:2], finals: Iterable[int] = (2,), size: int = SIZE
) -> Automaton:
    """Return an arbitrary automaton: transitions from every state to every state but the initial one, with each
    label."""
    transitions = tuple(
        Transition(source, frozenset([_test(f"{name}: {source} to {target} {'/'.join(sorted(label))}")]), label, target)
        for source in range(size)
        for target in range(1, size)
        for label in labels
    )
    return Automaton(size, 0, transitions, frozenset(finals))


def _test(name: str) -> tree.Predicate:
    return tree.Comparison(tree.Attribute(name), tree.Operator.EQUAL, tree.Literal(1))


def without(whole: Automaton, missing: Callable[[Transition], bool]) -> Automaton:
    """Return an automaton without some transitions."""
    return Automaton(
        whole.size,
        whole.initial,
        tuple(transition for transition in whole.transitions if not missing(transition)),
        whole.finals,
    )


def accepted(run: Run, acceptor: Automaton, events: Sequence[Event]) -> Accepted:
    """Return the valuations that an automaton accepts: runs from any event on, by their marks."""
    by_valuation: dict[Valuation, bool] = {}
    for start in range(len(events)):
        reached: dict[tuple[int, frozenset[tuple[str, int]]], bool] = {(acceptor.initial, frozenset()): True}
        for place in range(start, len(events)):
            following: dict[tuple[int, frozenset[tuple[str, int]]], bool] = {}
            for (state, content), condition in reached.items():
                for transition in acceptor.transitions:
                    if transition.source == state:
                        goal = transition.target, content | {(name, place) for name in transition.label}
                        over = conj(condition, _passes(run, transition, events, place))
                        following[goal] = disj(following.get(goal, False), over)
            reached = following
            for (state, content), condition in reached.items():
                if state in acceptor.finals:
                    valuation = Valuation(start, place, content)
                    by_valuation[valuation] = disj(by_valuation.get(valuation, False), condition)
    return by_valuation


def _passes(run: Run, transition: Transition, events: Sequence[Event], place: int) -> bool:
    return every(_holds(run, test, events[place], place) for test in sorted(transition.guard, key=str))


def _holds(run: Run, test: Test, event: Event, place: int) -> bool:
    if isinstance(test, IsType):
        return event.template == test.name
    names = {node.name for node in tree.within(test) if isinstance(node, tree.Attribute)}
    if names <= event.attributes.keys():
        return run.formula(f"{sorted(names)} {test} at {place}", lambda: compiled(test)(event))
    return run.truth(f"{sorted(names)} at {place}")


def each_as(before: Accepted, meant: Callable[[Valuation], Iterable[Valuation]]) -> Accepted:
    """Return the values of the definition for accepted valuations, one valuation at a time."""
    after: dict[Valuation, bool] = {}
    for valuation, condition in before.items():
        for result in meant(valuation):
            after[result] = disj(after.get(result, False), condition)
    return after


def pairs_as(left: Accepted, right: Accepted, meant: Callable[[Valuation, Valuation], Iterable[Valuation]]) -> Accepted:
    """Return the values of the definition for pairs of accepted valuations."""
    after: dict[Valuation, bool] = {}
    for first, condition in left.items():
        for then, further in right.items():
            for valuation in meant(first, then):
                after[valuation] = disj(after.get(valuation, False), conj(condition, further))
    return after


def either(*operands: Accepted) -> Accepted:
    """Return the valuations that one of the operands accepts."""
    united: dict[Valuation, bool] = {}
    for operand in operands:
        for valuation, condition in operand.items():
            united[valuation] = disj(united.get(valuation, False), condition)
    return united


def same_accepted(actual: Accepted, expected: Accepted) -> bool:
    """Return whether both accept the same."""
    valuations = dict.fromkeys((*actual, *expected))
    return every(same(actual.get(valuation, False), expected.get(valuation, False)) for valuation in valuations)
