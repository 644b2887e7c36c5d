"""Arbitrary nodes, events and histories for the lemmas.

A history has the entries that a lemma is about and any number of others, of which only the least timestamps are known.
That is enough: a rule treats each entry of a history separately (`theorems.frame`), and the only value that it takes
from all entries together is the least timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

from parte.checker.solver.branching import text
from parte.proofs import statements as neutral_statements
from parte.proofs.any_length import ANY, AnyLength, Chosen, Position, Width, understood_by
from parte.proofs.partelang import statements
from parte.proofs.partelang.statements import times_of
from parte.proofs.sorted_sequences import NotOfAnyLength
from parte.proofs.statements import below_all, every, once, pointwise
from parte.proofs.symbolic import Run
from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.partelang import expressions, kernel
from parte.semantics.partelang.histories import Entry, History, PlainHistory
from parte.semantics.partelang.network import EntryNode, Node, Side, TwoInputNode
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rulebook import rule_called
from parte.semantics.partelang.rules import collection, entry, premises
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import (
    Conclusion,
    Data,
    Effect,
    Kind,
    LocalRule,
    Site,
    TwoInputData,
    kind_of,
    rules_for,
)
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import BetaToken, PartialMatch, Token
from parte.semantics.rulebook.connectives import lowest

_Option = TypeVar("_Option")

understood_by(*map(vars, (kernel, expressions, premises, collection, entry, neutral_statements, statements)), globals())

# --- Events and conditions ------------------------------------------------------------------------------------------


def event(run: Run, name: str) -> Event:
    """Return an event at an arbitrary time."""
    return event_at(name, run.integer(f"timestamp of {name}"))


def event_at(name: str, timestamp: int, template: str = "T") -> Event:
    """Return an event at a given time."""
    return Event(name, template, timestamp, {}, "s")


def partial_match(run: Run, name: str, width: int | Width) -> PartialMatch:
    """Return a partial match of `width` events at arbitrary times."""
    if isinstance(width, Width):
        return cast(PartialMatch, AnyLength(run.positions(), lambda place: event(run, f"{name} at {place}"), name))
    return tuple(event(run, f"{name}.{number}") for number in range(1, width + 1))


def name_of(events: Sequence[Event]) -> str:
    """Return a name for the events of a match together."""
    return "+".join(names_of(events))


def names_of(events: Sequence[Event] | AnyLength) -> list[str]:
    """Return the ids of the events of a match; one name for any number of them."""
    if isinstance(events, AnyLength):
        return [events.name, *(event.id for event in events.tail)]
    return [event.id for event in events]


def width_of(sequence: Sequence[object] | AnyLength) -> int | Width:
    """Return the number of elements of a sequence, as far as it is known."""
    return ANY if isinstance(sequence, AnyLength) else len(sequence)


def parts_of(bounds: Sequence[int] | AnyLength, width: int | Width) -> tuple[Sequence[int], Sequence[int]]:
    """Return the first `width` of some bounds, and the others."""
    if isinstance(bounds, AnyLength):
        return cast("Sequence[int]", AnyLength(bounds.positions, bounds.at, bounds.name)), bounds.tail
    assert isinstance(width, int)
    return bounds[:width], bounds[width:]


def two_input_node(run: Run, width: int | Width, *, negated: bool) -> TwoInputNode:
    """Return a node with arbitrary windows for each of `width` left events, keys and condition."""

    def condition(events: Sequence[Event]) -> bool:
        return run.truth(f"condition of {name_of(events)}")

    def left_key(events: PartialMatch) -> Hashable:
        return cast(Hashable, run.integer(f"left key of {name_of(events)}"))

    def right_key(events: PartialMatch) -> Hashable:
        return cast(Hashable, run.integer(f"right key of {name_of(events)}"))

    return TwoInputNode(
        name="node",
        rule="R",
        left=() if isinstance(width, Width) else tuple(f"left {number}" for number in range(1, width + 1)),
        right="right",
        negated=negated,
        condition=condition,
        minima=run.integers("minimum", width),
        maxima=run.integers("maximum", width),
        left_key=left_key,
        right_key=right_key,
    )


def with_tail(sequence: tuple[_Option, ...], tail: tuple[_Option, ...]) -> tuple[_Option, ...]:
    """Return a sequence followed by a tail; a sequence of any length cannot be unpacked."""
    return sequence + tail


def alike(run: Run, node: TwoInputNode, partial: PartialMatch, right: Event) -> bool:
    """Return whether a pair meets the non-temporal conditions of a node: its keys are equal and the rest holds."""
    own = (right,)
    return run.formula(
        f"{name_of(partial)} meets {right.id}",
        lambda: bool(node.left_key(partial) == node.right_key(own)) and bool(node.condition(with_tail(partial, own))),
    )


def timestamps_of_each(run: Run, positions: dict[str, int]) -> tuple[core.TimestampOf, tuple[core.TimestampOf, ...]]:
    """Return the timestamp of one event of a match, and those of any number of them.

    `positions` gets the positions of their events.
    """
    places = run.positions()

    def timestamp(place: Position) -> core.TimestampOf:
        positions[str(place)] = cast(int, place)
        return core.TimestampOf(str(place))

    timestamps = AnyLength(places, timestamp, "timestamps")
    return timestamp(places.position("the one")), cast("tuple[core.TimestampOf, ...]", timestamps)


class Results:
    """Any number of results of a step, with three arbitrary ones: one, the next, and the last."""

    def __init__(self, run: Run, width: int | Width) -> None:
        places = run.positions("results")
        self._places = [places.position(name) for name in ("one", "the next", "the last")]
        first, following, last = self._places
        first.following, last.last = following, True
        self._results = AnyLength(places, lambda place: partial_match(run, f"result at {place}", width), "results")
        self.results = cast(Sequence[PartialMatch], self._results)

    def looked_at(self, tokens: Sequence[BetaToken]) -> list[BetaToken]:
        """Return the tokens at the three places, in order."""
        sequence = cast(AnyLength, tokens)
        if sequence.backwards or sequence.positions is not self._results.positions:
            raise NotOfAnyLength("the tokens are not those of the results in their order")
        return [cast(BetaToken, sequence.at(place)) for place in self._places]

    def own(self, tokens: Sequence[BetaToken]) -> bool:
        """Return whether each token carries the result of its place."""
        return [token.payload for token in tokens] == [self._results.at(place) for place in self._places]


def a_place(run: Run) -> int:
    """Return an arbitrary place among any number of left events."""
    return cast(int, run.positions().position("the one"))


# --- Sources --------------------------------------------------------------------------------------------------------


class Sources:
    """An entry node with any number of sources, of which some are external; one arbitrary source is in `slot`."""

    def __init__(self, run: Run) -> None:
        self._all = run.positions("sources")
        self._place = place = self._all.position("the one", special=True)
        external = run.positions("external sources")
        self._external = Chosen(external, lambda number: self._all.position(f"the {number}"), "external sources")
        self.slot = cast(int, place)
        self.entry = EntryNode("entry:T", "T", (), cast("tuple[int, ...]", self._external))

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an arbitrary time for each source."""
        return cast("tuple[int, ...]", self._all.arbitrary(name))

    @property
    def takes_turns(self) -> bool:
        """True if the one source is external."""
        return self.slot in self.entry.external

    def promises_least(self, bounds: Sequence[int]) -> bool:
        """Return whether no external source has promised less than the one."""
        return below_all(bounds[self.slot], tuple(map(bounds.__getitem__, self._external)))

    def others(self, conditions: Sequence[bool]) -> bool:
        """Return whether the conditions of all other sources hold."""
        every_one = cast(AnyLength, conditions)
        return every(AnyLength(self._all, lambda slot: slot is self._place or every_one.at(slot), every_one.name))


# --- Histories ------------------------------------------------------------------------------------------------------


class Sample:
    """A history: some entries, and others whose events are not earlier than `floors`; without these, no others.

    Each operation is applied to each entry separately, as one condition: the lemmas `history-*` prove that a
    `PlainHistory` of several entries gives the same results.
    """

    __slots__ = ("entries", "floors", "run")

    def __init__(self, run: Run, entries: PlainHistory, floors: tuple[int, ...]) -> None:
        self.run = run
        self.entries = entries
        self.floors = floors

    def __len__(self) -> int:
        if self.floors:
            raise NotImplementedError("nobody knows how many entries there are")
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def stored(self, entry: Entry) -> Sample:
        return Sample(self.run, self.entries.stored(entry), self.floors)

    def overlapping(self, opens: int, closes: int, key: Hashable) -> Sequence[Entry]:
        def overlaps(entry: Entry) -> bool:
            times = (entry.opens, entry.closes, entry.key, opens, closes, key)
            question = f"overlap of {', '.join(map(text, times))}"
            return self.run.formula(question, lambda: bool(PlainHistory((entry,)).overlapping(opens, closes, key)))

        return [entry for entry in self.entries if overlaps(entry)]

    def passed(self, bound: int) -> tuple[Sample, Sequence[Entry]]:
        staying, leaving = self.entries.passed(bound)
        return self._fewer(staying), leaving

    def parted(self, stays: Callable[[Entry], bool]) -> tuple[Sample, Sequence[Entry]]:
        staying, leaving = self.entries.parted(stays)
        return self._fewer(staying), leaving

    def without(self, entries: Iterable[Entry]) -> Sample:
        return self._fewer(self.entries.without(entries))

    def earliest(self, position: int) -> int:
        alone = [PlainHistory((entry,)).earliest(position) for entry in self.entries]
        return lowest((self._floor(position), *alone))

    def _floor(self, position: int) -> int:
        if isinstance(self.floors, AnyLength) or position in range(len(self.floors)):
            return self.floors[position]
        return POSITIVE_INFINITY

    def _fewer(self, entries: PlainHistory) -> Sample:
        """Return the history without some other entries, too, so that the least timestamps may be later."""
        floors = self.run.fresh("earliest of the others", width_of(self.floors))
        self.run.assume(pointwise(self.floors, floors))
        return Sample(self.run, entries, floors)


def just(run: Run, *entries: Entry) -> Sample:
    """Return a history with exactly these entries."""
    return Sample(run, PlainHistory(entries), ())


def left_sample(run: Run, node: TwoInputNode, *partials: PartialMatch) -> Sample:
    """Return a left history with these partial matches and any others."""
    entries = PlainHistory(tuple(left_entry(node, partial) for partial in partials))
    return Sample(run, entries, run.integers("earliest of the other left events", width_of(node.minima)))


def right_sample(run: Run, node: TwoInputNode, *events: Event) -> Sample:
    """Return a right history with these events and any others."""
    entries = PlainHistory(tuple(right_entry(node, event) for event in events))
    return Sample(run, entries, (run.integer("earliest of the other right events"),))


def holds(history: History, events: PartialMatch) -> bool:
    """Return whether a history holds these very events."""
    return bool(occurrences(history, events))


def occurrences(history: History, events: PartialMatch) -> list[Entry]:
    """Return the entries of a history that are these very events."""
    return [entry for entry in history if _identical(entry.events, events)]


def emitted(tokens: Iterable[Token], events: PartialMatch) -> list[Token]:
    """Return the tokens that carry these very events."""
    return [token for token in beta(tokens) if token.payload is not None and _identical(token.payload, events)]


def _identical(first: Sequence[Event], second: Sequence[Event]) -> bool:
    return names_of(first) == names_of(second)


# --- Widths ---------------------------------------------------------------------------------------------------------


def name_of_width(width: int | Width) -> str:
    """Return the number of left events, for the id of a lemma."""
    return "any" if isinstance(width, Width) else str(width)


def events_per_match(width: int | Width) -> str:
    """Return the number of left events, for the scope of a lemma."""
    number = "any number of events" if isinstance(width, Width) else "1 event" if width in (1,) else f"{width} events"
    return f"{number} per left partial match"


# --- Taking a step --------------------------------------------------------------------------------------------------


def local_rule(rule: str) -> LocalRule:
    """Return the rule of →l with an id."""
    info = rule_called(rule)
    assert isinstance(info, LocalRule)
    return info


def from_left(rule: str) -> bool:
    """Return whether a rule is for tokens from the left; other rules of two-input nodes are for the right."""
    return local_rule(rule).side is Side.LEFT


def of_not_node(rule: str) -> bool:
    """Return whether a rule is of not-nodes."""
    return local_rule(rule).kind is Kind.NOT


def without_payload(rule: str) -> bool:
    """Return whether a rule is only for tokens without a payload."""
    return local_rule(rule).payload is False


def fire(
    run: Run,
    rule: str,
    node: Node,
    data: Data,
    token: Token,
    *,
    capacity: int | None = None,
    informs: bool = True,
    limited: bool = True,
) -> Conclusion:
    """Return the outcome of a local rule, by its id, by the machine's code. `capacity` applies to both histories."""
    return local_rule(rule).function(Site(node, run.repairs, capacity, capacity, informs, limited), data, token)


def first_outcome(
    run: Run,
    family: Family,
    node: Node,
    side: Side,
    data: Data,
    token: Token,
    *,
    capacity: int | None = None,
    informs: bool = True,
    limited: bool = True,
) -> Conclusion:
    """Return the outcome of a token when the rules are tried one after the other, as in `Machine._apply`."""
    for info in rules_for(family, kind_of(node), side, token.payload is not None):
        outcome = fire(run, info.id, node, data, token, capacity=capacity, informs=informs, limited=limited)
        if outcome is not None:
            return outcome
    return None


def effect(run: Run, rule: str, node: Node, data: Data, token: Token) -> Effect | None:
    """Return the effect of a rule; None if its premises do not hold."""
    outcome = fire(run, rule, node, data, token)
    return outcome if isinstance(outcome, Effect) else None


def only_effect(run: Run, rules: Iterable[str], node: Node, data: Data, token: Token) -> Effect | None:
    """Return the effect of the one rule that applies; None unless exactly one does."""
    applied = [result for rule in rules if (result := effect(run, rule, node, data, token)) is not None]
    return applied[0] if once(applied) else None


def arriving(
    run: Run, rule: str, contract: Sequence[int], own: PartialMatch, *, arrives: bool, came: bool
) -> BetaToken:
    """Return a token for a rule that keeps the contract of its edge: with `own`, if that `arrives`.

    If not, it has another payload or none, as the rule demands, and is true of `own` unless that `came` before.
    """
    bounds = run.integers("arriving bound", width_of(contract))
    run.assume(pointwise(contract, bounds))
    if arrives:
        return BetaToken(bounds, own)
    payload = None if without_payload(rule) else partial_match(run, "another", width_of(contract))
    run.assume(respects(contract, payload), came or pointwise(bounds, times_of(own)))
    return BetaToken(bounds, payload)


def beta(tokens: Iterable[Token]) -> list[BetaToken]:
    """Return the tokens, which must be beta tokens."""
    listed = list(tokens)
    assert all(isinstance(token, BetaToken) for token in listed)
    return cast("list[BetaToken]", listed)


def two_input_data(data: Data) -> TwoInputData:
    """Return the data, which must be that of a two-input node."""
    assert isinstance(data, TwoInputData)
    return data


def respects(bounds: Sequence[int], payload: PartialMatch | None) -> bool:
    """Return whether a payload is not earlier than the bounds promised before it."""
    return True if payload is None else pointwise(bounds, times_of(payload))
