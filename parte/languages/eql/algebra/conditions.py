"""The meaning of conditions: true, false, or None for null (specification: eql-three, eql-patterns)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod

from parte.algebra.matching.addresses import is_in_network
from parte.algebra.matching.position_sets import is_match
from parte.algebra.matching.wildcards import is_like
from parte.languages.eql.algebra.functions import FUNCTIONS, calculated
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded, folded_pattern, segments
from parte.languages.eql.semantics.syntax.functions import MOST_CHOICES
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

    def values(operand: tree.Expression) -> Sequence[Plain]:
        return values_of(operand, event, readings)

    match node:
        case tree.Not(operand=operand):
            return _negation(truth(operand, event, readings))
        case tree.And(parts=parts):
            return _conjunction([truth(part, event, readings) for part in parts])
        case tree.Or(parts=parts):
            return _disjunction([truth(part, event, readings) for part in parts])
        case tree.Comparison(left=left, relation=relation, right=right):
            pairs, folds = product(values(left), values(right)), readings.case == "folded"
            truths = [_compared(first, relation, second, folds) for first, second in pairs]
            return atom(_conjunction(truths) if relation is tree.Relation.UNEQUAL else _disjunction(truths))
        case tree.Presence(operand=tree.Field(name=name), present=present) if readings.lists == "null":
            return (event.attributes.get(name) is not None) is present
        case tree.Presence(operand=operand, present=present):
            return any(value is not None for value in values(operand)) is present
        case tree.Matches(operand=operand):
            return atom(_disjunction([_matches(value, node, readings) for value in values(operand)]))
        case tree.InList(operand=operand, negated=negated, folded=folds, values=listed):
            folds, equal = folds or readings.case == "folded", tree.Relation.EQUAL
            members = product(values(operand), listed)
            is_in = atom(_disjunction([_compared(value, equal, item.value, folds) for value, item in members]))
            return _negation(is_in) if negated else is_in
        case _:
            return atom(_disjunction([value if isinstance(value, bool) else None for value in values(node)]))


def _negation(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _conjunction(truths: Sequence[bool | None]) -> bool | None:
    return False if False in truths else None if None in truths else True


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


def values_of(node: tree.Expression, event: Event, readings: Readings) -> Sequence[Plain]:
    """Return the values that an expression may have: those of lists under the reading `any`; else a list is null."""
    match node:
        case tree.Literal(value=value):
            return [value]
        case tree.Field(name=name):
            attribute = event.attributes.get(name)
            if isinstance(attribute, tuple):
                return _at_most(attribute) if attribute and readings.lists == "any" else [None]
            return [attribute]
        case tree.Negative(operand=operand):
            return [calculated("-", 0, value) for value in values_of(operand, event, readings)]
        case tree.Arithmetic(left=left, sign=sign, right=right):
            return [calculated(sign.value, *values) for values in _chosen((left, right), event, readings)]
        case tree.Call(function="cidrMatch", arguments=(address, *networks)):
            names = [network.value for network in networks if isinstance(network, tree.Literal)]
            texts = [name for name in names if isinstance(name, str)]
            return [_in_networks(value, texts) for value in values_of(address, event, readings)]
        case tree.Call(function=function, folded=folds, arguments=arguments):
            choices = _chosen(arguments, event, readings)
            return [None if None in values else FUNCTIONS[function](folds, *values) for values in choices]
        case _:
            return [None]


def _chosen(nodes: Sequence[tree.Expression], event: Event, readings: Readings) -> Iterable[tuple[Plain, ...]]:
    """Return the choices of a value of each expression; one of nulls if there are too many (eql-lists)."""
    choices = [values_of(node, event, readings) for node in nodes]
    return product(*choices) if prod(map(len, choices)) <= MOST_CHOICES else [(None,) * len(nodes)]


def _at_most(values: Sequence[Plain]) -> Sequence[Plain]:
    return values if len(values) <= MOST_CHOICES else [None]


def _in_networks(address: Plain, networks: Sequence[str]) -> bool | None:
    if not isinstance(address, str):
        return None
    return _disjunction([is_in_network(address, network) for network in networks])
