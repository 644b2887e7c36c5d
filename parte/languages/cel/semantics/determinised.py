"""Automata that are made deterministic while they run (specification: cel-determinisation; T §3.4, §4.2.1).

A state is the set of states in which runs are that mark the same events. Beside them it holds what a strategy needs to
know of the rivals: other runs that end where these end. There are E that marked what these did, U that are ahead, L
that are behind but may get ahead (LAST).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from parte.languages.cel.semantics.automata import SKIP, Automaton, IsType, Label
from parte.languages.cel.semantics.predicates import Test as Predicate
from parte.languages.cel.semantics.predicates import compiled
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax.tree import Strategy
from parte.semantics.events.event import Event

MAX_STATES = 100_000
"""More deterministic states in a run than these are an error, not a hang."""

States = frozenset[int]
NONE: States = frozenset()
MARK: Label = frozenset("•")
"""What marks stand for where nobody asks for variables."""


class TooManyStates(RuntimeError):
    """A run needs more deterministic states than are allowed."""

    def __init__(self) -> None:
        super().__init__(f"this query needs more than {MAX_STATES} states here; make it smaller")


@dataclass(frozen=True, slots=True)
class State:
    """Runs that mark the same events, by the states in which they are, and their rivals. `unmarked`: they have marked
    nothing yet."""

    runs: States
    equal: States = NONE
    ahead: States = NONE
    behind: States = NONE
    unmarked: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """Where transitions lead over one event: from each state with each label."""

    targets: Mapping[int, Mapping[Label, States]]

    def marked(self, states: States) -> dict[Label, States]:
        """Where states go with a mark, for each label."""
        found: dict[Label, States] = {}
        for state in states:
            for label, targets in self.targets.get(state, {}).items():
                if label:
                    found[label] = found.get(label, NONE) | targets
        return found

    def marking(self, states: States) -> States:
        """Where states go with any mark."""
        return NONE.union(*self.marked(states).values())

    def skipping(self, states: States) -> States:
        """Where states go without a mark."""
        return NONE.union(*(self.targets.get(state, {}).get(SKIP, NONE) for state in states))


@dataclass(frozen=True, slots=True)
class _Guards:
    """The guards of an automaton by number: those for events of one type, and those for events of any."""

    by_type: Mapping[str, list[tuple[int, list[Predicate]]]]
    of_any: list[tuple[int, list[Predicate]]]
    moves: list[tuple[int, int, Label, int]]
    """The transitions: source, number of the guard, label, target."""


def _guards(automaton: Automaton) -> _Guards:
    numbers = {
        guard: number for number, guard in enumerate(dict.fromkeys(each.guard for each in automaton.transitions))
    }
    moves = [(each.source, numbers[each.guard], each.label, each.target) for each in automaton.transitions]
    by_type: dict[str, list[tuple[int, list[Predicate]]]] = {}
    of_any: list[tuple[int, list[Predicate]]] = []
    for guard, number in numbers.items():
        types = {test.name for test in guard if isinstance(test, IsType)}
        tests = [compiled(test) for test in guard if not isinstance(test, IsType)]
        if not types:
            of_any.append((number, tests))
        elif len(types) == 1:  # an event has one type only
            by_type.setdefault(types.pop(), []).append((number, tests))
    return _Guards(by_type, of_any, moves)


class Determinised:
    """A deterministic automaton, made as far as it is needed.

    `labelled` keeps apart marks of different variables; otherwise all are one. `everywhere` takes for rivals all runs
    that end at the same place, not only those that start there too. `ambiguous` says whether one run could ever mark
    an event in two ways, which two labels tell apart.
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
        self._guards = _guards(automaton)
        self._steps: dict[frozenset[int], Step] = {}
        self._known: dict[tuple[State, frozenset[int]], tuple[tuple[Label, State], ...]] = {}
        self._states: set[State] = set()

    def passed(self, event: Event) -> frozenset[int]:
        """The guards that an event passes: all that there is to know of it."""
        candidates = [*self._guards.of_any, *self._guards.by_type.get(event.template, ())]
        return frozenset(number for number, tests in candidates if all(test(event) for test in tests))

    def step(self, passed: frozenset[int]) -> Step:
        """Where the automaton's transitions lead over an event that passes these guards."""
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
        """The state in which runs begin; beside it those that began earlier, without marks and with some."""
        initial = frozenset([self.automaton.initial])
        if self.strategy in _STEPS:
            return State(initial, initial | elsewhere, marked_elsewhere)
        return State(initial)

    def successors(self, state: State, passed: frozenset[int]) -> tuple[tuple[Label, State], ...]:
        """The states that follow over an event that passes these guards, for each mark; the marked ones first."""
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
        """Whether the runs are results that no rival excludes."""
        finals = self.automaton.finals
        return not finals.isdisjoint(state.runs) and finals.isdisjoint(state.ahead)


@rule("DET", "I/O determinisation", "3.4")
def det(step: Step, runs: States) -> list[tuple[Label, States]]:
    """One successor of a set of states for each mark, and one without a mark, if there is one."""
    found = [*step.marked(runs).items(), (SKIP, step.skipping(runs))]
    return [(label, targets) for label, targets in found if targets]


def _joined(state: State, initial: int, strategy: Strategy) -> State:
    """The state with the run that begins now among the rivals: it has marked nothing."""
    begun = frozenset([initial])
    if state.unmarked:
        return State(state.runs, state.equal | begun, state.ahead, state.behind, True)
    if strategy is Strategy.LAST:
        return State(state.runs, state.equal, state.ahead, state.behind | begun, False)
    return state


@rule("CEA-MAX", "MAX", "3.3")
def cea_max(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead while it has marked all that these have and more; one that lacks a mark is none any more."""
    if marked:
        return State(runs, step.marking(state.equal), step.marking(state.ahead), unmarked=False)
    ahead = step.skipping(state.ahead) | step.marking(state.equal | state.ahead)
    return State(runs, step.skipping(state.equal), ahead, unmarked=state.unmarked)


@rule("CEA-NXT", "NXT", "3.3")
def cea_nxt(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead, and stays so, when it marks the first event that only one of the two marks."""
    ahead = step.skipping(state.ahead) | step.marking(state.ahead)
    if marked:
        return State(runs, step.marking(state.equal), ahead, unmarked=False)
    return State(runs, step.skipping(state.equal), ahead | step.marking(state.equal), unmarked=state.unmarked)


@rule("CEA-LAST", "LAST", "3.3")
def cea_last(step: Step, state: State, runs: States, marked: bool) -> State:
    """A rival is ahead or behind as it marked or did not mark the last event that only one of the two marks."""
    others = state.equal | state.ahead | state.behind
    if marked:
        behind = step.skipping(others) | step.marking(state.behind)
        return State(runs, step.marking(state.equal), step.marking(state.ahead), behind, unmarked=False)
    ahead = step.skipping(state.ahead) | step.marking(others)
    return State(runs, step.skipping(state.equal), ahead, step.skipping(state.behind), unmarked=state.unmarked)


_STEPS = {Strategy.MAX: cea_max, Strategy.NXT: cea_nxt, Strategy.LAST: cea_last}
