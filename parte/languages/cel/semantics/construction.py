"""From formulas to automata, a function for each construction (specification: cel-automata; T theorem 3.1).

T refers to another paper for the construction. In all automata here nothing enters the initial state, and a run begins
at the first event of the interval.
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
    """The automaton of a formula without links. `after` is the repair `sequence-after`."""
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
            while len(automata) > 1:  # neighbours first: one after the other takes the square of their number
                pairs = zip_longest(automata[::2], automata[1::2])
                automata = [one if other is None else cea_seq(one, other, contiguous) for one, other in pairs]
            return automata[0]
        case tree.Iteration(operand=tree.Iteration() as inner) if after:
            # `A++` has the valuations of `A+`, and so have `A:++` and `A+:+`: an automaton a level would not end.
            return constructed(replace(inner, contiguous=inner.contiguous and formula.contiguous))
        case tree.Iteration(operand=operand, contiguous=contiguous):
            automaton = constructed(operand, after=after)
            return _meeting_plus(automaton) if not after and not contiguous else cea_plus(automaton, contiguous)


@rule("CEA-TYPE", "R", "3.4")
def cea_type(name: str) -> Automaton:
    """From the initial state to the final one over each event of the type, marked as it."""
    return Automaton(2, 0, (Transition(0, frozenset([IsType(name)]), frozenset([name]), 1),), frozenset([1]))


@rule("CEA-AS", "φ AS X", "3.4")
def cea_as(automaton: Automaton, variable: str) -> Automaton:
    """Whatever is marked is marked as the variable too."""

    def named(label: Label) -> Label:
        return label | {variable} if label else label

    return _relabelled(automaton, [(each, each.guard, named(each.label)) for each in automaton.transitions])


@rule("CEA-PROJ", "π_L(φ)", "3.4")
def cea_proj(automaton: Automaton, names: frozenset[str]) -> Automaton:
    """Marks of other variables go, the transitions stay."""
    return _relabelled(automaton, [(each, each.guard, each.label & names) for each in automaton.transitions])


def filtered(automaton: Automaton, condition: tree.Condition) -> Automaton:
    """The automaton under a condition without links."""
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
    """Events marked as the variable must satisfy the predicate."""

    def guarded(each: Transition) -> Guard:
        return each.guard | {predicate} if variable in each.label else each.guard

    return _relabelled(automaton, [(each, guarded(each), each.label) for each in automaton.transitions])


@rule("CEA-FILTER-AND", "φ FILTER C AND C'", "3.4")
def cea_filter_and(automaton: Automaton, conditions: Sequence[tree.Condition]) -> Automaton:
    """One condition after the other."""
    return reduce(filtered, conditions, automaton)


@rule("CEA-FILTER-OR", "φ FILTER C OR C'", "3.4")
def cea_filter_or(automaton: Automaton, conditions: Sequence[tree.Condition]) -> Automaton:
    """A copy for each condition."""
    return cea_or([filtered(automaton, condition) for condition in conditions])


@rule("CEA-OR", "φ OR φ'", "3.4")
def cea_or(automata: Sequence[Automaton]) -> Automaton:
    """All beside each other, under one initial state that has the first transitions of each."""
    size, transitions, finals = 1, list[Transition](), set[int]()
    for automaton in automata:
        moved = automaton.shifted(size)
        transitions += [replace(each, source=0) for each in moved.first]
        transitions += moved.transitions
        finals |= moved.finals
        size = moved.size
    return cea_trim(Automaton(size, 0, distinct(transitions), frozenset(finals)))


@rule("CEA-SEQ", "φ ; φ'", "3.4")
def cea_seq(one: Automaton, other: Automaton, contiguous: bool) -> Automaton:
    """What enters a final state of the first also enters the initial state of the second, which skips events, if they
    need not be contiguous."""
    then = other.shifted(one.size)
    entering = [replace(each, target=then.initial) for each in one.last]
    waiting = [] if contiguous else [Transition(then.initial, TRUE, SKIP, then.initial)]
    transitions = distinct([*one.transitions, *entering, *waiting, *then.transitions])
    return cea_trim(Automaton(then.size, one.initial, transitions, then.finals))


@rule("CEA-PLUS", "φ+", "3.4")
def cea_plus(automaton: Automaton, contiguous: bool) -> Automaton:
    """What enters a final state also enters a new state, from where all begins again; it skips events, if they need
    not be contiguous."""
    again = automaton.size
    extended = [*automaton.transitions, *(replace(each, target=again) for each in automaton.last)]
    back = [replace(each, source=again) for each in extended if each.source == automaton.initial]
    waiting = [] if contiguous else [Transition(again, TRUE, SKIP, again)]
    transitions = distinct([*extended, *back, *waiting])
    return cea_trim(Automaton(again + 1, automaton.initial, transitions, automaton.finals))


@rule("CEA-STRICT", "STRICT", "3.3")
def cea_strict(automaton: Automaton, selected: Label | None = None) -> Automaton:
    """Each state three times: before the marked events, within them, and after them; after them nothing is marked.
    Marked is what a selected variable has, or any, if none are named."""
    before, inside, after = range(3)
    transitions = []
    for each in automaton.transitions:
        marked = each.label if selected is None else each.label & selected
        moves = ((before, inside), (inside, inside)) if marked else ((before, before), (inside, after), (after, after))
        transitions += [
            replace(each, source=3 * each.source + one, target=3 * each.target + other) for one, other in moves
        ]
    finals = frozenset(3 * state + phase for state in automaton.finals for phase in range(3))
    return cea_trim(Automaton(3 * automaton.size, 3 * automaton.initial, distinct(transitions), finals))


@rule("CEA-TRIM", "trim", "3.4")
def cea_trim(automaton: Automaton) -> Automaton:
    """Without the states that no run reaches and those from which none is accepted; the others numbered anew."""
    forward = _closed({automaton.initial}, [(each.source, each.target) for each in automaton.transitions])
    backward = _closed(set(automaton.finals), [(each.target, each.source) for each in automaton.transitions])
    kept = [state for state in range(automaton.size) if state == automaton.initial or state in forward & backward]
    number = {state: index for index, state in enumerate(kept)}
    transitions = tuple(
        Transition(number[each.source], each.guard, each.label, number[each.target])
        for each in automaton.transitions
        if each.source in number and each.target in number
    )
    finals = frozenset(number[state] for state in automaton.finals if state in number)
    return Automaton(len(kept), number[automaton.initial], transitions, finals)


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
    transitions = [replace(each, guard=guard, label=label) for each, guard, label in changed]
    return replace(automaton, transitions=distinct(transitions))


# --- As T prints `;`: what follows begins on the event on which the first ends (defect 1) -----------------------------


def _meeting(one: Automaton, other: Automaton) -> Automaton:
    then = other.shifted(one.size)
    joint = _joint(one.last, then.first)
    transitions = distinct([*one.transitions, *joint, *then.transitions])
    return cea_trim(Automaton(then.size, one.initial, transitions, then.finals))


def _meeting_plus(automaton: Automaton) -> Automaton:
    transitions, new = automaton.transitions, automaton.last
    while new:
        joint = _joint([each for each in new if each.target in automaton.finals], automaton.first)
        new = tuple(each for each in joint if each not in transitions)
        transitions = distinct([*transitions, *new])
    return cea_trim(replace(automaton, transitions=transitions))


def _joint(ends: Sequence[Transition], begins: Sequence[Transition]) -> tuple[Transition, ...]:
    """One transition for the end of a run and the begin of the next, on one event."""
    return distinct(
        Transition(end.source, end.guard | begin.guard, end.label | begin.label, begin.target)
        for end in ends
        for begin in begins
    )
