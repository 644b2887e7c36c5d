"""A rule as one streaming query: interval joins for positive patterns, a `LEFT` one with `IS NULL` for negated ones.

All rows of a trace come from one table; each pattern is a scan of it. A join has one pair of bounds on rowtimes, which
makes it an interval join; further constraints compare the timestamps as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.conformance.partelang.engines.flink.expressions import (
    COMPONENT,
    IDENTITY,
    ROWTIME,
    TIMESTAMP,
    Expressions,
    column,
    literal,
    text,
    type_of,
)
from parte.conformance.partelang.engines.flink.intervals import Bounds, closure, interval, tightest
from parte.conformance.partelang.engines.flink.tables import looked_up
from parte.semantics.events.match import shortened
from parte.semantics.partelang.syntax import core

TRACE, TEMPLATE, WATERMARK = "$trace", "$template", "$watermark"
"""The table, and its columns for the template of a row and for the watermark after it."""


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a rule: rows with the ids of the positive variables, then each emission: id, timestamp, values."""

    rule: core.Rule
    sql: str


def attribute_column(template: str, attribute: str) -> str:
    """Return the column of the table for an attribute of a template."""
    return f"{template}.{attribute}"


def trace_table(program: core.Program, path: str, moved: int) -> str:
    """Return the statement that declares the table: a file of JSON lines with the columns of all templates.

    An event is on time as long as no watermark has passed it; the file states the watermark of each row. Flink's own
    time, for joins and watermarks, is `moved` by so many milliseconds; timestamps are not.
    """
    own = [f"`{TEMPLATE}` STRING", f"`{IDENTITY}` STRING", f"`{COMPONENT}` STRING"]
    own += [f"`{TIMESTAMP}` BIGINT", f"`{WATERMARK}` BIGINT"]
    attributes = [
        f"`{attribute_column(template.name, attribute.name)}` {type_of(attribute.type)}"
        for template in program.templates
        for attribute in template.attributes
    ]
    time = [
        f"`{ROWTIME}` AS TO_TIMESTAMP_LTZ(`{TIMESTAMP}` + {literal(moved)}, 3)",
        f"WATERMARK FOR `{ROWTIME}` AS TO_TIMESTAMP_LTZ(`{WATERMARK}` + {literal(moved)}, 3)",
    ]
    columns = ", ".join([*own, *attributes, *time])
    return (
        f"CREATE TEMPORARY TABLE `{TRACE}` ({columns}) "
        f"WITH ('connector' = 'filesystem', 'path' = {text(path)}, 'format' = 'json')"
    )


def rule_query(rule: core.Rule, program: core.Program, expressions: Expressions) -> Query:
    """Return the query of a rule."""
    positive = [pattern.variable for pattern in rule.positive]
    own: dict[str, list[str]] = {pattern.variable: [] for pattern in rule.patterns}  # decided by one event alone
    joint: dict[str, list[str]] = {pattern.variable: [] for pattern in rule.patterns}
    lookups: dict[str, list[core.PredicateCall]] = {pattern.variable: [] for pattern in rule.patterns}
    for pattern in rule.patterns:
        for condition in pattern.conditions:
            variables = core.variables_of(condition) or {pattern.variable}
            place = own if len(variables) == 1 else joint
            last = pattern.variable if pattern.negated else max(variables, key=positive.index)
            if pattern.negated and variables != {pattern.variable}:
                place = joint
            if place is own and isinstance(condition, core.PredicateCall) and expressions.looked_up(condition):
                lookups[last].append(condition)
            else:
                place[last].append(expressions.value(condition))
    scans = {
        p.variable: _scan(p, program.template(p.template), own[p.variable], lookups[p.variable], expressions)
        for p in rule.patterns
    }
    windows = [constraint for constraint in rule.constraints if not constraint.negated]
    most = closure(positive, windows)
    lines = [f"FROM {scans[positive[0]]}"]
    for number, variable in enumerate(positive[1:], 1):
        bounds = tightest(variable, positive[:number], most)
        among = [w for w in windows if variable in (w.subject, w.reference) and _within(w, positive[: number + 1])]
        lines.append(_join("JOIN", variable, scans[variable], bounds, among, joint[variable]))
    absent = [pattern.variable for pattern in rule.patterns if pattern.negated]
    for variable in absent:
        among = [constraint for constraint in rule.constraints if constraint.subject == variable]
        bounds = min((Bounds(c.reference, c.begins, c.upper) for c in among), key=lambda b: b.upper - b.lower)
        lines.append(_join("LEFT JOIN", variable, scans[variable], bounds, among, joint[variable]))
    if absent:
        lines.append("WHERE " + " AND ".join(f"{column(variable, IDENTITY)} IS NULL" for variable in absent))
    return Query(rule, "\n".join([f"SELECT {', '.join(projected(rule, expressions))}", *lines]))


def _within(constraint: core.Constraint, variables: Sequence[str]) -> bool:
    return constraint.subject in variables and constraint.reference in variables


def _scan(
    pattern: core.Pattern,
    template: core.Template,
    conditions: Sequence[str],
    lookups: Sequence[core.PredicateCall],
    expressions: Expressions,
) -> str:
    """Return a scan named by its variable: the events that match the conditions of a pattern on them alone."""
    columns = [f"`{name}`" for name in (IDENTITY, COMPONENT, TIMESTAMP, ROWTIME)]
    columns += [
        f"`{attribute_column(template.name, attribute.name)}` AS `{attribute.name}`"
        for attribute in template.attributes
    ]
    rows = f"SELECT {', '.join(columns)} FROM `{TRACE}` WHERE `{TEMPLATE}` = {text(template.name)}"
    if conditions:
        rows = f"SELECT * FROM ({rows}) AS `{pattern.variable}` WHERE {' AND '.join(conditions)}"
    return f"({looked_up(pattern.variable, rows, lookups, expressions)}) AS `{pattern.variable}`"


def _join(
    kind: str, variable: str, scan: str, bounds: Bounds, among: Sequence[core.Constraint], conditions: Sequence[str]
) -> str:
    own, reference_time = column(variable, ROWTIME), column(bounds.reference, ROWTIME)
    demands = [f"{own} BETWEEN {_moved(reference_time, bounds.lower)} AND {_moved(reference_time, bounds.upper)}"]
    for constraint in among:
        if (
            Bounds(constraint.reference, constraint.begins, constraint.upper) != bounds
            or constraint.subject != variable
        ):
            subject, reference = column(constraint.subject, TIMESTAMP), column(constraint.reference, TIMESTAMP)
            lower, upper = (f"{reference} + {literal(end)}" for end in (constraint.begins, constraint.upper))
            demands.append(f"{subject} BETWEEN {lower} AND {upper}")
    return f"{kind} {scan}\n  ON {' AND '.join([*demands, *conditions])}"


def _moved(rowtime: str, milliseconds: int) -> str:
    return f"{rowtime} {'-' if milliseconds < 0 else '+'} {interval(abs(milliseconds))}"


def projected(rule: core.Rule, expressions: Expressions) -> Sequence[str]:
    """Return the selected columns of the query of a rule, which `decoded` reads."""
    variables = [pattern.variable for pattern in rule.positive]
    columns = [expressions.column(variable, IDENTITY) for variable in variables]
    for position, emission in enumerate(rule.emissions, 1):
        number = f"#{position}" if len(rule.emissions) > 1 else ""
        parts = []
        for variable in variables:
            before = f"{rule.name}{number}(" if variable == variables[0] else ","
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
        attributes = dict(zip(names, values, strict=True))
        identity = shortened(str(identity))  # no rule reads the long id: the next stratum reads this one
        emits.append({"id": identity, "template": emission.template, "timestamp": timestamp, "attributes": attributes})
    return {"rule": rule.name, "bindings": bindings, "emits": emits}
