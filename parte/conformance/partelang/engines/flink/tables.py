"""Domain tables that are too large for a query, as tables of Flink that are looked up by temporal joins.

A regular join would lose the rowtime, which the interval joins need. A temporal join keeps it: it returns the version
of a row at the time of an event, and each row here has one version, which is valid from the beginning of Flink's time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.flink.expressions import ROWTIME, TYPES, Expressions, column, literal
from parte.conformance.partelang.engines.flink.intervals import EARLIEST
from parte.conformance.partelang.engines.flink.level_2 import text
from parte.conformance.partelang.engines.two_truths import presences
from parte.semantics.events.domain import DomainTable
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core


def table_name(predicate: str) -> str:
    """Return the table of the rows of a predicate."""
    return f"$domain.{predicate}"


def domain_lines(table: DomainTable) -> Iterator[str]:
    """Yield the lines of the file of a table: a JSON object for each row, with columns c1, c2 and so on."""
    for row in sorted(table.rows, key=repr):
        yield json.dumps({f"c{number}": _key(value) for number, value in enumerate(row, 1)}, allow_nan=False)


def domain_table(predicate: core.Predicate, path: str) -> str:
    """Return the statement that declares the table of a predicate: each row has one version, from the beginning."""
    names = [f"`c{number}`" for number in range(1, len(predicate.parameters) + 1)]
    columns = [f"{name} {TYPES[of]} NOT NULL" for name, of in zip(names, predicate.parameters, strict=True)]
    columns += [
        f"`{ROWTIME}` AS TO_TIMESTAMP_LTZ({literal(EARLIEST)}, 3)",
        f"WATERMARK FOR `{ROWTIME}` AS `{ROWTIME}`",
        f"PRIMARY KEY ({', '.join(names)}) NOT ENFORCED",
    ]
    return (
        f"CREATE TEMPORARY TABLE `{table_name(predicate.name)}` ({', '.join(columns)}) "
        f"WITH ('connector' = 'filesystem', 'path' = {text(path)}, 'format' = 'json')"
    )


def looked_up(variable: str, rows: str, calls: Sequence[core.PredicateCall], expressions: Expressions) -> str:
    """Return the rows of a scan, named by its variable, for which the lookups in the tables are true.

    Inexpressible if a lookup has a constant: a temporal join needs every column of the key from the event.
    """
    if not calls:
        return rows
    keys: list[str] = []
    joins: list[str] = []
    absent: list[str] = []
    for position, call in enumerate(calls, 1):
        table = expressions.looked_up(call)
        assert table is not None
        alias, equal = f"$table{position}", []
        for number, argument in enumerate(call.arguments, 1):
            if not core.variables_of(argument):
                raise Inexpressible("a large domain table asked about a constant, which is no key of a temporal join")
            name = f"$key{position}.{number}"
            keys.append(f"{keyed(expressions.value(argument), core.type_of(argument))} AS `{name}`")
            equal.append(f"{column(variable, name)} = {column(alias, f'c{number}')}")
        joins.append(
            f"{'' if table.member_means else 'LEFT '}JOIN `{table_name(call.predicate)}` "
            f"FOR SYSTEM_TIME AS OF {column(variable, ROWTIME)} AS `{alias}` ON {' AND '.join(equal)}"
        )
        if not table.member_means:
            absent.append(f"{column(alias, 'c1')} IS NULL")
            absent += [f"{expressions.value(part)} IS NOT NULL" for part in call.arguments if presences(part)]
    with_keys = f"SELECT *, {', '.join(keys)} FROM ({rows}) AS `{variable}`"
    where = f" WHERE {' AND '.join(absent)}" if absent else ""
    return f"SELECT `{variable}`.* FROM ({with_keys}) AS `{variable}` {' '.join(joins)}{where}"


def keyed(value: str, of: core.Type) -> str:
    """Return a value as a key: 0.0 and -0.0 are equal Floats, and two keys. (The planner removes a sum with 0.0.)"""
    return f"CASE WHEN {value} = {literal(0.0)} THEN {literal(0.0)} ELSE {value} END" if of is Scalar.FLOAT else value


def _key(value: int | float | str | bool) -> int | float | str | bool:
    return value + 0.0 if isinstance(value, float) else value
