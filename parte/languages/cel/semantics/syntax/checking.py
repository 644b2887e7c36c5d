"""Checks of a query after the grammar (specification: cel-text)."""

from __future__ import annotations

from collections.abc import Iterator

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Span

MAX_NODES = 10_000
MAX_DEPTH = 100
"""The greatest height of a formula's tree with its conditions: all later passes recurse over it."""


def check(query: tree.Query, select: Span, reporter: Reporter) -> None:
    """Report formulas that are too large, names that nothing binds, and links that only the definition evaluates."""
    if not _small(query.formula, reporter):
        return
    bound = tree.bound_in(query.formula)
    for name in query.selected or ():
        _known(name, bound, select, reporter)
    for node in tree.within(query.formula):
        match node:
            case tree.Projection(variables=names, operand=operand):
                inside = tree.bound_in(operand)
                for name in names:
                    _known(name, inside, node.span, reporter)
            case tree.Filtered(operand=operand, condition=condition):
                inside = tree.bound_in(operand)
                for part in tree.within(condition):
                    if isinstance(part, tree.Holds):
                        _known(part.variable, inside, part.span, reporter)
                    elif isinstance(part, tree.Link):
                        _known(part.left, inside, part.span, reporter)
                        _known(part.right, inside, part.span, reporter)
    top = {id(link) for link in links(top_conditions(query.formula)[1])}
    for node in tree.within(query.formula):
        if isinstance(node, tree.Link):
            if id(node) not in top:
                hint = "put the FILTER around the whole formula, or run the definition"
                message = "this link stands below another operator"
                reporter.report("link-below-operator", node.span, message, hint)
            elif query.strategy not in (tree.Strategy.ALL, tree.Strategy.STRICT):
                hint = "leave the strategy out, or run the definition"
                message = f"a link together with {query.strategy.value}"
                reporter.report("link-with-strategy", node.span, message, hint)


def top_conditions(formula: tree.Formula) -> tuple[tree.Formula, tuple[tree.Condition, ...]]:
    """Return the formula without the FILTERs at its very top, and their conditions, with those joined by AND
    separated."""
    conditions: list[tree.Condition] = []
    while isinstance(formula, tree.Filtered):
        condition = formula.condition
        conditions.extend(condition.parts if isinstance(condition, tree.Both) else (condition,))
        formula = formula.operand
    return formula, tuple(conditions)


def links(conditions: tuple[tree.Condition, ...]) -> Iterator[tree.Link]:
    """Yield the links in conditions."""
    for condition in conditions:
        for node in tree.within(condition):
            if isinstance(node, tree.Link):
                yield node


def _small(formula: tree.Formula, reporter: Reporter) -> bool:
    left: list[tuple[tree.Node, int]] = [(formula, 1)]
    count = 0
    while left:
        node, depth = left.pop()
        count += 1
        if depth > MAX_DEPTH:
            message = f"this formula is more than {MAX_DEPTH} operations deep"
            reporter.report("formula-too-deep", node.span, message, "use fewer parentheses and operators behind others")
            return False
        left.extend((part, depth + 1) for part in tree.TREE.parts(node))
    if count > MAX_NODES:
        message = f"this formula has {count} parts; at most {MAX_NODES} are allowed"
        reporter.report("formula-too-large", formula.span, message, "split the query")
        return False
    return True


def _known(name: str, bound: frozenset[str], span: Span, reporter: Reporter) -> None:
    if name not in bound:
        hint = reporter.suggestion(name, bound, "a variable is a type of the formula, or a name after AS")
        reporter.report("unknown-variable", span, f"nothing binds `{name}` here: it is empty", hint)
