"""Automata that are determinised during the run (specification: cel-determinisation; T §3.4, §4.2.1).

A state contains the set of states of the runs that mark the same events. It also contains what a strategy needs of the
rivals, the other runs that end at the same event: E are the states of those with the same marks, U of those that are
ahead, L of those that are behind but may get ahead (LAST).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parte.languages.cel.semantics.automata import SKIP, Automaton, IsType, Label
from parte.languages.cel.semantics.predicates import Test as Predicate
from parte.languages.cel.semantics.predicates import compiled
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax.tree import Strategy
from parte.semantics.events.event import Event

MAX_STATES = 100_000
"""The greatest number of deterministic states of a run; more are an error, not a hang."""

States = frozenset[int]
NONE: States = frozenset()
MARK: Label = frozenset("•")
"""The label of all marks if variables are not distinguished."""


class TooManyStates(RuntimeError):
    """A run needs more deterministic states than the limit."""

    def __init__(self) -> None:
        super().__init__(f"this query needs more than {MAX_STATES} states here; make it smaller")


@dataclass(frozen=True, slots=True)
class State:
    """The states of the runs that mark the same events, and of their rivals. `unmarked`: they have no marks yet."""

    runs: States
    equal: States = NONE
    ahead: States = NONE
    behind: States = NONE
    unmarked: bool = True
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        content = (self.runs, self.equal, self.ahead, self.behind, self.unmarked)
        object.__setattr__(self, "_hash", hash(content))

    def __hash__(self) -> int:
        """The hash, computed once: each event looks up states."""
        return self._hash


@dataclass(frozen=True, slots=True)
class Step:
    """The targets of transitions over one event: from each state with each label."""

    targets: Mapping[int, Mapping[Label, States]]

    def marked(self, states: States) -> dict[Label, States]:
        """Return the targets of states with a mark, for each label."""
        by_label: dict[Label, States] = {}
        for state in states:
            for label, targets in self.targets.get(state, {}).items():
                if label:
                    by_label[label] = by_label.get(label, NONE) | targets
        return by_label

    def marking(self, states: States) -> States:
        """Return the targets of states with any mark."""
        return NONE.union(*self.marked(states).values())

    def skipping(self, states: States) -> States:
        """Return the targets of states without a mark."""
        return NONE.union(*(self.targets.get(state, {}).get(SKIP, NONE) for state in states))


@dataclass(frozen=True, slots=True)
class _Guards:
    """The guards of an automaton by number: those for events of one type or of any type, and those for events of any
    type."""

    by_type: Mapping[str, list[tuple[int, list[Predicate]]]]
    of_any: list[tuple[int, list[Predicate]]]
    moves: list[tuple[int, int, Label, int]]
    """The transitions: source, number of the guard, label, target."""


def _guards(automaton: Automaton) -> _Guards:
    numbers = {
        guard: number
        for number, guard in enumerate(dict.fromkeys(transition.guard for transition in automaton.transitions))
    }
    moves = [
        (transition.source, numbers[transition.guard], transition.label, transition.target)
        for transition in automaton.transitions
    ]
    by_type: dict[str, list[tuple[int, list[Predicate]]]] = {}
    of_any: list[tuple[int, list[Predicate]]] = []
    for guard, number in numbers.items():
        types = {test.name for test in guard if isinstance(test, IsType)}
        tests = [compiled(test) for test in guard if not isinstance(test, IsType)]
        if not types:
            of_any.append((number, tests))
        elif len(types) == 1:  # an event has one type only
            by_type.setdefault(types.pop(), []).append((number, tests))
    return _Guards({name: [*of_any, *guards] for name, guards in by_type.items()}, of_any, moves)


class Determinised:
    """A deterministic automaton, constructed lazily.

    `labelled` distinguishes the marks of different variables; otherwise they are all the same. With `everywhere` the
    rivals are all runs that end at the same position, not only those that also start at the same position. `ambiguous`
    says whether a run could mark an event so far in two ways with different labels.
    """

    def __init__(
        self,
        automaton: Automaton,
        strategy: Strategy = Strategy.ALL,
        *,
        labelled: bool = False,
        everywhere: bool = False,
    ) -> None:
        self.automaton, self.strategy = automaton, strategy
        self.labelled, self.everywhere = labelled, everywhere
        self.ambiguous = False
        self._initial = State(frozenset([automaton.initial]))
        self._guards = _guards(automaton)
        self._steps: dict[frozenset[int], Step] = {}
        self._known: dict[tuple[State, frozenset[int]], tuple[tuple[Label, State], ...]] = {}
        self._states: set[State] = set()

    def passed(self, event: Event) -> frozenset[int]:
        """Return the guards that an event passes; the run depends on nothing else of the event."""
        candidates = self._guards.by_type.get(event.template, self._guards.of_any)
        return frozenset([number for number, tests in candidates if not tests or all(test(event) for test in tests)])

    def step(self, passed: frozenset[int]) -> Step:
        """Return the targets of the automaton's transitions over an event that passes these guards."""
        if passed not in self._steps:
            targets: dict[int, dict[Label, States]] = {}
            for source, guard, label, target in self._guards.moves:
                if guard in passed:
                    mark = label if self.labelled else MARK if label else SKIP
                    there = targets.setdefault(source, {})
                    there[mark] = there.get(mark, NONE) | {target}
            self._steps[passed] = Step(targets)
        return self._steps[passed]

    def beginning(self, elsewhere: States = NONE, marked_elsewhere: States = NONE) -> State:
        """Return the state in which runs begin; with the states of runs that began earlier, without marks and with
        some."""
        if self.strategy in _STEPS:
            initial = self._initial.runs
            return State(initial, initial | elsewhere, marked_elsewhere)
        return self._initial

    def successors(self, state: State, passed: frozenset[int]) -> tuple[tuple[Label, State], ...]:
        """Return the next states over an event that passes these guards, one for each mark; the marked ones first."""
        known = self._known.get((state, passed))
        if known is None:
            known = tuple(self._successors(state, self.step(passed)))
            self._known[state, passed] = known
            self.ambiguous = self.ambiguous or sum(bool(label) for label, _ in known) > 1
            self._states.update(target for _, target in known)
            if len(self._states) > MAX_STATES:
                raise TooManyStates
        return known

    def _successors(self, state: State, step: Step) -> Iterable[tuple[Label, State]]:
        if self.everywhere and self.strategy in _STEPS:
            state = _joined(state, self.automaton.initial, self.strategy)
        for label, runs in det(step, state.runs):
            if self.strategy in _STEPS:
                yield label, _STEPS[self.strategy](step, state, runs, bool(label))
            else:
                yield label, State(runs, unmarked=state.unmarked and not label)

    def accepts(self, state: State) -> bool:
        """Return whether the runs are results that no rival excludes."""
        finals = self.automaton.finals
        return not finals.isdisjoint(state.runs) and finals.isdisjoint(state.ahead)


@rule("DET", "I/O determinisation", "3.4")
def det(step: Step, runs: States) -> list[tuple[Label, States]]:
    """One successor of a set of states for each mark, and one without a mark, if there is one."""
    successors = [*step.marked(runs).items(), (SKIP, step.skipping(runs))]
    return [(label, targets) for label, targets in successors if targets]


def _joined(state: State, initial: int, strategy: Strategy) -> State:
    """Return the state with the run that begins now as a rival: it has no marks."""
    begun = frozenset([initial])
    if state.unmarked:
        return State(state.runs, state.equal | begun, state.ahead, state.behind, True)
    if strategy is Strategy.LAST:
        return State(state.runs, state.equal, state.ahead, state.behind | begun, False)
    return state


@rule("CEA-MAX", "MAX", "3.3")
def cea_max(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead while it has all marks of these runs and more; one that lacks a mark is no rival any more."""
    if marked:
        return State(runs, step.marking(state.equal), step.marking(state.ahead), unmarked=False)
    ahead = step.skipping(state.ahead) | step.marking(state.equal | state.ahead)
    return State(runs, step.skipping(state.equal), ahead, unmarked=state.unmarked)


@rule("CEA-NXT", "NXT", "3.3")
def cea_nxt(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead, and stays ahead, when it marks the first event that only one of the two marks."""
    ahead = step.skipping(state.ahead) | step.marking(state.ahead)
    if marked:
        return State(runs, step.marking(state.equal), ahead, unmarked=False)
    return State(runs, step.skipping(state.equal), ahead | step.marking(state.equal), unmarked=state.unmarked)


@rule("CEA-LAST", "LAST", "3.3")
def cea_last(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead if it marked the last event that only one of the two marks, and behind if it did not."""
    others = state.equal | state.ahead | state.behind
    if marked:
        behind = step.skipping(others) | step.marking(state.behind)
        return State(runs, step.marking(state.equal), step.marking(state.ahead), behind, unmarked=False)
    ahead = step.skipping(state.ahead) | step.marking(others)
    return State(runs, step.skipping(state.equal), ahead, step.skipping(state.behind), unmarked=state.unmarked)


_STEPS = {Strategy.MAX: cea_max, Strategy.NXT: cea_nxt, Strategy.LAST: cea_last}
