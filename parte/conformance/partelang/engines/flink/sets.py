"""The sets of a rule: for each set a grouped query over the events that a match binds, joined with the matches.

A group is aggregated before the set is complete, so its rows are updated as events come: the result of such a query is
an updating table. `ROW_NUMBER` is not used for first and last values: Flink 2.3 plans it as rows that are never
withdrawn (`changelogMode=[I]`), where each better row replaces the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.partelang.engines.flink.expressions import COMPONENT, IDENTITY, TIMESTAMP, Expressions, column
from parte.conformance.partelang.engines.flink.joins import Joins
from parte.conformance.partelang.engines.flink.level_2 import aggregate_name, folded
from parte.conformance.partelang.engines.flink.tables import keyed
from parte.semantics.partelang.syntax import core

_MATCH, _VALUE, _TIME = "$match", "$value", "$time"


def with_sets(joins: Joins, program: core.Program, expressions: Expressions) -> tuple[Expressions, Sequence[str]]:
    """Return the expressions and `FROM … WHERE …` of the query of a rule with sets, for what it selects."""
    rule = joins.rule
    templates = {pattern.variable: program.template(pattern.template) for pattern in rule.patterns}
    names = [
        (pattern.variable, name)
        for pattern in rule.positive
        for name in (IDENTITY, COMPONENT, TIMESTAMP, *(a.name for a in templates[pattern.variable].attributes))
    ]
    columns = ", ".join(f"{column(variable, name)} AS `{variable}.{name}`" for variable, name in names)
    absent = [pattern.variable for pattern in rule.patterns if pattern.negated]
    identities = list(map(_identity, rule.positive))
    lines = [_subquery("FROM", [f"SELECT {columns}", *joins.lines(absent)], _MATCH)]
    places: dict[tuple[str, str], str] = {}
    for alias, aggregates, query in _groups(joins, templates):
        lines.append(f"{_subquery('LEFT JOIN', query, alias)}\n  ON {_same(identities, _MATCH, alias)}")
        places |= {(item.variable, aggregate_name(item)): alias for item in aggregates}

    def selected(variable: str, name: str) -> str:
        alias = places.get((variable, name))
        return column(alias, name) if alias else column(_MATCH, f"{variable}.{name}")

    outer = expressions.with_columns(selected)
    if rule.having:
        lines.append(f"WHERE {' AND '.join(map(outer.value, rule.having))}")
    return outer, lines


def _subquery(kind: str, lines: Sequence[str], alias: str) -> str:
    return f"{kind} (" + "\n".join(lines) + f") AS `{alias}`"


def _identity(pattern: core.Pattern) -> str:
    return f"{pattern.variable}.{IDENTITY}"


def _same(names: Sequence[str], left: str, right: str) -> str:
    return " AND ".join(f"{column(left, name)} = {column(right, name)}" for name in names)


def _groups(
    joins: Joins, templates: Mapping[str, core.Template]
) -> Iterator[tuple[str, Sequence[core.Aggregate], Sequence[str]]]:
    """Yield the queries of groups, each with its alias and its aggregates: one for each set, and one for each of its
    first and last values."""
    rule = joins.rule
    aggregates = dict.fromkeys(_aggregates(rule))
    ends = [item for item in aggregates if item.function in ("first", "last")]
    together = [[i for i in aggregates if i not in ends and i.variable == p.variable] for p in rule.collected]
    values = {item: _value(item, templates[item.variable]) for item in aggregates}
    keys = {_identity(pattern): column(pattern.variable, IDENTITY) for pattern in rule.positive}
    named = ", ".join(f"{key} AS `{name}`" for name, key in keys.items())
    for number, items in enumerate([*filter(None, together), *([item] for item in ends)], 1):
        lines = joins.lines(collected=items[0].variable)
        if items[0] in ends:
            query = _end(items[0], values[items[0]], keys, lines)
        else:
            selected = ", ".join(f"{folded(item, values[item])} AS `{aggregate_name(item)}`" for item in items)
            query = [f"SELECT {named}, {selected}", *lines, f"GROUP BY {', '.join(keys.values())}"]
        yield f"$set{number}", items, query


def _aggregates(rule: core.Rule) -> Iterator[core.Aggregate]:
    """Yield the aggregates of `having` and of the emissions, in order."""
    values = (item.value for emission in rule.emissions for item in emission.assignments)
    for expression in (*rule.having, *values):
        yield from (part for part in core.EXPRESSIONS.within(expression) if isinstance(part, core.Aggregate))
    for emission in rule.emissions:
        at: Iterable[core.TimestampExpression] = core.TIMESTAMP_EXPRESSIONS.within(emission.at)
        yield from (part for part in at if isinstance(part, core.Aggregate))


def _value(aggregate: core.Aggregate, template: core.Template) -> str:
    """Return what an aggregate is about, with one zero: 0.0 and -0.0 are different values of Flink."""
    if aggregate.attribute is None:
        return column(aggregate.variable, IDENTITY)
    if aggregate.attribute == "timestamp":
        return column(aggregate.variable, TIMESTAMP)
    types = {attribute.name: attribute.type for attribute in template.attributes}
    return keyed(column(aggregate.variable, aggregate.attribute), types[aggregate.attribute])


def _end(aggregate: core.Aggregate, value: str, keys: Mapping[str, str], lines: Sequence[str]) -> Sequence[str]:
    """Return the query of the first or the last value of a set: of the values at the least time, or at the greatest,
    the least or the greatest."""
    name, timestamp = aggregate_name(aggregate), column(aggregate.variable, TIMESTAMP)
    extreme = "MIN" if aggregate.function == "first" else "MAX"
    named = ", ".join(f"{key} AS `{name}`" for name, key in keys.items())
    there, group = [*lines, f"WHERE {value} IS NOT NULL"], f"GROUP BY {', '.join(keys.values())}"
    values = [f"SELECT {named}, {timestamp} AS `{TIMESTAMP}`, {extreme}({value}) AS `{name}`", *there]
    times = [f"SELECT {named}, {extreme}({timestamp}) AS `{TIMESTAMP}`", *there, group]
    return [
        _subquery(f"SELECT `{_VALUE}`.* FROM", [*values, f"{group}, {timestamp}"], _VALUE),
        f"{_subquery('JOIN', times, _TIME)}\n  ON {_same([*keys, TIMESTAMP], _VALUE, _TIME)}",
    ]


def withdraw(rows: list[Sequence[Any]], row: Sequence[Any]) -> None:
    """Remove the last row that is written alike, as NaN equals nothing. EngineFailure if there is none."""
    for number in reversed(range(len(rows))):
        if repr(rows[number]) == repr(row):
            del rows[number]
            return
    raise EngineFailure(f"Flink withdraws a row that it did not send: {row!r}")
