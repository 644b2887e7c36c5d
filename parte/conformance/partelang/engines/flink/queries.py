"""A rule as one streaming query: the joins of its patterns, and the columns that it selects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.conformance.partelang.engines.flink.expressions import COMPONENT, IDENTITY, Expressions
from parte.conformance.partelang.engines.flink.joins import Joins
from parte.conformance.partelang.engines.flink.level_2 import text
from parte.conformance.partelang.engines.flink.sets import with_sets
from parte.semantics.events.match import shortened
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a rule: rows with the ids of the positive variables, then each emission: id, timestamp, values.

    `updating`: rows are also withdrawn; those that are left in the end count.
    """

    rule: core.Rule
    sql: str
    updating: bool = False


def rule_query(rule: core.Rule, program: core.Program, expressions: Expressions) -> Query:
    """Return the query of a rule."""
    joins = Joins.of(rule, program, expressions)
    if rule.collected:
        expressions, lines = with_sets(joins, program, expressions)
    else:
        lines = joins.lines([pattern.variable for pattern in rule.patterns if pattern.negated])
    sql = "\n".join([f"SELECT {', '.join(projected(rule, expressions))}", *lines])
    return Query(rule, sql, updating=bool(rule.collected))


def projected(rule: core.Rule, expressions: Expressions) -> Sequence[str]:
    """Return the selected columns of the query of a rule, which `decoded` reads."""
    variables = [pattern.variable for pattern in rule.positive]
    columns = [expressions.column(variable, IDENTITY) for variable in variables]
    for position, emission in enumerate(rule.emissions, 1):
        number = f"#{position}" if len(rule.emissions) > 1 else ""
        parts = []
        for variable in variables:
            before = f"{rule.reported}{number}(" if variable == variables[0] else ","
            parts += [text(f"{before}{variable}="), expressions.column(variable, COMPONENT)]
        columns.append(f"CONCAT({', '.join(parts)}, ')')")
        columns.append(expressions.value(emission.at))
        columns += [expressions.value(assignment.value) for assignment in emission.assignments]
    return [f"{sql} AS `c{number}`" for number, sql in enumerate(columns, 1)]


def decoded(query: Query, row: Sequence[object]) -> Mapping[str, object]:
    """Return the match of a row of a query, as JSON."""
    rule = query.rule
    variables = [pattern.variable for pattern in rule.positive]
    bindings, rest = dict(zip(variables, row, strict=False)), list(row[len(variables) :])
    emits = []
    for emission in rule.emissions:
        names = [assignment.attribute for assignment in emission.assignments]
        identity, timestamp, *values = rest[: 2 + len(names)]
        del rest[: 2 + len(names)]
        attributes = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        optional = {assignment.attribute for assignment in emission.assignments if assignment.optional}
        if timestamp is None or not set(names) <= attributes.keys() | optional:
            continue
        identity = shortened(str(identity))  # no rule reads the long id: the next stratum reads this one
        emits.append({"id": identity, "template": emission.template, "timestamp": timestamp, "attributes": attributes})
    return {"rule": rule.reported, "bindings": bindings, "emits": emits}
