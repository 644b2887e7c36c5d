"""Arbitrary nodes, events and histories for the lemmas to speak of.

A history holds the entries that a lemma speaks of and any number of others, of which only the least timestamps are
known. That is enough: the machine filters histories entry by entry (`semantics.histories`, which the samples use for
their own entries), and of all entries together it asks for nothing but the least timestamps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

import semantics.machine  # noqa: F401 - registers the global rules, and by its own imports the local ones
from proofs.meaning import every, pointwise, times_of
from proofs.world import Claims, World
from semantics.events.event import Event
from semantics.histories import Entry, History, PlainHistory
from semantics.logic import lowest
from semantics.network import Node, Side, TwoInputNode
from semantics.repairs import Family
from semantics.rules.premises import left_entry, right_entry
from semantics.rules.registry import Data, Effect, Outcome, Site, TwoInputData, all_rules, kind_of, rules_for
from semantics.tokens import BetaToken, PartialMatch, Token

_Option = TypeVar("_Option")

# --- Events and conditions ------------------------------------------------------------------------------------------


def event(world: World, name: str) -> Event:
    """An event at an arbitrary time."""
    return event_at(name, world.integer(f"timestamp of {name}"))


def event_at(name: str, timestamp: int, template: str = "T") -> Event:
    """An event at a given time."""
    return Event(name, template, timestamp, {}, "s")


def partial_match(world: World, name: str, width: int) -> PartialMatch:
    """A partial match of `width` events at arbitrary times."""
    return tuple(event(world, f"{name}.{number}") for number in range(1, width + 1))


def choice(world: World, name: str, options: Sequence[_Option]) -> _Option:
    """One of several; the run forks."""
    for number, option in enumerate(options[:-1], 1):
        if world.truth(f"{name}: option {number}"):
            return option
    return options[-1]


def name_of(events: Sequence[Event]) -> str:
    """What the events of a match are called together."""
    return "+".join(one.id for one in events)


def two_input_node(world: World, width: int, *, negated: bool) -> TwoInputNode:
    """A node with arbitrary windows for each of `width` left events, keys and condition."""

    def condition(events: Sequence[Event]) -> bool:
        return world.truth(f"condition of {name_of(events)}")

    def key(events: PartialMatch) -> Hashable:
        return cast(Hashable, world.integer(f"key of {name_of(events)}"))

    return TwoInputNode(
        name="node",
        rule="R",
        left=tuple(f"left {number}" for number in range(1, width + 1)),
        right="right",
        negated=negated,
        condition=condition,
        minima=world.integers("minimum", width),
        maxima=world.integers("maximum", width),
        left_key=key,
        right_key=key,
    )


def alike(world: World, node: TwoInputNode, partial: PartialMatch, right: Event) -> bool:
    """A pair meets the conditions of a node that are not about time: its keys are equal and the rest holds."""
    return world.formula(
        f"{name_of(partial)} meets {right.id}",
        lambda: bool(node.left_key(partial) == node.right_key((right,))) and bool(node.condition((*partial, right))),
    )


# --- Histories ------------------------------------------------------------------------------------------------------


class Sample:
    """A history: some entries, and others none of whose events is earlier than `floors`."""

    __slots__ = ("entries", "floors", "world")

    def __init__(self, world: World, entries: PlainHistory, floors: tuple[int, ...]) -> None:
        self.world = world
        self.entries = entries
        self.floors = floors

    def __len__(self) -> int:
        raise NotImplementedError("nobody knows how many entries there are")

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def stored(self, entry: Entry) -> Sample:
        return Sample(self.world, self.entries.stored(entry), self.floors)

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        return self.entries.overlapping(opens, closes, key)

    def passed(self, bound: int) -> tuple[Sample, Sequence[Entry]]:
        staying, leaving = self.entries.passed(bound)
        return self._fewer(staying), leaving

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[Sample, Sequence[Entry]]:
        staying, leaving = self.entries.parted(stays)
        return self._fewer(staying), leaving

    def without(self, entries: Iterable[Entry]) -> Sample:
        return self._fewer(self.entries.without(entries))

    def earliest(self, position: int) -> int:
        return lowest(self.floors[position], *(entry.events[position].timestamp for entry in self.entries))

    def _fewer(self, entries: PlainHistory) -> Sample:
        """Some of the other entries are gone too, so that the least timestamps may be later."""
        floors = tuple(self.world.fresh("earliest of the others") for _ in self.floors)
        self.world.assume(pointwise(self.floors, floors))
        return Sample(self.world, entries, floors)


def left_sample(world: World, node: TwoInputNode, *partials: PartialMatch) -> Sample:
    """A left history that holds these partial matches and any others."""
    entries = PlainHistory(tuple(left_entry(node, partial) for partial in partials))
    return Sample(world, entries, world.integers("earliest of the other left events", len(node.left)))


def right_sample(world: World, node: TwoInputNode, *events: Event) -> Sample:
    """A right history that holds these events and any others."""
    entries = PlainHistory(tuple(right_entry(node, one) for one in events))
    return Sample(world, entries, (world.integer("earliest of the other right events"),))


def holds(history: History, events: PartialMatch) -> bool:
    """Whether a history holds these very events."""
    return bool(occurrences(history, events))


def occurrences(history: History, events: PartialMatch) -> list[Entry]:
    """The entries of a history that are these very events."""
    return [entry for entry in history if _identical(entry.events, events)]


def emitted(tokens: Iterable[Token], events: PartialMatch) -> list[Token]:
    """The tokens that carry these very events."""
    return [token for token in tokens if isinstance(token.payload, tuple) and _identical(token.payload, events)]


def _identical(first: Sequence[Event], second: Sequence[Event]) -> bool:
    return [one.id for one in first] == [one.id for one in second]


# --- Taking a step --------------------------------------------------------------------------------------------------


def fire(world: World, rule: str, node: Node, data: Data, token: Token, *, capacity: int | None = None) -> Outcome:
    """The outcome of a local rule, by its id, in the machine's own code. `capacity` is that of both histories."""
    (info,) = (info for info in all_rules() if info.id == rule)
    function = getattr(sys.modules[info.function.__module__], info.function.__name__)
    return cast(Outcome, function(Site(node, world.repairs, capacity, capacity), data, token))


def first_outcome(
    world: World, family: Family, node: Node, side: Side, data: Data, token: Token, *, capacity: int | None = None
) -> Outcome:
    """What comes of a token when the rules are asked one after the other, as `Machine._apply` does."""
    for info in rules_for(family, kind_of(node), side, token.payload is not None):
        outcome = fire(world, info.id, node, data, token, capacity=capacity)
        if outcome is not None:
            return outcome
    return None


def effect(world: World, rule: str, node: Node, data: Data, token: Token) -> Effect | None:
    """The effect of a rule; None where its premises do not hold."""
    outcome = fire(world, rule, node, data, token)
    return outcome if isinstance(outcome, Effect) else None


def beta(tokens: Iterable[Token]) -> list[BetaToken]:
    """The tokens, which are beta tokens."""
    found = list(tokens)
    assert all(isinstance(token, BetaToken) for token in found)
    return cast(list[BetaToken], found)


def two_input_data(data: Data) -> TwoInputData:
    """The data, which is that of a two-input node."""
    assert isinstance(data, TwoInputData)
    return data


def respects(bounds: Sequence[int], payload: PartialMatch | None) -> bool:
    """A payload is not earlier than bounds that were promised before it."""
    return True if payload is None else pointwise(bounds, times_of(payload))


def below_history(bounds: Sequence[int], history: Sample) -> bool:
    """Bounds are true of all that is stored."""
    return every([pointwise(bounds, history.floors), *(respects(bounds, entry.events) for entry in history)])


def sequence_claims(promised: Sequence[int], tokens: Sequence[BetaToken]) -> Claims:
    """The contract between what was promised and the tokens of a step, and among these."""
    claims = []
    for number, token in enumerate(tokens, 1):
        claims.append((f"what was promised is true of result {number}", respects(promised, token.payload)))
        claims.append(
            (f"the bounds of result {number} are not below what was promised", pointwise(promised, token.bounds))
        )
        for other, later in enumerate(tokens[number:], number + 1):
            claims.append(
                (f"the bounds of result {number} are true of result {other}", respects(token.bounds, later.payload))
            )
            claims.append(
                (f"bounds do not decrease from result {number} to {other}", pointwise(token.bounds, later.bounds))
            )
    return claims
