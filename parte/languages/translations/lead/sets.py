"""Conditions of `having` as quantifiers of LEAD over the lists that have the events of a set.

A set is one list, or two: the events before an event and those after it. Of two lists `count(v) >= 2` is an alternative
for each way to divide 2. `max(v.k) >= 3` says that some event has a `k` of 3 or more, so it counts too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.semantics.syntax import tree
from parte.languages.translations.connectives import CONTRARY, conjuncts
from parte.semantics.partelang.syntax import core
from parte.semantics.source.reporting import Reporter

_MOST = 100
"""The greatest number of events that is divided between two lists."""

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BEYOND = {"max": (">=", ">"), "min": ("<=", "<")}
"""The operators of a value at a limit or beyond it, and beyond it."""


@dataclass(frozen=True, slots=True)
class Items:
    """A list, and the conditions under which an item of it belongs to the set."""

    name: str
    belonging: tuple[tree.Expression, ...]


@dataclass(frozen=True, slots=True)
class Sets:
    """The lists of each set. `translated` returns a condition in which a variable has the name of a list."""

    lists: Mapping[str, Sequence[Items]]
    translated: Callable[[core.Expression, str, str], tree.Expression | None]
    reporter: Reporter

    def having(self, conditions: Sequence[core.Expression]) -> list[tree.Expression]:
        """Return conditions on sets. Those without a counterpart are reported."""
        translated = [self._condition(condition) for condition in conjuncts(conditions)]
        return [condition for condition in translated if condition is not None]

    def _condition(self, condition: core.Expression) -> tree.Expression | None:
        match condition:
            case core.Compound(connective=connective, operands=operands):
                parts = [self._condition(operand) for operand in operands]
                translated = [part for part in parts if part is not None]
                if len(translated) < len(parts):
                    return None
                return _both(translated) if connective == "and" else _either(translated)
            case core.Aggregate(function="exists", variable=variable):
                return self._at_least(variable, 1)
            case core.Not(operand=core.Aggregate(function="exists", variable=variable)):
                return tree.Negation(self._at_least(variable, 1))
            case core.Comparison():
                return self._comparison(condition)
        self._refuse(condition, "here LEAD compares the number, the greatest or the least of events only")
        return None

    def _refuse(self, part: core.Expression, message: str) -> None:
        self.reporter.report("no-counterpart", part.span, message, "leave the condition out")

    def _comparison(self, condition: core.Comparison) -> tree.Expression | None:
        aggregates = [part for part in core.EXPRESSIONS.within(condition) if isinstance(part, core.Aggregate)]
        if len(aggregates) == 1 and (plain := _alone(condition, aggregates[0])) is not None:
            (aggregate,), operator, limit = aggregates, *plain
            if aggregate.function == "count" and not aggregate.distinct:
                if isinstance(limit, core.Constant) and isinstance(limit.value, int):
                    return self._counted(aggregate, operator, limit.value)
            elif aggregate.function in _BEYOND and aggregate.attribute != "timestamp":
                return self._extreme(aggregate, operator, condition)
        self._refuse(condition, "LEAD has no such aggregate of those events of a list that are in a window")
        return None

    def _counted(self, aggregate: core.Aggregate, operator: str, number: int) -> tree.Expression | None:
        own = () if aggregate.attribute is None else (core.Presence(_attribute(aggregate), True),)

        def at_least(least: int) -> tree.Expression:
            return self._at_least(aggregate.variable, least, *own)

        if number > _MOST and len(self.lists[aggregate.variable]) > 1:
            message = f"more than {_MOST} events before and after another one are more alternatives than a rule has"
            self.reporter.report("too-large-translation", aggregate.span, message, "let the window be on one side")
            return None
        match operator:
            case ">=":
                return at_least(number)
            case ">":
                return at_least(number + 1)
            case "<":
                return tree.Negation(at_least(number))
            case "<=":
                return tree.Negation(at_least(number + 1))
            case "=":
                return _both([at_least(number), tree.Negation(at_least(number + 1))])
            case _:
                return _either([at_least(number + 1), tree.Negation(at_least(number))])

    def _extreme(self, aggregate: core.Aggregate, operator: str, condition: core.Comparison) -> tree.Expression | None:
        """Return a condition on the greatest or least value. Without a value, neither it nor its contrary is true."""
        reaching, beyond = _BEYOND[aggregate.function]
        variable = aggregate.variable
        exists = self._at_least(variable, 1, core.Presence(_attribute(aggregate), True))
        reaches = self._at_least(variable, 1, _of_items(condition, aggregate, reaching))
        exceeds = self._at_least(variable, 1, _of_items(condition, aggregate, beyond))
        if operator == reaching:
            return reaches
        if operator == beyond:
            return exceeds
        limit = [
            core.Presence(part, True)
            for part in core.EXPRESSIONS.within(condition)
            if isinstance(part, core.AttributeOf) and part.optional
        ]
        valued = [exists, *(part_limit for part in limit if (part_limit := self.translated(part, "", "")) is not None)]
        if operator == CONTRARY[reaching]:
            return _both([*valued, tree.Negation(reaches)])
        if operator == CONTRARY[beyond]:
            return _both([*valued, tree.Negation(exceeds)])
        if operator == "=":
            return _both([reaches, tree.Negation(exceeds)])
        return _either([exceeds, _both([*valued, tree.Negation(reaches)])])

    def _at_least(self, variable: str, least: int, *conditions: core.Expression) -> tree.Expression:
        """Return the condition that so many events of a set, or more, fulfil conditions."""
        if least <= 0:
            return tree.Literal(True)
        before, *after = self.lists[variable]
        if not after:
            return self._some(variable, before, least, conditions)
        ways = []
        for earlier in range(least + 1):
            counts = ((before, earlier), (after[0], least - earlier))
            ways.append(_both([self._some(variable, items, count, conditions) for items, count in counts if count]))
        return _either(ways)

    def _some(self, variable: str, items: Items, least: int, conditions: Sequence[core.Expression]) -> tree.Expression:
        more = [self.translated(condition, variable, items.name) for condition in conditions]
        parts = [*items.belonging, *(part for part in more if part is not None)]
        return tree.Quantified(least, None, _both(parts))


def _attribute(aggregate: core.Aggregate) -> core.AttributeOf:
    """Return the attribute of an aggregate as one of an event."""
    assert aggregate.attribute is not None
    return core.AttributeOf(aggregate.variable, aggregate.attribute, aggregate.type, True, span=aggregate.span)


def _of_items(condition: core.Comparison, aggregate: core.Aggregate, operator: str) -> core.Expression:
    """Return a comparison about the events of a set, with the aggregate as the left side of the operator."""
    if not _has(condition.left, aggregate):
        operator = _MIRRORED[operator]

    def of_event(part: core.Expression) -> core.Expression:
        return _attribute(aggregate) if part == aggregate else part

    return core.EXPRESSIONS.mapped(replace(condition, operator=operator), of_event)


def _alone(condition: core.Comparison, aggregate: core.Aggregate) -> tuple[str, core.Expression] | None:
    """Return the operator and the other side, if an aggregate, perhaps as a Float, is one side; None otherwise."""
    for side, operator, opposite in (
        (condition.left, condition.operator, condition.right),
        (condition.right, _MIRRORED.get(condition.operator, condition.operator), condition.left),
    ):
        if side == aggregate or (isinstance(side, core.ToFloat) and side.operand == aggregate):
            return operator, opposite
    return None


def _has(expression: core.Expression, part: core.Expression) -> bool:
    return any(inner == part for inner in core.EXPRESSIONS.within(expression))


def _both(parts: Sequence[tree.Expression]) -> tree.Expression:
    flat = [operand for part in parts for operand in (part.parts if isinstance(part, tree.Both) else (part,))]
    return flat[0] if len(flat) == 1 else tree.Both(tuple(flat))


def _either(parts: Sequence[tree.Expression]) -> tree.Expression:
    flat = [operand for part in parts for operand in (part.parts if isinstance(part, tree.Either) else (part,))]
    return flat[0] if len(flat) == 1 else tree.Either(tuple(flat))
