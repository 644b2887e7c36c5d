"""Rules that differ only in constants, run as one query that joins their events with a table of these constants.

An engine takes some milliseconds for any query, however little it reads, and reads the events again for each. A
thousand rules from one template of rules differ only in names, constants and lengths of windows. So they are compiled
once, with a column of the table in place of each constant that differs between them. Other rules have a query each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow

from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.expressions import asks
from parte.algebra.partelang.relational.relations import CONSTANTS, column
from parte.algebra.partelang.relational.windows import Distance, Held
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import ScalarValue, describe
from parte.semantics.partelang.syntax import core

RULE: Final = "$rule"
"""The column with the name of a rule, in the table and in the query."""

Column = tuple[Scalar, Sequence[ScalarValue]]
"""The type of a column, and its values."""
_Member = tuple[core.Rule, core.Rule, tuple[ScalarValue, ...]]
"""A rule, the part that it shares with similar rules, and its constants."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Several rules as one: `rule` is the first, with columns for the differences, and with windows that contain all.

    `windows` are the windows of each rule for the constraints that differ, by position, and `constants` the columns of
    the table, which is called `relation`.
    """

    relation: str
    rules: tuple[core.Rule, ...]
    rule: core.Rule
    windows: Mapping[int, tuple[Distance, Distance]]
    constants: Mapping[str, Column]

    @property
    def lines(self) -> Iterator[str]:
        """Yield, for each rule, its name and the values of the columns."""
        columns = {name: values for name, (_, values) in self.constants.items() if name != RULE}
        for rule, *row in zip(self.rules, *columns.values(), strict=True):
            held = (f"{name} is {describe(value)}" for name, value in zip(columns, row, strict=True))
            yield ", ".join([f"rule {rule.name}", *held])

    def table(self, start: int = 0, most: int | None = None) -> Any:
        """Return the constants of the rules from `start` on, at most `most` rules, in Arrow."""
        end = None if most is None else start + most
        arrays = {
            name: pyarrow.array(values[start:end], arrow_type(of)) for name, (of, values) in self.constants.items()
        }
        return pyarrow.table(arrays)


def alike(rules: Iterable[core.Rule], numbers: Iterator[int]) -> Iterator[Alike | core.Rule]:
    """Yield the rules in groups of at least two, whose tables are numbered, and the rules that are like no other."""
    groups: dict[str, list[_Member]] = {}
    for rule in rules:
        masked, constants = _masked(rule)
        # As text, because 0.0 and -0.0 are equal.
        groups.setdefault(repr(masked), []).append((rule, masked, constants))
    for members in groups.values():
        yield members[0][0] if len(members) == 1 else _together(f"constants{next(numbers)}", members)


def _masked(rule: core.Rule) -> tuple[core.Rule, tuple[ScalarValue, ...]]:
    """Return the rule with columns for constants and the mere signs of window ends, and its constants."""
    constants: list[ScalarValue] = []

    def column_of(part: core.Expression) -> core.Expression:
        if not isinstance(part, core.Constant):
            return part
        constants.append(part.value)
        return core.AttributeOf(CONSTANTS, _name(len(constants)), part.type)

    changed = _changed(rule, column_of)
    windows = (
        replace(
            constraint,
            lower=None if constraint.lower is None else _sign(constraint.lower),
            upper=_sign(constraint.upper),
        )
        for constraint in rule.constraints
    )
    return replace(changed, name="", constraints=tuple(windows)), tuple(constants)


def _changed(rule: core.Rule, change: Callable[[core.Expression], core.Expression]) -> core.Rule:
    """Return the rule with other expressions, except where a negated pattern asks a predicate.

    In some engines, the arguments of that predicate may depend on nothing outside the pattern.
    """
    patterns, emissions = [], []
    for pattern in rule.patterns:
        conditions = (
            condition if pattern.negated and asks(condition) else core.EXPRESSIONS.mapped(condition, change)
            for condition in pattern.conditions
        )
        patterns.append(replace(pattern, conditions=tuple(conditions)))
    for emission in rule.emissions:
        assigned = (
            replace(assignment, value=core.EXPRESSIONS.mapped(assignment.value, change))
            for assignment in emission.assignments
        )
        emissions.append(replace(emission, assignments=tuple(assigned)))
    return replace(rule, patterns=tuple(patterns), emissions=tuple(emissions))


def _name(number: int) -> str:
    return f"k{number}"


def _sign(distance: int) -> int:
    return -1 if distance < 0 else 0


def _together(relation: str, members: Sequence[_Member]) -> Alike:
    """Return the rules as one. A value that is the same in all is a constant again, so that the engine sees it."""
    rules = tuple(rule for rule, _, _ in members)
    columns = zip(*(values_of_one for _, _, values_of_one in members), strict=True)
    values = {_name(number): values_of_one for number, values_of_one in enumerate(columns, 1)}
    constants: dict[str, Column] = {RULE: (Scalar.STRING, [rule.reported for rule in rules])}

    def constant(part: core.Expression) -> core.Expression:
        if not isinstance(part, core.AttributeOf) or part.variable != CONSTANTS:
            return part
        values_of_one, of = values[part.attribute], part.type
        assert isinstance(of, Scalar)
        if len(set(map(repr, values_of_one))) == 1:
            return core.Constant(values_of_one[0], of)
        constants[part.attribute] = of, values_of_one
        return part

    def end(name: str, distances: Sequence[int]) -> Distance:
        if len(set(distances)) == 1:
            return distances[0]
        constants[name] = Scalar.INTEGER, distances
        return Held(column(CONSTANTS, name), distances[0] < 0)

    windows: dict[int, tuple[Distance, Distance]] = {}
    widest: list[core.Constraint] = []
    for place, own in enumerate(zip(*(rule.constraints for rule in rules), strict=True)):
        lower, upper = [constraint.begins for constraint in own], [constraint.upper for constraint in own]
        least = None if own[0].lower is None else min(lower)
        widest.append(replace(own[0], lower=least, upper=max(upper)))
        ends = end(f"lower{place + 1}", lower), end(f"upper{place + 1}", upper)
        if any(isinstance(distance, Held) for distance in ends):
            windows[place] = ends
    rule = replace(_changed(members[0][1], constant), name=rules[0].name, constraints=tuple(widest))
    return Alike(relation, rules, rule, windows, constants)
