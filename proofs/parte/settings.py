"""Arbitrary nodes, events and histories for the lemmas to speak of.

A history holds the entries that a lemma speaks of and any number of others, of which only the least timestamps are
known. That is enough: what a rule does with a history it does with each entry of it (`theorems.frame`), and of all
entries together it asks for nothing but the least timestamps.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

from parte.checker.solver.branching import text
from parte.proofs.parte.statements import every, pointwise, times_of
from parte.proofs.symbolic import Claims, Run
from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.parte.histories import Entry, History, PlainHistory
from parte.semantics.parte.network import Node, Side, TwoInputNode
from parte.semantics.parte.repairs import Family
from parte.semantics.parte.rulebook import RULEBOOK
from parte.semantics.parte.rules.premises import left_entry, right_entry
from parte.semantics.parte.rules.registry import (
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
from parte.semantics.parte.tokens import BetaToken, PartialMatch, Token
from parte.semantics.rulebook.connectives import lowest

_Option = TypeVar("_Option")

# --- Events and conditions ------------------------------------------------------------------------------------------


def event(run: Run, name: str) -> Event:
    """An event at an arbitrary time."""
    return event_at(name, run.integer(f"timestamp of {name}"))


def event_at(name: str, timestamp: int, template: str = "T") -> Event:
    """An event at a given time."""
    return Event(name, template, timestamp, {}, "s")


def partial_match(run: Run, name: str, width: int) -> PartialMatch:
    """A partial match of `width` events at arbitrary times."""
    return tuple(event(run, f"{name}.{number}") for number in range(1, width + 1))


def choice(run: Run, name: str, options: Sequence[_Option]) -> _Option:
    """One of several; the run forks."""
    for number, option in enumerate(options[:-1], 1):
        if run.truth(f"{name}: option {number}"):
            return option
    return options[-1]


def name_of(events: Sequence[Event]) -> str:
    """What the events of a match are called together."""
    return "+".join(one.id for one in events)


def two_input_node(run: Run, width: int, *, negated: bool) -> TwoInputNode:
    """A node with arbitrary windows for each of `width` left events, keys and condition."""

    def condition(events: Sequence[Event]) -> bool:
        return run.truth(f"condition of {name_of(events)}")

    def left_key(events: PartialMatch) -> Hashable:
        return cast(Hashable, run.integer(f"left key of {name_of(events)}"))

    def right_key(events: PartialMatch) -> Hashable:
        return cast(Hashable, run.integer(f"right key of {name_of(events)}"))

    return TwoInputNode(
        name="node",
        rule="R",
        left=tuple(f"left {number}" for number in range(1, width + 1)),
        right="right",
        negated=negated,
        condition=condition,
        minima=run.integers("minimum", width),
        maxima=run.integers("maximum", width),
        left_key=left_key,
        right_key=right_key,
    )


def alike(run: Run, node: TwoInputNode, partial: PartialMatch, right: Event) -> bool:
    """A pair meets the conditions of a node that are not about time: its keys are equal and the rest holds."""
    return run.formula(
        f"{name_of(partial)} meets {right.id}",
        lambda: bool(node.left_key(partial) == node.right_key((right,))) and bool(node.condition((*partial, right))),
    )


# --- Histories ------------------------------------------------------------------------------------------------------


class Sample:
    """A history: some entries, and others none of whose events is earlier than `floors`; without these, no others.

    Each question is put to each entry by itself, as one condition: that a `PlainHistory` of several entries gives the
    same answers is for the lemmas `history-*`.
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
            asked = f"overlap of {', '.join(map(text, times))}"
            return self.run.formula(asked, lambda: bool(PlainHistory((entry,)).overlapping(opens, closes, key)))

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
        return lowest(*(self.floors[position : position + 1] or (POSITIVE_INFINITY,)), *alone)

    def _fewer(self, entries: PlainHistory) -> Sample:
        """Some of the other entries are gone too, so that the least timestamps may be later."""
        floors = tuple(self.run.fresh("earliest of the others") for _ in self.floors)
        self.run.assume(pointwise(self.floors, floors))
        return Sample(self.run, entries, floors)


def just(run: Run, *entries: Entry) -> Sample:
    """A history that holds these entries and no others."""
    return Sample(run, PlainHistory(entries), ())


def left_sample(run: Run, node: TwoInputNode, *partials: PartialMatch) -> Sample:
    """A left history that holds these partial matches and any others."""
    entries = PlainHistory(tuple(left_entry(node, partial) for partial in partials))
    return Sample(run, entries, run.integers("earliest of the other left events", len(node.left)))


def right_sample(run: Run, node: TwoInputNode, *events: Event) -> Sample:
    """A right history that holds these events and any others."""
    entries = PlainHistory(tuple(right_entry(node, one) for one in events))
    return Sample(run, entries, (run.integer("earliest of the other right events"),))


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


def local_rule(rule: str) -> LocalRule:
    """The rule of →l with an id."""
    info = RULEBOOK[rule]
    assert isinstance(info, LocalRule)
    return info


def from_left(rule: str) -> bool:
    """Whether a rule is for tokens from the left; the others of two-input nodes are for those from the right."""
    return local_rule(rule).side is Side.LEFT


def of_not_node(rule: str) -> bool:
    """Whether a rule is of not-nodes."""
    return local_rule(rule).kind is Kind.NOT


def without_payload(rule: str) -> bool:
    """Whether a rule is for tokens without a payload alone."""
    return local_rule(rule).payload is False


def fire(
    run: Run, rule: str, node: Node, data: Data, token: Token, *, capacity: int | None = None, informs: bool = True
) -> Conclusion:
    """The outcome of a local rule, by its id, in the machine's own code. `capacity` is that of both histories."""
    return local_rule(rule).function(Site(node, run.repairs, capacity, capacity, informs), data, token)


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
) -> Conclusion:
    """What comes of a token when the rules are asked one after the other, as `Machine._apply` does."""
    for info in rules_for(family, kind_of(node), side, token.payload is not None):
        outcome = fire(run, info.id, node, data, token, capacity=capacity, informs=informs)
        if outcome is not None:
            return outcome
    return None


def effect(run: Run, rule: str, node: Node, data: Data, token: Token) -> Effect | None:
    """The effect of a rule; None where its premises do not hold."""
    outcome = fire(run, rule, node, data, token)
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
