"""A query for the checker: its automaton, and the conditions that the automaton does not contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from parte.checker.solver.clock import Undecided
from parte.languages.cel.checker.letters import stream_of
from parte.languages.cel.semantics.automata import Automaton
from parte.languages.cel.semantics.determinised import Determinised
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.refinement import Unsupported, rewrite
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import condition_text, formula_text
from parte.semantics.events.event import Event

LARGEST = 2_000
"""The most transitions of an automaton that the checker examines: each question constructs several automata."""

ALWAYS = tree.Holds("", tree.Comparison(tree.Literal(0), tree.Operator.EQUAL, tree.Literal(0)))
"""A condition on an empty variable: it is always true."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A query, its automaton, and the conditions with links that filter the valuations that the automaton enumerates.

    `exact`: the automaton has exactly the results of the query, except for its window and consumption. Otherwise it has
    all of them, and more that links exclude.
    """

    query: tree.Query
    determinised: Determinised
    conditions: tuple[tree.Condition, ...]
    exact: bool

    @property
    def automaton(self) -> Automaton:
        """The automaton before determinisation."""
        return self.determinised.automaton


def subject_of(query: tree.Query) -> Subject:
    """Return the query with its automaton; without its links where the machine does not support them. Raise Undecided
    if it is too large."""
    if size(query.formula) > LARGEST:
        raise Undecided(f"the automaton of the formula has more than {LARGEST:,} transitions")
    try:
        determinised, (_, conditions) = Machine(query).determinised, rewrite(query.formula)
    except Unsupported:
        return Subject(query, Machine(without_links(query)).determinised, (), False)
    return Subject(query, determinised, conditions, not conditions)


def first_link(query: tree.Query) -> str:
    """Return the first link of a query, as reports name a part that they cannot decide about; else the formula
    itself."""
    links = (node for node in tree.within(query.formula) if isinstance(node, tree.Link))
    link = next(links, None)
    return f"the formula `{formula_text(query.formula)}`" if link is None else f"the link `{condition_text(link)}`"


def without_links(query: tree.Query) -> tree.Query:
    """Return the query with conditions that are true in place of its links: it has all results of the query, and
    perhaps more."""

    def freed(node: tree.Node) -> tree.Node:
        return ALWAYS if isinstance(node, tree.Link) else node

    return replace(query, formula=tree.TREE.mapped(query.formula, freed))


def size(formula: tree.Formula) -> int:
    """Return the number of transitions of the automaton of a formula, computed without it; equal ones count
    separately."""
    return _sizes(formula).every


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The numbers of transitions of an automaton: all, those that leave the initial state, those that enter a final
    state, and those that do both."""

    every: int
    first: int
    last: int
    both: int

    def times(self, count: int) -> _Sizes:
        """Return the numbers for `count` copies side by side."""
        return _Sizes(self.every * count, self.first * count, self.last * count, self.both * count)


def _sizes(formula: tree.Formula) -> _Sizes:
    match formula:
        case tree.EventType():
            return _Sizes(1, 1, 1, 1)
        case tree.Filtered(operand=operand, condition=condition):
            return _sizes(operand).times(copies(condition))
        case tree.Or(parts=parts):
            sizes_of_parts = [_sizes(part) for part in parts]
            return _Sizes(
                sum(part_sizes.every for part_sizes in sizes_of_parts),
                sum(part_sizes.first for part_sizes in sizes_of_parts),
                sum(part_sizes.last for part_sizes in sizes_of_parts),
                sum(part_sizes.both for part_sizes in sizes_of_parts),
            )
        case tree.Sequence(parts=parts, contiguous=contiguous):
            whole, *others = [_sizes(part) for part in parts]
            for following in others:
                every = whole.every + whole.last + (not contiguous) + following.every
                whole = _Sizes(every, whole.first + whole.both, following.last, 0)
            return whole
        case tree.Iteration(operand=tree.Iteration() as inner):  # made as one iteration
            return _sizes(replace(inner, contiguous=inner.contiguous and formula.contiguous))
        case tree.Iteration(operand=operand, contiguous=contiguous):
            once = _sizes(operand)
            again = once.first + once.both
            every = once.every + once.last + again + (not contiguous)
            return _Sizes(every, again, once.last + once.both, once.both)
        case tree.Named(operand=operand) | tree.Projection(operand=operand):
            return _sizes(operand)


def copies(condition: tree.Condition) -> int:
    """Return the number of copies of an automaton that a condition requires."""
    match condition:
        case tree.Both(parts=parts):
            return prod(map(copies, parts))
        case tree.Either(parts=parts):
            return sum(map(copies, parts))
        case _:
            return 1


def span_limit(query: tree.Query) -> int | None:
    """Return the number of events of a substream that a result can span; None if nothing limits it."""
    return query.window.events + 1 if isinstance(query.window, tree.EventWindow) else None


def placed(query: tree.Query, letters: Iterable[Event]) -> tuple[Event, ...]:
    """Return letters as a stream of a query: all at the same time under a window of time."""
    return stream_of(letters, 0 if isinstance(query.window, tree.TimeWindow) else 1)


def stretched(query: tree.Query) -> bool:
    """Return whether positions of the stream can lie between neighbours of a substream."""
    return bool(query.attributes or query.streams)


def joined(automata: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """Return automata in order, without duplicates."""
    return tuple(dict.fromkeys(automata))
