"""Conditions of the machine, compiled once to functions of an event (specification: eql-three, eql-patterns).

This code is independent of that of the definition: the agreement of the two is evidence.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from parte.languages.eql.semantics.functions import ARITHMETIC, COMPILED, Plain, kind_of
from parte.languages.eql.semantics.rulebook import rule
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded, folded_pattern, segments
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
        case tree.Presence(operand=operand, present=present):
            return _presence(operand, present)
        case tree.InList(negated=negated):
            test = _atom(_membership(node, readings), readings)
            return _opposite(test) if negated else test
        case tree.Comparison(left=left, relation=relation, right=right):
            folds = readings.case == "folded" and relation in _EQUALITIES
            return _atom(_comparison(compile_value(left), relation, compile_value(right), folds), readings)
        case tree.Matches():
            return _atom(_pattern(node, readings), readings)
        case _:
            return _atom(compile_value(node), readings)


def _atom(evaluate: Evaluate, readings: Readings) -> Test:
    otherwise = False if readings.logic == "two" else None

    def test(event: Event) -> Truth:
        value = evaluate(event)
        return value if value is True or value is False else otherwise

    return test


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


def _comparison(left: Evaluate, relation: tree.Relation, right: Evaluate, folds: bool) -> Evaluate:
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


def _membership(node: tree.InList, readings: Readings) -> Evaluate:
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


def _pattern(node: tree.Matches, readings: Readings) -> Evaluate:
    evaluate = compile_value(node.operand)
    folds = node.matching is not tree.Matching.REGEX and (
        node.matching is not tree.Matching.LIKE or readings.case == "folded"
    )
    tests: list[Callable[[str], bool]] = []
    for pattern in node.patterns:
        if node.matching in (tree.Matching.REGEX, tree.Matching.REGEX_FOLDED):
            tests.append(_regular(folded_pattern(pattern) if folds else pattern))
        else:
            tests.append(_wild(pattern, readings.wildcard == "star", folds))

    def matches(event: Event) -> Truth:
        text = evaluate(event)
        if not isinstance(text, str):
            return None
        text = folded(text) if folds else text
        return any(test(text) for test in tests)

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
