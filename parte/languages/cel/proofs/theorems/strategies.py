"""Strategies (T §3.3) and determinisation (T §3.4): a set of states represents the runs with the same marks, and the
rivals that are ahead."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from parte.languages.cel.algebra.denotation import Valuation
from parte.languages.cel.algebra.queries import select
from parte.languages.cel.algebra.readings import USUAL
from parte.languages.cel.proofs.statements import times, total
from parte.languages.cel.semantics.automata import SKIP, TRUE, Automaton, Guard, IsType, Label, Transition
from parte.languages.cel.semantics.determinised import MARK, Determinised, State, Step, det
from parte.languages.cel.semantics.syntax import tree
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.symbolic import Claims, Run
from parte.semantics.events.event import Event

EVENTS = 4
_X: Label = frozenset({"X"})
_DETERMINISED = "parte.languages.cel.semantics.determinised"


def _marks(run: Run, name: str) -> tuple[int, ...]:
    """Return the events that a run marks."""
    return tuple(place for place in range(EVENTS) if run.truth(f"{name} marks {place}"))


def _chain(first: int, marked: Sequence[int]) -> list[Transition]:
    """Return the transitions of a run over all events, in its own states, except the first, which all runs share."""
    return [
        Transition(
            0 if place == 0 else total(first, place),
            frozenset([IsType(f"T{place}")]),
            _X if place in marked else SKIP,
            total(first, place, 1),
        )
        for place in range(EVENTS)
    ]


def rivals(run: Run, strategy: tree.Strategy) -> Claims:
    """Two runs over the same events: is the first a result beside its rival?"""
    own, rival = _marks(run, "it"), _marks(run, "the rival")
    automaton = Automaton(
        total(1, times(2, EVENTS)),
        0,
        (*_chain(0, own), *_chain(EVENTS, rival)),
        frozenset({EVENTS, times(2, EVENTS)}),
    )
    machine = Determinised(automaton, strategy)
    state = machine.beginning()
    for place in range(EVENTS):
        passed = machine.passed(Event(f"e{place}", f"T{place}", 0, {}))
        wanted = MARK if place in own else SKIP
        goals = [goal for label, goal in machine.successors(state, passed) if label == wanted]
        if len(goals) != 1:
            return (("it has one successor with this mark", False),)
        (state,) = goals
    valuations = [
        Valuation(0, EVENTS, frozenset(("X", place) for place in marked)) for marked in dict.fromkeys((own, rival))
    ]
    query = tree.Query(strategy, None, (), tree.EventType("X"), (), None, tree.Consumption.NONE)
    selected = select(query, valuations, USUAL, valuations)
    return (
        ("it is accepted just if the rival does not exclude it", machine.accepts(state) is (valuations[0] in selected)),
        ("it is known whether it marked anything", state.unmarked is (not own)),
    )


# --- Sets of states ---------------------------------------------------------------------------------------------------


def successors(run: Run) -> Claims:
    """Any of some transitions over an event, from either of two states."""
    labels = (SKIP, MARK, _X)
    moves = [
        (source, label, target)
        for source, label, target in ((0, MARK, 1), (0, SKIP, 0), (1, MARK, 0), (1, SKIP, 0), (1, _X, 1))
        if run.truth(f"{source} to {target} with {sorted(label)}")
    ]
    targets: dict[int, dict[Label, frozenset[int]]] = {}
    for source, label, target in moves:
        there = targets.setdefault(source, {})
        there[label] = there.get(label, frozenset()) | {target}
    runs = frozenset(state for state in range(2) if run.truth(f"a run is in {state}"))
    actual = det(Step(targets), runs)
    goals = {label: {goal for state, mark, goal in moves if state in runs and mark == label} for label in labels}
    return (
        ("each mark leads to one set", len(dict(actual)) == len(actual)),
        (
            "of the states that transitions with it reach",
            dict(actual) == {label: reached for label, reached in goals.items() if reached},
        ),
        ("without a mark comes last", all(bool(label) for label, _ in actual[:-1])),
    )


def guards(run: Run) -> Claims:
    """Transitions with types, conditions, and two types that no event has; an event of any type."""
    truth = tree.Comparison(tree.Attribute("p"), tree.Operator.EQUAL, tree.Literal(1))
    every_guard: Sequence[Guard] = (
        TRUE,
        frozenset([IsType("A")]),
        frozenset([IsType("B"), truth]),
        frozenset([truth]),
        frozenset([IsType("A"), IsType("B")]),
    )
    transitions = tuple(
        Transition(0, guard, label, goal)
        for goal, (guard, label) in enumerate(
            ((guard, mark) for guard in every_guard for mark in (SKIP, _X, frozenset({"Y"}))), 1
        )
    )
    name = "A" if run.truth("it is an A") else "B"
    fits = run.truth("it fulfils the condition")
    event = Event("e", name, 0, {"p": 1 if fits else 2})
    labelled = run.truth("variables are distinguished")
    machine = Determinised(Automaton(total(len(transitions), 1), 0, transitions, frozenset()), labelled=labelled)
    open_ = [
        transition
        for transition in transitions
        if all(test.name == name if isinstance(test, IsType) else fits for test in transition.guard)
    ]
    expected: dict[Label, set[int]] = {}
    for transition in open_:
        mark = transition.label if labelled else MARK if transition.label else SKIP
        expected.setdefault(mark, set()).add(transition.target)
    actual = {
        label: set(state.runs) for label, state in machine.successors(State(frozenset({0})), machine.passed(event))
    }
    return (("it takes the transitions whose guards the event passes", actual == expected),)


def _lemma(strategy: tree.Strategy, mutant: Mutant) -> Lemma:
    name = strategy.value.lower()
    return Lemma(
        f"{name}-knows-who-is-ahead",
        f"Of two runs over the same events, {strategy.value} keeps those that the definition keeps beside the other.",
        "3.3",
        (f"CORE/CEA-{strategy.value}", "CORE/DET"),
        f"any two runs over {EVENTS} events from the same start",
        partial(rivals, strategy=strategy),
        mutant,
        HOLDS,
    )


LEMMAS = (
    _lemma(
        tree.Strategy.MAX,
        Mutant("lose-a-rival", f"{_DETERMINISED}:cea_max", "step.marking(state.ahead), unmarked", "NONE, unmarked"),
    ),
    _lemma(
        tree.Strategy.NXT,
        Mutant("ignore-more", f"{_DETERMINISED}:cea_nxt", "ahead | step.marking(state.equal)", "ahead"),
    ),
    _lemma(
        tree.Strategy.LAST,
        Mutant(
            "never-back", f"{_DETERMINISED}:cea_last", "step.marking(others)", "step.marking(state.equal | state.ahead)"
        ),
    ),
    Lemma(
        "successors-are-those-of-the-states",
        "A set of states leads with each mark to the states that transitions with it reach, and without one likewise.",
        "3.4",
        ("CORE/DET",),
        "2 states with any of 5 transitions, either or both of the states",
        successors,
        Mutant(
            "the-first",
            f"{_DETERMINISED}:det",
            "for label, targets in successors if targets]",
            "for label, targets in successors[:1] if targets]",
        ),
        HOLDS,
    ),
    Lemma(
        "transitions-open-to-what-passes",
        "Over an event a state leads where transitions do whose guards the event passes.",
        "3.4",
        ("CORE/DET",),
        "15 transitions with 5 guards, an event of either type",
        guards,
        Mutant("any-test", f"{_DETERMINISED}:Determinised.passed", "not tests or ", "tests and "),
        HOLDS,
    ),
)
