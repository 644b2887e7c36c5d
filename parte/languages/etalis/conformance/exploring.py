"""The dependence of a result on the order of equally long events at one instant, on the policy, and on the readings of
E.

E defines no order of the events of an instant (defect 28), the specification does (etalis-order). Shorter events always
come first, because they are parts of longer ones, or absent in them. Where no goal is consumed or passed over, the rest
of the order makes no difference; under a policy it may, and then the result is a choice of the specification, not of
the program.
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
from parte.languages.etalis.running import CHOSEN, POLICY
from parte.languages.etalis.semantics.binarisation import Kind
from parte.languages.etalis.semantics.goals import Store
from parte.languages.etalis.semantics.machine import Entry, Machine, Node
from parte.languages.etalis.semantics.nodes import Joined, Negated
from parte.languages.etalis.semantics.policies import POLICIES, Choice
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number

USUAL_RUNS = 2_000
"""The number of runs under one policy and reading, unless another number is given."""

Outcome = tuple[IntervalEvent, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """The results under some options: the result in the order of the specification, those in all orders, whether these
    are complete, the number of runs, and the result of the definition; None if it has none."""

    options: Mapping[str, str]
    result: Outcome
    outcomes: frozenset[Outcome]
    complete: bool
    runs: int
    meant: Outcome | None

    @property
    def sometimes(self) -> list[IntervalEvent]:
        """The events that happen in some orders only."""
        always = frozenset.intersection(*map(frozenset, self.outcomes))
        return sorted(frozenset[IntervalEvent]().union(*self.outcomes) - always, key=_place)

    @property
    def wrong(self) -> bool:
        """True if the machine contradicts the definition, or if an order makes a difference although no policy
        selects."""
        selecting = POLICY in self.options
        return (self.meant is not None and self.meant != self.result) or (not selecting and len(self.outcomes) > 1)


def _place(event: IntervalEvent) -> tuple[object, ...]:
    return event.end, event.start, event.name, str(event.arguments)


def choices(policy: str | None = None) -> list[dict[str, str]]:
    """Return the options to explore: none, each policy, each other reading."""
    explored_options: list[dict[str, str]] = [{}]
    explored_options += [{POLICY: name} for name in CHOSEN[POLICY][1:] if policy in (None, name)]
    return explored_options + [{name: value} for name, values in CHOICES.items() for value in values[1:]]


def explore(
    program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str], most: int = USUAL_RUNS
) -> Explored:
    """Explore all orders under some options, in at most `most` runs. Raise TooManyEvents or NumberTooLarge;
    TooManyFindings if the definition would take too long."""
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
    result, *_ = progress.results  # the result of the first run
    meant = _meant(program, instants, options)
    return Explored(options, result, frozenset(progress.results), progress.ended == "all", runs, meant)


def _meant(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Outcome | None:
    readings = Readings(**{name: value for name, value in options.items() if name != POLICY})
    try:
        return tuple(evaluate(program, instants, readings, options.get(POLICY, CHOSEN[POLICY][0])))
    except Recursive:
        return None


class _Enough(Exception):
    """The limit of runs is reached."""


class _Guided(Machine):
    """A machine that takes equally long events in the order of a guide. The order of events that no rule uses makes no
    difference, so they are taken at once."""

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
        # A guide tries the first choice, and the second at the very end: of too many runs, those that begin with the
        # last ones come first.
        entry = idle[0] if idle else self._guide.choice([ties[0], *ties[:0:-1]])
        self._agenda.remove(entry)
        heapq.heapify(self._agenda)
        return entry

    def _at(
        self, now: Number, arrived: Sequence[tuple[Kind, Arguments]], moments: Sequence[Kind]
    ) -> list[IntervalEvent]:
        derived = super()._at(now, arrived, moments)
        self._results += derived
        return derived

    def _state(self) -> Hashable:
        """Return the state on which the rest of the run depends, with the results so far."""
        agenda = frozenset((entry[4].rank, entry[5], entry[6], entry[7] is None) for entry in self._agenda)
        return (
            self._now,
            agenda,
            frozenset(self._happened),
            tuple(self._results),
            frozenset(self._derived),
            tuple(_state_of(node, self.policy.choice is Choice.ALL) for node in self._nodes),
        )


def _state_of(node: Node, together: bool) -> Hashable:
    """Return the goals that a node stores; `together` if it takes all goals, so that their order does not matter."""
    match node:
        case Joined(stores=stores):
            return tuple(_goals(store, together) for store in stores)
        case Negated(store=store, blocks=blocks, pierced=pierced, at=at):
            absent = frozenset(
                (key, tuple(blocks_of_key.starts), tuple(blocks_of_key.ends)) for key, blocks_of_key in blocks.items()
            )
            return _goals(store, together), absent, frozenset(pierced), at
        case _:
            return None


def _goals(store: Store, together: bool) -> Hashable:
    by_key = (
        (key, zip(goals_of_key.starts, goals_of_key.ends, goals_of_key.values, strict=True))
        for key, goals_of_key in store.goals.items()
    )
    return frozenset((key, frozenset(goals) if together else tuple(goals)) for key, goals in by_key)
