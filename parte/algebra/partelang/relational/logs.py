"""A log in Parquet on DuckDB without Python events: Arrow columns, which DuckDB checks and divides by template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

import pyarrow
from sqlglot import exp

from parte.algebra.partelang.relational.columns import Field, fields
from parte.algebra.partelang.relational.contents import contents_of
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.duckdb import THREADS, Connection, planned
from parte.algebra.partelang.relational.exact import called
from parte.algebra.partelang.relational.parquet import presence, read_log
from parte.algebra.partelang.relational.relations import Events, Templates, table
from parte.algebra.partelang.relational.row_checks import named
from parte.semantics.events.domain import Predicates
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

_LOG: Final = "log"
"""The name of the relation of the log."""
_DIALECT: Final = DuckDB()


def run_log(
    program: core.Program, path: str | PathLike[str], domain: Predicates | None = None, *, threads: int = THREADS
) -> Outcome:
    """Return all matches of a program in a finished log: the order of its rows and promises mean nothing.

    Raise TraceError with everything that is wrong with the log, OSError if it cannot be read, and what
    `parte.algebra.partelang.relational.duckdb.run` raises.
    """
    domain = {} if domain is None else domain
    plan = planned(program, domain)
    columns, attributes = _flat(program, read_log(program, path))
    with Connection(threads, spills=True) as connection:
        with connection.seeing(_LOG, columns):
            log = _Log(connection, program, columns.column_names, attributes)
            contents = contents_of(program, log, Path(path).name)
        declared = fields(program)
        for name in plan.read:
            events = _events(plan.templates[name], declared, log)
            wanted = dict.fromkeys(column.name for column in events.find_all(exp.Column))
            with connection.seeing(_LOG, columns.select(list(wanted))):  # DuckDB looks at each column that it sees
                connection.keep(plan.templates[name].trace, events, plain_ids=contents.plain_ids)
        del columns
        connection.supply_exact(called(stage.query for stage in plan.stages))
        connection.supply(program.predicates, plan.relations, domain)
        return connection.outcome(connection.prepared(plan))


class _Log:
    """The log as DuckDB sees it."""

    def __init__(
        self, connection: Connection, program: core.Program, columns: Sequence[str], attributes: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self.dialect = _DIALECT
        self.columns = columns
        types = {field.name: field.type for field in fields(program).values()}
        self.attributes: Mapping[str, exp.Expr] = {
            name: exp.Cast(this=named(column), to=_DIALECT.type(types[name])) if name in types else named(column)
            for name, column in attributes.items()
        }

    def is_text(self, _text: exp.Expr) -> exp.Expr | None:
        return None  # `read_log` has checked it

    def aggregates(self, expressions: Sequence[exp.Expr]) -> Sequence[Any]:
        (row,) = self._connection.answers(exp.Select(expressions=list(expressions)).from_(table(_LOG)))
        return row

    def repeated(self, most: int) -> Sequence[tuple[str, int]]:
        identity, count = named("id"), exp.Count(this=exp.Star())
        query = exp.Select(expressions=[identity, count]).from_(table(_LOG))
        query = query.where(exp.NEQ(this=identity.copy(), expression=_DIALECT.text("")), copy=False)
        query = query.group_by(identity.copy(), copy=False)
        query = query.having(exp.GT(this=count.copy(), expression=exp.Literal.number(1)), copy=False)
        answers = self._connection.answers(query.order_by(identity.copy(), copy=False).limit(most, copy=False))
        return [(event_id, times) for event_id, times in answers]


def _flat(program: core.Program, log: Any) -> tuple[Any, dict[str, str]]:
    """Return the log with a column for each attribute, and the column of each field; nothing is copied.

    The type of a field of no template may be unknown to DuckDB: such a column only stores whether the field is not
    null.
    """
    columns = {name: log.column(name) for name in log.column_names if name != "attributes"}
    columns_by_field: dict[str, str] = {}
    if "attributes" in log.column_names:
        declared = {field.name for field in fields(program).values()}
        struct = log.schema.field("attributes").type
        for position, values in enumerate(log.column("attributes").flatten()):
            name = struct.field(position).name
            columns_by_field[name] = f"a{position + 1}"
            columns[columns_by_field[name]] = values if name in declared else presence(values)
    return pyarrow.table(columns), columns_by_field


def _events(events: Events, declared: Mapping[tuple[str, str], Field], log: _Log) -> exp.Query:
    """Return the events of a template, with the columns that queries expect."""
    template = events.template
    timestamp = exp.Cast(this=named("timestamp"), to=_DIALECT.type(Scalar.INTEGER))
    columns: dict[str, exp.Expr] = {Templates.identity: named("id"), Templates.timestamp: timestamp}
    for slot in template.attributes:
        missing = exp.Cast(this=exp.Null(), to=_DIALECT.type(slot.type))  # then no event of the template has it
        columns[events.columns[slot.name]] = log.attributes.get(declared[template.name, slot.name].name, missing)
    selected = [exp.alias_(value.copy(), name, quoted=True) for name, value in columns.items()]
    wanted = exp.EQ(this=named("template"), expression=_DIALECT.text(template.name))
    return exp.Select(expressions=selected).from_(table(_LOG)).where(wanted, copy=False)
