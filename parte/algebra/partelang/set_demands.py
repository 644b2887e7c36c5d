"""Sets as demands of a rule: their elements, the values of aggregates, and the parts of `having` that are not true.

A set and its aggregates are results without a demand; the conditions of `having` demand something of them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from fractions import Fraction

from parte.algebra.partelang.aggregates import in_place_of_event, set_of
from parte.algebra.partelang.demands import Demand, Fillers, Kind, value_text, values_text
from parte.algebra.partelang.expressions import Valuation, value_of
from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.domain import Predicates
from parte.semantics.events.duration import duration_in_words
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text

_ELEMENTS = 5  # elements of a set that are described
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CONTRARY = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def set_demands(fillers: Fillers, rule: core.Rule) -> Iterator[Demand]:
    """Yield the elements of a set, and the value of every aggregate of it that the rule mentions."""
    own = fillers.pattern.variable

    def describe(bound: Valuation) -> str:
        events = list(fillers.beside(bound))
        if not events:
            return fillers.none(bound, "is in it")
        return f"{_counted(len(events))}: {fillers.listed(events, bound, _ELEMENTS, briefly=True)}"

    yield Demand(own, Kind.SET, fillers.text("all"), fillers.pattern, fillers.needs, _met, describe, fillers.beside)
    for text, aggregate in _aggregates(rule, own).items():
        yield _aggregate(text, aggregate, fillers.domain)


def elements_of(fillers: Fillers, bound: Valuation) -> Event:
    """Return the set beside bound events, as a valuation binds it."""
    return in_place_of_event(frozenset(fillers.beside(bound)))


def sets_beside(
    rule: core.Rule, bound: Valuation, stream: Collection[Event], domain: Predicates
) -> dict[str, tuple[Event, ...]]:
    """Return the elements of each set of a rule beside bound events, in the order of the stream.

    A set is left out if its windows or conditions mention an event that is not bound, or a predicate not supplied.
    """
    sets = {}
    for pattern in rule.collected:
        fillers = Fillers.of(rule, pattern, stream, domain)
        parts = (part for condition in pattern.conditions for part in core.EXPRESSIONS.within(condition))
        called = {part.predicate for part in parts if isinstance(part, core.PredicateCall)}
        if fillers.needs <= bound.keys() and called <= domain.keys():
            sets[pattern.variable] = tuple(fillers.beside(bound))
    return sets


def having_demands(rule: core.Rule, domain: Predicates) -> tuple[Demand, ...]:
    """Return the conditions of `having`, each as a demand on the sets."""
    return tuple(_having(condition, domain) for condition in rule.having)


def _met(_: Valuation) -> float | None:
    return None


def _counted(number: int) -> str:
    return f"{number} element{'' if number == 1 else 's'}"


def _aggregates(rule: core.Rule, variable: str) -> dict[str, core.Aggregate]:
    """Return the aggregates of a set, each where it stands first, by their texts."""
    aggregates: dict[str, core.Aggregate] = {}
    parts: list[core.Expression | core.TimestampExpression] = [
        part for condition in rule.having for part in core.EXPRESSIONS.within(condition)
    ]
    for emission in rule.emissions:
        parts.extend(core.TIMESTAMP_EXPRESSIONS.within(emission.at))
        for assignment in emission.assignments:
            parts.extend(core.EXPRESSIONS.within(assignment.value))
    for part in parts:
        if isinstance(part, core.Aggregate) and part.variable == variable:
            aggregates.setdefault(expression_text(part), part)
    return aggregates


def _aggregate(text: str, aggregate: core.Aggregate, domain: Predicates) -> Demand:
    def describe(bound: Valuation) -> str:
        value = value_of(aggregate, bound, domain)
        return _nothing(aggregate, bound) if value is NO_VALUE else value_text(value)

    needs = frozenset({aggregate.variable})
    return Demand(aggregate.variable, Kind.AGGREGATE, text, aggregate, needs, _met, describe)


def _nothing(aggregate: core.Aggregate, bound: Valuation) -> str:
    elements = set_of(bound, aggregate.variable)
    if not elements:
        return "no value: the set is empty"
    if aggregate.attribute != "timestamp" and all(aggregate.attribute not in e.attributes for e in elements):
        return f"no value: no element has `{aggregate.attribute}`"
    return "no value: it is beyond the numbers of its type"


# --- Conditions of `having` -------------------------------------------------------------------------------------------


def _having(condition: core.Expression, domain: Predicates) -> Demand:
    def missed(bound: Valuation) -> float | None:
        if value_of(condition, bound, domain) is True:
            return None
        return _as_number(_missed(condition, bound, domain, wanted=True))

    def describe(bound: Valuation) -> str:
        failing = _failing(condition, bound, domain, wanted=True)
        return "; ".join(dict.fromkeys(failing)) or values_text(condition, "", bound, domain)

    needs = core.variables_of(condition)
    return Demand("", Kind.HAVING, expression_text(condition), condition, needs, missed, describe)


def _missed(condition: core.Expression, bound: Valuation, domain: Predicates, *, wanted: bool) -> Fraction:
    """Return by how much a condition misses the wanted truth: of alternatives, the one that is missed by least."""
    if value_of(condition, bound, domain) is wanted:
        return Fraction()
    match condition:
        case core.Not(operand=operand):
            return _missed(operand, bound, domain, wanted=not wanted)
        case core.Compound(connective=connective, operands=operands):
            parts = [_missed(operand, bound, domain, wanted=wanted) for operand in operands]
            return sum(parts, Fraction()) if (connective == "and") is wanted else min(parts)
        case core.Comparison(left=left, right=right):
            values = value_of(left, bound, domain), value_of(right, bound, domain)
            return abs(difference) if (difference := _difference(*values)) is not None else Fraction()
    return Fraction()


def _failing(condition: core.Expression, bound: Valuation, domain: Predicates, *, wanted: bool) -> Iterator[str]:
    """Yield a description of each comparison or call that keeps a condition from the wanted truth."""
    if value_of(condition, bound, domain) is wanted:
        return
    match condition:
        case core.Not(operand=operand):
            yield from _failing(operand, bound, domain, wanted=not wanted)
        case core.Compound(operands=operands):
            for operand in operands:
                yield from _failing(operand, bound, domain, wanted=wanted)
        case core.Comparison():
            yield _comparison(condition, bound, domain, wanted=wanted)
        case core.Aggregate():
            yield f"{expression_text(condition)} is {value_text(value_of(condition, bound, domain))}"
        case _:
            yield values_text(condition, "", bound, domain) or expression_text(condition)


def _comparison(condition: core.Comparison, bound: Valuation, domain: Predicates, *, wanted: bool) -> str:
    """Return how far a comparison is from the wanted truth, with the side that has an aggregate as the subject."""
    sides, operator = (condition.left, condition.right), condition.operator
    if not _has_aggregate(sides[0]):
        sides, operator = (sides[1], sides[0]), _MIRRORED.get(operator, operator)
    subject, reference = sides
    value, limit = value_of(subject, bound, domain), value_of(reference, bound, domain)
    for side, side_value in ((subject, value), (reference, limit)):
        if side_value is NO_VALUE:
            why = _nothing(side, bound) if isinstance(side, core.Aggregate) else "no value"
            return f"{expression_text(side)} has {why}"
    text = value_text(limit)
    if not isinstance(reference, core.Constant | core.ToFloat) or core.variables_of(reference):
        text = f"{expression_text(reference)} = {text}"
    reading = f"{expression_text(subject)} is {value_text(value)}"
    operator = operator if wanted else _CONTRARY[operator]
    difference = _difference(value, limit)
    if difference and operator != "!=":
        timed = any(_is_time(part) for part in (*core.EXPRESSIONS.within(subject), *core.EXPRESSIONS.within(reference)))
        amount = duration_in_words(int(abs(difference))) if timed else _number(abs(difference), value, limit)
        return f"{reading}, {amount} {'short of' if difference < 0 else 'over'} {text}"
    return f"{reading}, not {operator} {text}"


def _has_aggregate(expression: core.Expression) -> bool:
    return any(isinstance(part, core.Aggregate) for part in core.EXPRESSIONS.within(expression))


def _is_time(part: core.Expression) -> bool:
    return isinstance(part, core.TimestampOf) or (isinstance(part, core.Aggregate) and part.attribute == "timestamp")


def _difference(value: Value | None, limit: Value | None) -> Fraction | None:
    """Return the exact difference of two numbers; None for other values."""
    if isinstance(value, bool | str | tuple) or isinstance(limit, bool | str | tuple):
        return None
    return None if value is None or limit is None else Fraction(value) - Fraction(limit)


def _number(difference: Fraction, *values: Value | None) -> str:
    return str(int(difference)) if all(isinstance(value, int) for value in values) else repr(_as_number(difference))


def _as_number(exact: Fraction) -> float:
    """Return a number as an integer if it is one of moderate size, else the nearest Float, at most the greatest."""
    if exact.denominator == 1 and exact < 2**66:
        return exact.numerator
    return float(min(exact, Fraction(sys.float_info.max)))
