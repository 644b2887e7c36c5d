"""Conditions of the machine, compiled once to functions of an event (specification: eql-three, eql-patterns).

This code is independent of that of the definition: the agreement of the two is evidence.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from parte.languages.eql.semantics.functions import ARITHMETIC, COMPILED, Plain, kind_of
from parte.languages.eql.semantics.rulebook import rule
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded, folded_pattern, segments
from parte.languages.eql.semantics.syntax.functions import MOST_CHOICES
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event
from parte.semantics.matching.addresses import is_in_network
from parte.semantics.matching.threads import is_match
from parte.semantics.matching.wildcards import is_like

Truth = bool | None
Test = Callable[[Event], Truth]
Evaluate = Callable[[Event], Plain]

_RELATIONS: dict[tree.Relation, Callable[..., bool]] = {
    tree.Relation.EQUAL: operator.eq,
    tree.Relation.UNEQUAL: operator.ne,
    tree.Relation.LESS: operator.lt,
    tree.Relation.LESS_OR_EQUAL: operator.le,
    tree.Relation.GREATER: operator.gt,
    tree.Relation.GREATER_OR_EQUAL: operator.ge,
}
_EQUALITIES = (tree.Relation.EQUAL, tree.Relation.UNEQUAL)


@rule("THREE", "three-valued conditions", "ED, syntax")
def fits(test: Test, event: Event) -> bool:
    """An event fits if its condition is true, neither false nor null."""
    return test(event) is True


def compile_test(node: tree.Expression, readings: Readings) -> Test:
    """Return the test of a condition: true, false, or None for null."""
    match node:
        case tree.Not(operand=operand):
            return _opposite(compile_test(operand, readings))
        case tree.And(parts=parts):
            return _joined([compile_test(part, readings) for part in parts], False)
        case tree.Or(parts=parts):
            return _joined([compile_test(part, readings) for part in parts], True)
        case tree.InList(negated=True):
            return _opposite(compile_test(replace(node, negated=False), readings))
        case _:
            test = _single(node, readings)
            return test if readings.lists == "null" else _spread(node, test, readings)


def _single(node: tree.Expression, readings: Readings) -> Test:
    """Return the test of a part of a condition for events without lists; a list is null."""
    match node:
        case tree.Presence(operand=operand, present=present):
            return _presence(operand, present)
        case tree.InList():
            return _known(_membership(node, readings), readings)
        case tree.Comparison(left=left, relation=relation, right=right):
            folds = readings.case == "folded" and relation in _EQUALITIES
            return _known(_comparison(compile_value(left), relation, compile_value(right), folds), readings)
        case tree.Matches():
            return _known(_pattern(node, readings), readings)
        case _:
            return _atom(compile_value(node), readings)


def _known(test: Test, readings: Readings) -> Test:
    return test if readings.logic == "three" else _atom(test, readings)


def _atom(evaluate: Evaluate, readings: Readings) -> Test:
    otherwise = False if readings.logic == "two" else None

    def test(event: Event) -> Truth:
        value = evaluate(event)
        return value if value is True or value is False else otherwise

    return test


def _spread(node: tree.Expression, single: Test, readings: Readings) -> Test:
    """A part of a condition is true if it is for some choice of a value from each list, `!=` if it is for all."""
    names: list[str] = []

    def numbered(part: tree.Node) -> tree.Node:
        if not isinstance(part, tree.Field):
            return part
        names.append(part.name)
        return replace(part, name=f"{len(names)}")

    chosen = _single(tree.TREE.mapped(node, numbered), readings)
    is_unequal = isinstance(node, tree.Comparison) and node.relation is tree.Relation.UNEQUAL
    decisive = not (is_unequal or (isinstance(node, tree.Presence) and not node.present))

    def spread(event: Event) -> Truth:
        values = [event.attributes.get(name) for name in names]
        if not any(isinstance(value, tuple) for value in values):
            return single(event)
        choices = [(value or (None,)) if isinstance(value, tuple) else (value,) for value in values]
        if prod(map(len, choices)) > MOST_CHOICES:
            choices = [(None,) if isinstance(value, tuple) else (value,) for value in values]
        truths = set()
        for choice in product(*choices):
            attributes = {f"{number}": value for number, value in enumerate(choice, 1) if value is not None}
            truths.add(chosen(Event("", "", 0, attributes)))
        return decisive if decisive in truths else None if None in truths else not decisive

    return spread


def _opposite(test: Test) -> Test:
    def opposite(event: Event) -> Truth:
        truth = test(event)
        return truth if truth is None else not truth

    return opposite


def _joined(tests: Sequence[Test], decisive: bool) -> Test:
    """Return `or`, or `and`: the truth that decides, if one test has it; else null, if one is null."""

    def joined(event: Event) -> Truth:
        known = True
        for test in tests:
            truth = test(event)
            if truth is decisive:
                return decisive
            known = known and truth is not None
        return not decisive if known else None

    return joined


def _presence(operand: tree.Expression, present: bool) -> Test:
    if isinstance(operand, tree.Field):
        name = operand.name
        return lambda event: (event.attributes.get(name) is None) ^ present
    evaluate = compile_value(operand)
    return lambda event: (evaluate(event) is None) ^ present


def _comparison(left: Evaluate, relation: tree.Relation, right: Evaluate, folds: bool) -> Test:
    apply = _RELATIONS[relation]
    ordered = relation not in _EQUALITIES

    def compared(event: Event) -> Truth:
        first, second = left(event), right(event)
        kind = kind_of(first)
        if not kind or kind != kind_of(second) or (ordered and kind == "boolean"):
            return None
        if folds and isinstance(first, str) and isinstance(second, str):
            first, second = folded(first), folded(second)
        return apply(first, second)

    return compared


def _membership(node: tree.InList, readings: Readings) -> Test:
    evaluate, folds = compile_value(node.operand), node.folded or readings.case == "folded"
    listed: dict[str, set[Plain]] = {}
    for literal in node.values:
        value = folded(literal.value) if folds and isinstance(literal.value, str) else literal.value
        listed.setdefault(kind_of(value), set()).add(value)

    def is_in(event: Event) -> Truth:
        value = evaluate(event)
        kind = kind_of(value)
        if kind in listed and (folded(value) if folds and isinstance(value, str) else value) in listed[kind]:
            return True
        return False if {kind} == listed.keys() else None

    return is_in


def _pattern(node: tree.Matches, readings: Readings) -> Test:
    evaluate = compile_value(node.operand)
    folds = node.matching is not tree.Matching.REGEX and (
        node.matching is not tree.Matching.LIKE or readings.case == "folded"
    )
    tests: list[Callable[[str], bool]] = []
    exact: set[str] = set()
    for pattern in node.patterns:
        if node.matching in (tree.Matching.REGEX, tree.Matching.REGEX_FOLDED):
            tests.append(_regular(folded_pattern(pattern) if folds else pattern))
        elif "*" in pattern or "?" in pattern:
            tests.append(_wild(pattern, readings.wildcard == "star", folds))
        else:
            exact.add(folded(pattern) if folds else pattern)

    def matches(event: Event) -> Truth:
        text = evaluate(event)
        if not isinstance(text, str):
            return None
        text = folded(text) if folds else text
        return text in exact or (bool(tests) and any(test(text) for test in tests))

    return matches


def _regular(pattern: str) -> Callable[[str], bool]:
    return lambda text: is_match(text, pattern)


def _wild(pattern: str, star: bool, folds: bool) -> Callable[[str], bool]:
    parts = segments(pattern, star=star, fold=folds)
    return lambda text: is_like(text, parts)


def compile_value(node: tree.Expression) -> Evaluate:
    """Return a function from an event to a value, None for null."""
    match node:
        case tree.Literal(value=constant):
            return lambda _: constant
        case tree.Field(name=name):
            return _attribute(name)
        case tree.Negative(operand=operand):
            return _applied(ARITHMETIC["-"], [lambda _: 0, compile_value(operand)])
        case tree.Arithmetic(left=left, sign=sign, right=right):
            return _applied(ARITHMETIC[sign.value], [compile_value(left), compile_value(right)])
        case tree.Call(function="cidrMatch", arguments=(address, *networks)):
            texts = [str(network.value) for network in networks if isinstance(network, tree.Literal)]
            return _networks(compile_value(address), texts)
        case tree.Call(function=function, folded=folds, arguments=arguments):
            return _applied(COMPILED[function](folds), [compile_value(argument) for argument in arguments])
        case _:
            return lambda _: None


def _attribute(name: str) -> Evaluate:
    def attribute(event: Event) -> Plain:
        value = event.attributes.get(name)
        return value if not isinstance(value, tuple) else None

    return attribute


def _applied(function: Callable[..., Plain], arguments: Sequence[Evaluate]) -> Evaluate:
    def applied(event: Event) -> Plain:
        values = []
        for argument in arguments:
            value = argument(event)
            if value is None:
                return None
            values.append(value)
        return function(*values)

    return applied


def _networks(address: Evaluate, networks: Sequence[str]) -> Evaluate:
    def is_in(event: Event) -> Truth:
        text = address(event)
        truths = [is_in_network(text, network) for network in networks] if isinstance(text, str) else [None]
        return None if None in truths else any(truths)

    return is_in
