"""What the result of a program on a stream depends on: the order of what is equally long at one instant, the policy,
and how E is read.

E names no order of the events of an instant (defect 28), the specification does (etalis-order). Shorter ones come first
in any case, for they are parts of longer ones, or absent in them. Where no goal is used up or passed over, the rest of
the order makes no difference; under a policy it may, and then the result is a choice of the specification, not of the
program.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from parte.conformance.choices import Guide, Progress
from parte.conformance.choices import explore as search
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
    runs = 0

    def play(guide: Guide) -> Outcome:
        nonlocal runs
        if runs == most:
            raise _Enough
        runs += 1
        return tuple(_Guided(program, options, guide).run(instants))

    progress: Progress[Outcome] = Progress()
    with suppress(_Enough):
        for progress in search(play, sys.maxsize, inf):
            if progress.ended == "interrupted":
                raise KeyboardInterrupt
    result, *_ = progress.results  # of the first run, which has seen nothing
    meant = _meant(program, instants, options)
    return Explored(options, result, frozenset(progress.results), progress.ended == "all", runs, meant)


def _meant(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Outcome | None:
    readings = Readings(**{name: value for name, value in options.items() if name != POLICY})
    try:
        return tuple(evaluate(program, instants, readings, options.get(POLICY, CHOSEN[POLICY][0])))
    except Recursive:
        return None


class _Enough(Exception):
    """There were as many runs as there may be."""


class _Guided(Machine):
    """A machine that takes from what is equally long as a guide says. What no rule looks for makes no difference and is
    taken at once."""

    __slots__ = ("_guide", "_instant", "_results")

    def __init__(self, program: tree.Program, options: Mapping[str, str], guide: Guide) -> None:
        readings = {name: options.get(name, values[0]) for name, values in CHOICES.items()}
        policy = POLICIES[options.get(POLICY, CHOSEN[POLICY][0])]
        super().__init__(program, policy, readings["lasting"], readings["negation"], readings["during"])
        self._guide = guide
        self._results: list[IntervalEvent] = []
        guide.state = lambda _: self._state()

    def _next(self) -> Entry:
        length = self._agenda[0][0]
        ties = sorted(entry for entry in self._agenda if entry[0] == length)
        idle = [entry for entry in ties if entry[4].rank not in self._uses and entry[7] is None]
        # A guide tries the first, and at last the second: of too many runs, those with the last instead come first.
        entry = idle[0] if idle else self._guide.choice([ties[0], *ties[:0:-1]])
        self._agenda.remove(entry)
        heapq.heapify(self._agenda)
        return entry

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
