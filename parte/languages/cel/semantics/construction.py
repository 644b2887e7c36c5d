"""The construction of automata from formulas, a function for each operator (specification: cel-automata; T theorem
3.1).

T refers to another paper for the construction. In all automata here no transition enters the initial state, and a run
begins at the first event of the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import zip_longest

from parte.languages.cel.semantics.automata import SKIP, TRUE, Automaton, Guard, IsType, Label, Transition, distinct
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax import tree


def constructed(formula: tree.Formula, *, after: bool = True) -> Automaton:
    """Return the automaton of a formula without links. `after` is the repair `sequence-after`."""
    match formula:
        case tree.EventType(name=name):
            return cea_type(name)
        case tree.Named(operand=operand, variable=variable):
            return cea_as(constructed(operand, after=after), variable)
        case tree.Projection(variables=names, operand=operand):
            return cea_proj(constructed(operand, after=after), frozenset(names))
        case tree.Filtered(operand=operand, condition=condition):
            return filtered(constructed(operand, after=after), condition)
        case tree.Or(parts=parts):
            return cea_or([constructed(part, after=after) for part in parts])
        case tree.Sequence(parts=parts, contiguous=contiguous):
            automata = [constructed(part, after=after) for part in parts]
            if not after and not contiguous:
                return reduce(_meeting, automata)
            while (
                len(automata) > 1
            ):  # neighbours first: one after the other would take time in the square of their number
                pairs = zip_longest(automata[::2], automata[1::2])
                automata = [left if right is None else cea_seq(left, right, contiguous) for left, right in pairs]
            return automata[0]
        case tree.Iteration(operand=tree.Iteration() as inner) if after:
            # `A++` has the valuations of `A+`, and so have `A:++` and `A+:+`: one per level would be too large.
            return constructed(replace(inner, contiguous=inner.contiguous and formula.contiguous))
        case tree.Iteration(operand=operand, contiguous=contiguous):
            automaton = constructed(operand, after=after)
            return _meeting_plus(automaton) if not after and not contiguous else cea_plus(automaton, contiguous)


@rule("CEA-TYPE", "R", "3.4")
def cea_type(name: str) -> Automaton:
    """A transition from the initial state to the final one over each event of the type, labelled with the type."""
    return Automaton(2, 0, (Transition(0, frozenset([IsType(name)]), frozenset([name]), 1),), frozenset([1]))


@rule("CEA-AS", "φ AS X", "3.4")
def cea_as(automaton: Automaton, variable: str) -> Automaton:
    """Every non-empty label gets the variable too."""

    def named(label: Label) -> Label:
        return label | {variable} if label else label

    return _relabelled(
        automaton, [(transition, transition.guard, named(transition.label)) for transition in automaton.transitions]
    )


@rule("CEA-PROJ", "π_L(φ)", "3.4")
def cea_proj(automaton: Automaton, names: frozenset[str]) -> Automaton:
    """Labels lose the other variables; the transitions stay."""
    return _relabelled(
        automaton, [(transition, transition.guard, transition.label & names) for transition in automaton.transitions]
    )


def filtered(automaton: Automaton, condition: tree.Condition) -> Automaton:
    """Return the automaton under a condition without links."""
    match condition:
        case tree.Holds(variable=variable, predicate=predicate):
            return cea_filter(automaton, variable, predicate)
        case tree.Both(parts=parts):
            return cea_filter_and(automaton, parts)
        case tree.Either(parts=parts):
            return cea_filter_or(automaton, parts)
        case tree.Link():
            raise ValueError("no automaton knows links: they are applied to what it enumerates")


@rule("CEA-FILTER", "φ FILTER X[P]", "3.4")
def cea_filter(automaton: Automaton, variable: str, predicate: tree.Predicate) -> Automaton:
    """Events labelled with the variable must satisfy the predicate."""

    def guarded(transition: Transition) -> Guard:
        return transition.guard | {predicate} if variable in transition.label else transition.guard

    return _relabelled(
        automaton, [(transition, guarded(transition), transition.label) for transition in automaton.transitions]
    )


@rule("CEA-FILTER-AND", "φ FILTER C AND C'", "3.4")
def cea_filter_and(automaton: Automaton, conditions: Sequence[tree.Condition]) -> Automaton:
    """Apply the conditions in sequence."""
    return reduce(filtered, conditions, automaton)


@rule("CEA-FILTER-OR", "φ FILTER C OR C'", "3.4")
def cea_filter_or(automaton: Automaton, conditions: Sequence[tree.Condition]) -> Automaton:
    """A copy of the automaton for each condition."""
    return cea_or([filtered(automaton, condition) for condition in conditions])


@rule("CEA-OR", "φ OR φ'", "3.4")
def cea_or(automata: Sequence[Automaton]) -> Automaton:
    """All automata side by side; their first transitions leave one common initial state."""
    size, transitions, finals = 1, list[Transition](), set[int]()
    for automaton in automata:
        moved = automaton.shifted(size)
        transitions += [replace(transition, source=0) for transition in moved.first]
        transitions += moved.transitions
        finals |= moved.finals
        size = moved.size
    return cea_trim(Automaton(size, 0, distinct(transitions), frozenset(finals)))


@rule("CEA-SEQ", "φ ; φ'", "3.4")
def cea_seq(first: Automaton, second: Automaton, contiguous: bool) -> Automaton:
    """A transition into a final state of the first also enters the initial state of the second, which skips events
    unless they must be contiguous."""
    then = second.shifted(first.size)
    entering = [replace(transition, target=then.initial) for transition in first.last]
    waiting = [] if contiguous else [Transition(then.initial, TRUE, SKIP, then.initial)]
    transitions = distinct([*first.transitions, *entering, *waiting, *then.transitions])
    return cea_trim(Automaton(then.size, first.initial, transitions, then.finals))


@rule("CEA-PLUS", "φ+", "3.4")
def cea_plus(automaton: Automaton, contiguous: bool) -> Automaton:
    """A transition into a final state also enters a new state, from which the run starts again; it skips events unless
    they must be contiguous."""
    again = automaton.size
    extended = [*automaton.transitions, *(replace(transition, target=again) for transition in automaton.last)]
    back = [replace(transition, source=again) for transition in extended if transition.source == automaton.initial]
    waiting = [] if contiguous else [Transition(again, TRUE, SKIP, again)]
    transitions = distinct([*extended, *back, *waiting])
    return cea_trim(Automaton(again + 1, automaton.initial, transitions, automaton.finals))


@rule("CEA-STRICT", "STRICT", "3.3")
def cea_strict(automaton: Automaton, selected: Label | None = None) -> Automaton:
    """Three copies of each state: before the marked events, among them, and after them; after them nothing is marked. A
    marked event has a selected variable, or any variable if none are named."""
    before, inside, after = range(3)
    transitions = []
    for transition in automaton.transitions:
        marked = transition.label if selected is None else transition.label & selected
        moves = ((before, inside), (inside, inside)) if marked else ((before, before), (inside, after), (after, after))
        transitions += [
            replace(transition, source=3 * transition.source + left_phase, target=3 * transition.target + right_phase)
            for left_phase, right_phase in moves
        ]
    finals = frozenset(3 * state + phase for state in automaton.finals for phase in range(3))
    return cea_trim(Automaton(3 * automaton.size, 3 * automaton.initial, distinct(transitions), finals))


@rule("CEA-TRIM", "trim", "3.4")
def cea_trim(automaton: Automaton) -> Automaton:
    """Remove the states that no run reaches, and those from which no run is accepted; renumber the others."""
    forward = _closed(
        {automaton.initial}, [(transition.source, transition.target) for transition in automaton.transitions]
    )
    backward = _closed(
        set(automaton.finals), [(transition.target, transition.source) for transition in automaton.transitions]
    )
    useful = [state for state in range(automaton.size) if state == automaton.initial or state in forward & backward]
    number = {state: index for index, state in enumerate(useful)}
    transitions = tuple(
        Transition(number[transition.source], transition.guard, transition.label, number[transition.target])
        for transition in automaton.transitions
        if transition.source in number and transition.target in number
    )
    finals = frozenset(number[state] for state in automaton.finals if state in number)
    return Automaton(len(useful), number[automaton.initial], transitions, finals)


def _closed(states: set[int], edges: Sequence[tuple[int, int]]) -> set[int]:
    nexts: dict[int, list[int]] = {}
    for source, target in edges:
        nexts.setdefault(source, []).append(target)
    left = list(states)
    while left:
        for target in nexts.get(left.pop(), ()):
            if target not in states:
                states.add(target)
                left.append(target)
    return states


def _relabelled(automaton: Automaton, changed: Sequence[tuple[Transition, Guard, Label]]) -> Automaton:
    transitions = [replace(transition, guard=guard, label=label) for transition, guard, label in changed]
    return replace(automaton, transitions=distinct(transitions))


# --- `;` as T prints it: the second part begins on the event on which the first ends (defect 1) -----------------------


def _meeting(first: Automaton, second: Automaton) -> Automaton:
    then = second.shifted(first.size)
    joint = _joint(first.last, then.first)
    transitions = distinct([*first.transitions, *joint, *then.transitions])
    return cea_trim(Automaton(then.size, first.initial, transitions, then.finals))


def _meeting_plus(automaton: Automaton) -> Automaton:
    transitions, new = automaton.transitions, automaton.last
    while new:
        joint = _joint([transition for transition in new if transition.target in automaton.finals], automaton.first)
        new = tuple(transition for transition in joint if transition not in transitions)
        transitions = distinct([*transitions, *new])
    return cea_trim(replace(automaton, transitions=transitions))


def _joint(ends: Sequence[Transition], begins: Sequence[Transition]) -> tuple[Transition, ...]:
    """Return transitions that are the end of a run and the start of the next, on one event."""
    return distinct(
        Transition(end.source, end.guard | begin.guard, end.label | begin.label, begin.target)
        for end in ends
        for begin in begins
    )
