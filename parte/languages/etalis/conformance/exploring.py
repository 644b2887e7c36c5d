"""What the result of a program on a stream depends on: the order of what is equally long at one instant, the policy,
and how E is read.

E names no order of the events of an instant (defect 28), the specification does (etalis-order). Shorter ones come first
in any case, for they are parts of longer ones, or absent in them. Where no goal is used up or passed over, the rest of
the order makes no difference; under a policy it may, and then the result is a choice of the specification, not of the
program.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.conformance.engine import CHOSEN, POLICY
from parte.languages.etalis.semantics.binarisation import Kind
from parte.languages.etalis.semantics.goals import Store
from parte.languages.etalis.semantics.machine import Entry, Machine, Node
from parte.languages.etalis.semantics.nodes import Joined, Negated
from parte.languages.etalis.semantics.policies import POLICIES, Choice
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number

USUAL_RUNS = 2_000
"""So many runs under one policy and reading, unless another number is given."""

Outcome = tuple[IntervalEvent, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found under options: the result in the order of the specification, those in all orders, whether these
    are all, in how many runs they were found, and what the definition says; None if it says nothing."""

    options: Mapping[str, str]
    result: Outcome
    outcomes: frozenset[Outcome]
    complete: bool
    runs: int
    meant: Outcome | None

    @property
    def sometimes(self) -> list[IntervalEvent]:
        """What happens in some orders only."""
        always = frozenset.intersection(*map(frozenset, self.outcomes))
        return sorted(frozenset[IntervalEvent]().union(*self.outcomes) - always, key=_place)

    @property
    def wrong(self) -> bool:
        """Whether the machine contradicts the definition, or an order makes a difference where nothing is selected."""
        selecting = POLICY in self.options
        return (self.meant is not None and self.meant != self.result) or (not selecting and len(self.outcomes) > 1)


def _place(event: IntervalEvent) -> tuple[object, ...]:
    return event.end, event.start, event.name, str(event.arguments)


def choices(policy: str | None = None) -> list[dict[str, str]]:
    """The options that are looked at: none, each policy, each other reading."""
    asked: list[dict[str, str]] = [{}]
    asked += [{POLICY: name} for name in CHOSEN[POLICY][1:] if policy in (None, name)]
    return asked + [{name: value} for name, values in CHOICES.items() for value in values[1:]]


def explore(
    program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str], most: int = USUAL_RUNS
) -> Explored:
    """All orders under some options, in at most so many runs. TooManyEvents, NumberTooLarge; TooManyFindings if it is
    too much for the definition."""
    seen: set[Hashable] = set()
    left: list[tuple[int, ...]] = [()]
    outcomes: set[Outcome] = set()
    runs = 0
    result: Outcome | None = None
    while left and runs < most:
        machine = _Scripted(program, options, left.pop(), seen)
        runs += 1
        try:
            outcome = tuple(machine.run(instants))
        except _Seen:
            outcome = None
        left += machine.others
        if outcome is not None:
            outcomes.add(outcome)
            result = outcome if result is None else result
    assert result is not None  # the first run has seen nothing
    return Explored(options, result, frozenset(outcomes), not left, runs, _meant(program, instants, options))


def _meant(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Outcome | None:
    readings = Readings(**{name: value for name, value in options.items() if name != POLICY})
    try:
        return tuple(evaluate(program, instants, readings, options.get(POLICY, CHOSEN[POLICY][0])))
    except Recursive:
        return None


class _Seen(Exception):
    """A run is where another one was."""


class _Scripted(Machine):
    """A machine that takes from what is equally long as a script says, then the first; `others` are scripts that say
    something else there. What no rule looks for makes no difference and is taken at once."""

    __slots__ = ("_done", "_instant", "_results", "_script", "others", "seen")

    def __init__(
        self, program: tree.Program, options: Mapping[str, str], script: tuple[int, ...], seen: set[Hashable]
    ) -> None:
        readings = {name: options.get(name, values[0]) for name, values in CHOICES.items()}
        policy = POLICIES[options.get(POLICY, CHOSEN[POLICY][0])]
        super().__init__(program, policy, readings["lasting"], readings["negation"], readings["during"])
        self._script = script
        self._done: tuple[int, ...] = ()
        self._results: list[IntervalEvent] = []
        self.others: list[tuple[int, ...]] = []
        self.seen = seen

    def _next(self) -> Entry:
        length = self._agenda[0][0]
        ties = sorted(entry for entry in self._agenda if entry[0] == length)
        idle = [entry for entry in ties if entry[4].rank not in self._uses and entry[7] is None]
        place = ties.index(idle[0]) if idle else self._chosen(len(ties))
        entry = ties[place]
        self._agenda.remove(entry)
        heapq.heapify(self._agenda)
        return entry

    def _chosen(self, count: int) -> int:
        if count == 1:
            return 0
        if len(self._done) < len(self._script):
            place = self._script[len(self._done)]
        else:
            state = self._state()
            if state in self.seen:
                raise _Seen
            self.seen.add(state)
            self.others += [(*self._done, other) for other in range(1, count)]
            place = 0
        self._done = (*self._done, place)
        return place

    def _at(self, now: Number, given: Sequence[tuple[Kind, Arguments]], moments: Sequence[Kind]) -> list[IntervalEvent]:
        found = super()._at(now, given, moments)
        self._results += found
        return found

    def _state(self) -> Hashable:
        """All that what is still to come depends on, and what was found."""
        agenda = frozenset((entry[4].rank, entry[5], entry[6], entry[7] is None) for entry in self._agenda)
        return (
            self._now,
            agenda,
            frozenset(self._happened),
            tuple(self._results),
            frozenset(self._found),
            tuple(_kept(node, self.policy.choice is Choice.ALL) for node in self._nodes),
        )


def _kept(node: Node, together: bool) -> Hashable:
    """What a binary rule keeps; `together` if it takes all goals, so that their order does not matter."""
    match node:
        case Joined(stores=stores):
            return tuple(_goals(store, together) for store in stores)
        case Negated(store=store, blocks=blocks, pierced=pierced, at=at):
            absent = frozenset((key, tuple(each.starts), tuple(each.ends)) for key, each in blocks.items())
            return _goals(store, together), absent, frozenset(pierced), at
        case _:
            return None


def _goals(store: Store, together: bool) -> Hashable:
    found = ((key, zip(each.starts, each.ends, each.values, strict=True)) for key, each in store.goals.items())
    return frozenset((key, frozenset(goals) if together else tuple(goals)) for key, goals in found)
