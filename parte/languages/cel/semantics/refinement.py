"""Links: removed from a formula before it becomes an automaton, and checked on the valuations that the automaton
enumerates (specification: cel-links, cel-refinement; T §4.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product

from parte.languages.cel.semantics.predicates import compiled, holds
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.checking import links, top_conditions
from parte.semantics.events.event import Event


class Unsupported(ValueError):
    """A query that the machine does not evaluate; the definition does."""


@rule("REWRITE", "rewrite", "4.1")
def rewrite(formula: tree.Formula, *, stay: bool = True) -> tuple[tree.Formula, tuple[tree.Condition, ...]]:
    """The formula without its links, and the conditions with links that stood at its very top.

    Unsupported for a link below another operator, unless these are moved to the top (`stay` is the repair
    `links-stay`).
    """
    inner, conditions = top_conditions(formula)
    linked = tuple(condition for condition in conditions if any(links((condition,))))
    for condition in conditions:
        if condition not in linked:
            inner = tree.Filtered(inner, condition)
    if stay:
        if any(isinstance(node, tree.Link) for node in tree.within(inner)):
            raise Unsupported(
                "a link stands below another operator, where marks do not say in which round an event was marked: "
                "put the FILTER around the whole formula, or use the model definition"
            )
        return inner, linked
    moved: list[tree.Condition] = []
    return tree.TREE.mapped(inner, lambda node: _without_links(node, moved)), (*linked, *moved)


def _without_links(node: tree.Node, moved: list[tree.Condition]) -> tree.Node:
    if not isinstance(node, tree.Filtered):
        return node
    _, conditions = top_conditions(replace(node, operand=tree.EventType("")))
    left: tree.Formula = node.operand
    for condition in conditions:
        if any(links((condition,))):
            moved.append(condition)
        else:
            left = tree.Filtered(left, condition)
    return left


Contents = Mapping[str, Sequence[int]]
"""The positions of each variable; a variable that is missing is empty."""


@rule("REFINE", "refine", "4.1")
def refine(contents: Contents, conditions: Collection[tree.Condition], at: Callable[[int], Event]) -> bool:
    """True if a valuation fulfils all conditions; `at` returns the event at a position."""
    return all(_fulfils(contents, condition, at) for condition in conditions)


def _fulfils(contents: Contents, condition: tree.Condition, at: Callable[[int], Event]) -> bool:
    match condition:
        case tree.Holds(variable=variable, predicate=predicate):
            test = compiled(predicate)
            return all(test(at(position)) for position in contents.get(variable, ()))
        case tree.Link():
            lefts = [
                at(position).attributes.get(condition.left_attribute) for position in contents.get(condition.left, ())
            ]
            rights = [
                at(position).attributes.get(condition.right_attribute) for position in contents.get(condition.right, ())
            ]
            return all(holds(left, condition.operator, right) for left, right in product(lefts, rights))
        case tree.Both(parts=parts):
            return all(_fulfils(contents, part, at) for part in parts)
        case tree.Either(parts=parts):
            return any(_fulfils(contents, part, at) for part in parts)


def types_of(formula: tree.Formula) -> dict[str, frozenset[str]]:
    """Return the types of the events that each variable may contain; `published` does not distinguish variables
    otherwise (defect 12)."""
    by_variable: dict[str, frozenset[str]] = {}
    for node in tree.within(formula):
        match node:
            case tree.EventType(name=name):
                by_variable[name] = by_variable.get(name, frozenset()) | {name}
            case tree.Named(operand=operand, variable=variable):
                types = {inner.name for inner in tree.within(operand) if isinstance(inner, tree.EventType)}
                by_variable[variable] = by_variable.get(variable, frozenset()) | types
    return by_variable
