"""Queries without one of their parts: a part that does not change the results is useless."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import condition_text, formula_text, predicate_text
from parte.semantics.source.spans import Span

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Variant:
    """A query without a part: the code to report if the part changes nothing, the name of the part, and its place."""

    code: str
    part: str
    span: Span
    query: tree.Query


def without_parts(query: tree.Query) -> Iterator[Variant]:
    """Yield the query without a part of its formula, for each part that can be left out: outer parts first, later ones
    first."""

    def variant(code: str, part: str, span: Span, old: tree.Node, new: tree.Node) -> Variant:
        formula = tree.TREE.exchanged(query.formula, old, new)
        return Variant(code, part, span, replace(query, formula=formula))

    for node in tree.within(query.formula):
        match node:
            case tree.Or(parts=parts):
                for branch, rest in _without_each(parts):
                    name = f"the alternative `{formula_text(branch)}`"
                    yield variant(
                        "useless-branch", name, branch.span, node, rest[0] if len(rest) == 1 else tree.Or(rest)
                    )
            case tree.Filtered(operand=operand, condition=condition):
                if _bound(condition, operand):
                    name = f"FILTER {condition_text(condition)}"
                    yield variant("useless-condition", f"`{name}`", condition.span, node, operand)
            case tree.Iteration(operand=operand, contiguous=contiguous):
                name = f"the `{':+' if contiguous else '+'}` behind `{formula_text(operand)}`"
                yield variant("useless-iteration", name, node.span, node, operand)
            case tree.Projection(operand=operand):
                name = f"the PROJ around `{formula_text(operand)}`"
                yield variant("useless-projection", name, node.span, node, operand)
            case tree.Both(parts=conditions) | tree.Either(parts=conditions):
                for condition, others in _without_each(conditions):
                    name = f"`{condition_text(condition)}`"
                    left = others[0] if len(others) == 1 else replace(node, parts=others)
                    yield variant("useless-condition", name, condition.span, node, left)
            case tree.Every(parts=predicates) | tree.Some(parts=predicates):
                for predicate, remaining in _without_each(predicates):
                    name = f"`{predicate_text(predicate)}`"
                    yield variant(
                        "useless-condition",
                        name,
                        predicate.span,
                        node,
                        remaining[0] if len(remaining) == 1 else replace(node, parts=remaining),
                    )


def without_clauses(query: tree.Query, select: Span) -> Iterator[Variant]:
    """Yield the query without its strategy, and with all variables selected."""
    if query.strategy is not tree.Strategy.ALL:
        plain = replace(query, strategy=tree.Strategy.ALL)
        yield Variant("useless-strategy", f"`{query.strategy.value}`", select, plain)
    if query.selected is not None:
        yield Variant("useless-selection", "the choice of variables", select, replace(query, selected=None))


def _bound(condition: tree.Condition, operand: tree.Formula) -> bool:
    """Return whether something binds a variable of a condition; an unbound variable has a warning already."""
    names = tree.bound_in(operand)
    return any(
        (isinstance(part, tree.Holds) and part.variable in names) or isinstance(part, tree.Link)
        for part in tree.within(condition)
    )


def _without_each(parts: tuple[P, ...]) -> Iterator[tuple[P, tuple[P, ...]]]:
    """Yield each part with the others, the last first."""
    return ((parts[place], parts[:place] + parts[place + 1 :]) for place in reversed(range(len(parts))))
