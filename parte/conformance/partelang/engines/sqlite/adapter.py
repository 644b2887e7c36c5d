"""SQLite behind the protocol, through the module `sqlite3`: a new database in memory for every trace.

The whole trace is inserted before the queries run, so absences are known: a query has no notion of time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from parte.conformance.engines.foreign import EngineFailure, Inexpressible, plain
from parte.conformance.partelang.engines.declared import all_but
from parte.conformance.partelang.engines.sqlite.expressions import COMPONENT, IDENTITY, TIMESTAMP
from parte.conformance.partelang.engines.sqlite.queries import MATCH, POSITION, RULE, SHORTENED, Statements, statements
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.events.match import component, shortened
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import LEVEL_1, Construct, undeclared

Json = Any


class SqliteAdapter:
    """An adapter of the SQLite that Python was built with."""

    def __init__(self) -> None:
        self.greeting = Greeting("SQLite", sqlite3.sqlite_version, constructs=all_but())

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile the statements of a program."""
        sql = statements(program, domain)
        of_strings = Construct.STRINGS in (construct for construct, _ in undeclared(program, LEVEL_1))

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            if of_strings:
                _check(arrivals)
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
                database.create_function(SHORTENED, 1, shortened, deterministic=True)
                try:
                    for statement in sql.tables:
                        database.execute(statement)
                    _insert(database, sql, program, domain, arrivals)
                    for statement in sql.rules:
                        database.execute(statement)
                    return list(_matches(database, sql, program))
                except sqlite3.Error as error:
                    raise EngineFailure(f"SQLite stopped: {error}") from None

        return find


def _check(arrivals: Sequence[Arrival]) -> None:
    """Raise Inexpressible for a String with U+0000."""
    for arrival in arrivals:
        if arrival.event is not None and any("\0" in str(value) for value in arrival.event.attributes.values()):
            raise Inexpressible("a String with U+0000: functions of SQLite end it there")


def _insert(
    database: sqlite3.Connection,
    sql: Statements,
    program: core.Program,
    domain: Predicates,
    arrivals: Sequence[Arrival],
) -> None:
    for predicate in program.predicates:
        table = domain[predicate.name]
        if predicate.parameters and isinstance(table, DomainTable):
            values = ", ".join("?" for _ in predicate.parameters)
            database.executemany(f"INSERT INTO {sql.schema.domains[predicate.name]} VALUES ({values})", table.rows)
    for template in program.templates:
        names = [attribute.name for attribute in template.attributes]
        columns = [IDENTITY, COMPONENT, TIMESTAMP, *(sql.schema.columns[template.name, name] for name in names)]
        values = ", ".join("?" for _ in columns)
        database.executemany(
            f"INSERT INTO {sql.schema.tables[template.name]} ({', '.join(columns)}) VALUES ({values})",
            [
                (event.id, component(event), event.timestamp, *(_stored(event.attributes.get(name)) for name in names))
                for arrival in arrivals
                if (event := arrival.event) is not None and event.template == template.name
            ],
        )


def _matches(database: sqlite3.Connection, sql: Statements, program: core.Program) -> Iterator[Json]:
    """Yield the matches of the queries, each with the events that it emitted, in the order of the emissions."""
    emitted: dict[tuple[str, int], list[tuple[int, Json]]] = {}
    for template in program.templates:
        own = [RULE, MATCH, POSITION, IDENTITY, TIMESTAMP]
        columns = own + [sql.schema.columns[template.name, attribute.name] for attribute in template.attributes]
        rows = f"SELECT {', '.join(columns)} FROM {sql.schema.tables[template.name]} WHERE {RULE} IS NOT NULL"
        for rule, number, position, identity, timestamp, *values in database.execute(rows):
            attributes = {
                attribute.name: _read(value, attribute.type)
                for attribute, value in zip(template.attributes, values, strict=True)
                if not (attribute.optional and value is None)
            }
            event = {"id": identity, "template": template.name, "timestamp": plain(timestamp)}
            emitted.setdefault((rule, number), []).append((position, event | {"attributes": attributes}))
    for rule in program.rules:
        variables = [pattern.variable for pattern in rule.positive]
        columns = ["rowid", *(f'"{number}"' for number in range(1, len(variables) + 1))]
        for number, *bound in database.execute(f"SELECT {', '.join(columns)} FROM {sql.schema.rules[rule.name]}"):
            emits = [event for _, event in sorted(emitted.get((rule.name, number), ()), key=lambda pair: pair[0])]
            yield {"rule": rule.name, "bindings": dict(zip(variables, bound, strict=True)), "emits": emits}


def _stored(value: object) -> object:
    """Return a value for a column: lists as JSON."""
    return json.dumps(value) if isinstance(value, tuple) else value


def _read(value: Any, of: core.Type) -> Json:
    if isinstance(of, core.ListOf):
        return [_read(item, of.element) for item in json.loads(value)]
    # SQLite has no Booleans but 0 and 1.
    return bool(value) if of is core.Scalar.BOOLEAN and value in (0, 1) else plain(value)
