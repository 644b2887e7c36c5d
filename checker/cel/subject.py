"""A query as the checker asks about it: the automaton that the machine makes of it, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from parte.checker.cel.letters import stream_of
from parte.checker.solver.clock import Undecided
from parte.semantics.cel.automata import Automaton
from parte.semantics.cel.determinised import Determinised
from parte.semantics.cel.machine import Machine
from parte.semantics.cel.refinement import Unsupported, rewrite
from parte.semantics.cel.syntax import tree
from parte.semantics.events.event import Event

LARGEST = 300
"""Formulas with more types than these, a copy for each alternative of a condition, are not looked into."""

ALWAYS = tree.Holds("", tree.Comparison(tree.Literal(0), tree.Operator.EQUAL, tree.Literal(0)))
"""A condition on an empty variable: it holds."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A query, the automaton of it, and the conditions with links that are applied to what that enumerates.

    `exact`: the automaton has just the results of the query, but for its window and what it consumes. Otherwise it has
    them all, and more that links exclude.
    """

    query: tree.Query
    determinised: Determinised
    conditions: tuple[tree.Condition, ...]
    exact: bool

    @property
    def automaton(self) -> Automaton:
        """The automaton that is made deterministic."""
        return self.determinised.automaton


def subject_of(query: tree.Query) -> Subject:
    """The query with its automaton; without its links where the machine does not know them. Undecided if it is too
    large."""
    if size(query.formula) > LARGEST:
        raise Undecided(f"the formula stands for more than {LARGEST} types in a row")
    try:
        determinised, (_, conditions) = Machine(query).determinised, rewrite(query.formula)
    except Unsupported:
        return Subject(query, Machine(without_links(query)).determinised, (), False)
    return Subject(query, determinised, conditions, not conditions)


def without_links(query: tree.Query) -> tree.Query:
    """The query with conditions that hold in place of its links: it has these results and perhaps more."""

    def freed(node: tree.Node) -> tree.Node:
        return ALWAYS if isinstance(node, tree.Link) else node

    return replace(query, formula=tree.TREE.mapped(query.formula, freed))


def size(formula: tree.Formula) -> int:
    """How many types the automaton of a formula is made of."""
    match formula:
        case tree.EventType():
            return 1
        case tree.Filtered(operand=operand, condition=condition):
            return size(operand) * copies(condition)
        case tree.Or(parts=parts) | tree.Sequence(parts=parts):
            return sum(map(size, parts))
        case tree.Named(operand=operand) | tree.Projection(operand=operand) | tree.Iteration(operand=operand):
            return size(operand)


def copies(condition: tree.Condition) -> int:
    """How many copies of an automaton a condition makes."""
    match condition:
        case tree.Both(parts=parts):
            return prod(map(copies, parts))
        case tree.Either(parts=parts):
            return sum(map(copies, parts))
        case _:
            return 1


def span_limit(query: tree.Query) -> int | None:
    """How many events of a substream a result can lie in; None where nothing limits it."""
    return query.window.events + 1 if isinstance(query.window, tree.EventWindow) else None


def placed(query: tree.Query, letters: Iterable[Event]) -> tuple[Event, ...]:
    """Letters as a stream of a query: under a window of time all of them at once."""
    return stream_of(letters, 0 if isinstance(query.window, tree.TimeWindow) else 1)


def stretched(query: tree.Query) -> bool:
    """Whether positions of the stream lie between neighbours of a substream."""
    return bool(query.attributes or query.streams)


def joined(automata: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """Automata in order, each once."""
    return tuple(dict.fromkeys(automata))
