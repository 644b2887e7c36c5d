"""The meaning of conditions: true, false, or None for null (specification: eql-three, eql-patterns)."""

from __future__ import annotations

from collections.abc import Sequence

from parte.algebra.matching.addresses import is_in_network
from parte.algebra.matching.position_sets import is_match
from parte.algebra.matching.wildcards import is_like
from parte.languages.eql.algebra.functions import FUNCTIONS, calculated
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded, folded_pattern, segments
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event, Value

Plain = int | float | str | bool | None


def fits(event: Event, pattern: tree.Event, readings: Readings) -> bool:
    """Return whether an event is of the category and its condition is true."""
    return pattern.category in (None, event.template) and truth(pattern.condition, event, readings) is True


def truth(node: tree.Expression, event: Event, readings: Readings) -> bool | None:
    """Return the truth of a condition for an event; under the reading `two` nothing is null."""

    def atom(value: Plain) -> bool | None:
        known = value if isinstance(value, bool) else None
        return False if known is None and readings.logic == "two" else known

    match node:
        case tree.Not(operand=operand):
            return _negation(truth(operand, event, readings))
        case tree.And(parts=parts):
            truths = [truth(part, event, readings) for part in parts]
            return False if False in truths else None if None in truths else True
        case tree.Or(parts=parts):
            return _disjunction([truth(part, event, readings) for part in parts])
        case tree.Comparison(left=left, relation=relation, right=right):
            return atom(_compared(value_of(left, event), relation, value_of(right, event), readings.case == "folded"))
        case tree.Presence(operand=tree.Field(name=name), present=present):
            return (event.attributes.get(name) is not None) is present
        case tree.Presence(operand=operand, present=present):
            return (value_of(operand, event) is not None) is present
        case tree.Matches(operand=operand):
            return atom(_matches(value_of(operand, event), node, readings))
        case tree.InList(operand=operand, negated=negated, folded=folds, values=values):
            member, folds = value_of(operand, event), folds or readings.case == "folded"
            is_in = atom(_disjunction([_compared(member, tree.Relation.EQUAL, value.value, folds) for value in values]))
            return _negation(is_in) if negated else is_in
        case _:
            return atom(value_of(node, event))


def _negation(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _disjunction(truths: Sequence[bool | None]) -> bool | None:
    return True if True in truths else None if None in truths else False


def _compared(left: Plain, relation: tree.Relation, right: Plain, folds: bool) -> bool | None:
    if isinstance(left, str) and isinstance(right, str):
        if relation in (tree.Relation.EQUAL, tree.Relation.UNEQUAL) and folds:
            left, right = folded(left), folded(right)
        sign = (left > right) - (left < right)
    elif isinstance(left, bool) and isinstance(right, bool):
        if relation not in (tree.Relation.EQUAL, tree.Relation.UNEQUAL):
            return None
        sign = int(left is not right)
    elif _is_number(left) and _is_number(right):
        assert isinstance(left, int | float)
        assert isinstance(right, int | float)
        sign = (left > right) - (left < right)
    else:
        return None
    match relation:
        case tree.Relation.EQUAL:
            return sign == 0
        case tree.Relation.UNEQUAL:
            return sign != 0
        case tree.Relation.LESS:
            return sign < 0
        case tree.Relation.LESS_OR_EQUAL:
            return sign <= 0
        case tree.Relation.GREATER:
            return sign > 0
        case tree.Relation.GREATER_OR_EQUAL:
            return sign >= 0


def _matches(value: Plain, node: tree.Matches, readings: Readings) -> bool | None:
    if not isinstance(value, str):
        return None
    match node.matching:
        case tree.Matching.REGEX:
            return any(is_match(value, pattern) for pattern in node.patterns)
        case tree.Matching.REGEX_FOLDED:
            return any(is_match(folded(value), folded_pattern(pattern)) for pattern in node.patterns)
        case _:
            folds = node.matching is not tree.Matching.LIKE or readings.case == "folded"
            text, star = folded(value) if folds else value, readings.wildcard == "star"
            return any(is_like(text, segments(pattern, star=star, fold=folds)) for pattern in node.patterns)


# --- Values -----------------------------------------------------------------------------------------------------------


def _is_number(value: Value | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_of(node: tree.Expression, event: Event) -> Plain:
    """Return a value; a list is null."""
    match node:
        case tree.Literal(value=value):
            return value
        case tree.Field(name=name):
            attribute = event.attributes.get(name)
            return None if isinstance(attribute, tuple) else attribute
        case tree.Negative(operand=operand):
            return calculated("-", 0, value_of(operand, event))
        case tree.Arithmetic(left=left, sign=sign, right=right):
            return calculated(sign.value, value_of(left, event), value_of(right, event))
        case tree.Call(function="cidrMatch", arguments=(address, *networks)):
            text = value_of(address, event)
            names = [network.value for network in networks if isinstance(network, tree.Literal)]
            return _in_networks(text, [name for name in names if isinstance(name, str)])
        case tree.Call(function=function, folded=folds, arguments=arguments):
            values = [value_of(argument, event) for argument in arguments]
            return None if None in values else FUNCTIONS[function](folds, *values)
        case _:
            return None


def _in_networks(address: Plain, networks: Sequence[str]) -> bool | None:
    if not isinstance(address, str):
        return None
    return _disjunction([is_in_network(address, network) for network in networks])
