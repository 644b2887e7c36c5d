"""The constructs that level 2 adds to a program, by name, for everything that has only some of them.

A translation, or an adapter of a foreign engine, declares its constructs; `undeclared` yields the others that a program
has, by which it is rejected. Open windows are no construct: an elaborated program has closed ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import assert_never

from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import lookup
from parte.semantics.source.spans import Spanned


class Construct(Enum):
    """A construct of level 2; the value names it in messages."""

    CONNECTIVES = "`and`, `or`, `not` and `in`"
    PRESENCE = "`is present` and `is missing`"
    OPTIONAL = "optional attributes"
    STRINGS = "functions on Strings"
    REGULAR = "the function `matches`"
    NETWORKS = "the function `in_network`"
    CLOCKS = "the functions of clocks"
    TIMES = "timestamps and durations in conditions"
    EVER = "windows without a beginning, `-ever`"
    ALTERNATIVES = "alternatives, `either`"
    SELECTIONS = "selections, `first` and `last`"
    SETS = "sets, `all`"
    ROUNDED_AGGREGATES = "averages and sums of Floats over sets"
    SUPPRESSION = "`once`"


LEVEL_1 = frozenset[Construct]()
"""The constructs of what has level 1 only."""

_TESTS = {"like": Construct.STRINGS, "matches": Construct.REGULAR, "in_network": Construct.NETWORKS}


def lacking(construct: Construct, language: str) -> str:
    """Return the message that a translation to a language has no such construct."""
    return f"{construct.value}: the translation to {language} has no such construct"


def undeclared(program: core.Program, declared: Collection[Construct]) -> Iterator[tuple[Construct, Spanned]]:
    """Yield the constructs of a program that are not declared, each with a place; those of templates come first."""
    for template in program.templates:
        if any(attribute.optional for attribute in template.attributes) and Construct.OPTIONAL not in declared:
            yield Construct.OPTIONAL, template
    for cases in core.cases_of(program.rules):
        yield from undeclared_in(cases, declared)


def undeclared_in(cases: Iterable[core.Rule], declared: Collection[Construct]) -> Iterator[tuple[Construct, Spanned]]:
    """Yield each construct of the cases of a rule that is not declared, with the first place of it."""
    reported = set(declared)
    for construct, part in chain.from_iterable(map(_of_rule, cases)):
        if construct not in reported:
            reported.add(construct)
            yield construct, part


def _of_rule(rule: core.Rule) -> Iterator[tuple[Construct, Spanned]]:
    if rule.case:  # alternatives of one template are a condition with `or`
        yield Construct.ALTERNATIVES, rule
    for pattern in rule.patterns:
        if pattern.selects is not None:
            yield Construct.SELECTIONS, pattern
            continue  # its conditions are those of the pattern before it
        if pattern.collected:
            yield Construct.SETS, pattern
        for condition in pattern.conditions:
            yield from _within(condition)
    for constraint in rule.constraints:
        if constraint.lower is None:
            yield Construct.EVER, constraint
    for condition in rule.having:
        yield from _within(condition)
    for emission in rule.emissions:
        if emission.once is not None:
            yield Construct.SUPPRESSION, emission
        for assignment in emission.assignments:
            if assignment.optional:
                yield Construct.OPTIONAL, emission
            yield from _within(assignment.value)


def _within(expression: core.Expression) -> Iterator[tuple[Construct, Spanned]]:
    for part in core.EXPRESSIONS.within(expression):
        construct = construct_of(part)
        if construct is not None:
            yield construct, part


def construct_of(part: core.Expression) -> Construct | None:
    """Return the construct that a node of an expression belongs to, without its parts; None at level 1."""
    match part:
        case core.Compound() | core.Not():
            return Construct.CONNECTIVES
        case core.Presence():
            return Construct.PRESENCE
        case core.AttributeOf():
            return Construct.OPTIONAL if part.optional else None
        case core.PatternTest():
            return _TESTS[part.function]
        case core.FunctionCall(function=name):
            return Construct.STRINGS if (row := lookup(name)) is not None and row.level > 1 else None
        case core.ClockReading():
            return Construct.CLOCKS
        case core.TimeConstant():
            return Construct.TIMES
        case core.Aggregate(function=name, type=of):
            rounded = name == "avg" or (name == "sum" and of is Scalar.FLOAT)
            return Construct.ROUNDED_AGGREGATES if rounded else Construct.SETS
        case (
            core.Constant()
            | core.TimestampOf()
            | core.ToFloat()
            | core.Negation()
            | core.Arithmetic()
            | core.Comparison()
            | core.PredicateCall()
            | core.ListExpression()
        ):
            return None
        case _:
            assert_never(part)
