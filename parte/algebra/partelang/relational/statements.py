"""SQL statements around the queries: they create and fill relations."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from parte.algebra.partelang.relational.relations import table

_OWN = exp.Properties(expressions=[exp.TemporaryProperty()])


def create_table(name: str, types: Mapping[str, exp.DataType]) -> exp.Create:
    """Return the statement that creates an empty table with typed columns, which only its connection sees."""
    columns: list[exp.Expr] = [
        exp.ColumnDef(this=exp.to_identifier(column, quoted=True), kind=kind) for column, kind in types.items()
    ]
    return exp.Create(this=exp.Schema(this=table(name), expressions=columns), kind="TABLE", properties=_OWN.copy())


def create_as(name: str, query: exp.Query) -> exp.Create:
    """Return the statement that creates a table with the rows of a query, which only its connection sees."""
    return exp.Create(this=table(name), kind="TABLE", expression=query, properties=_OWN.copy())


def insert_all(name: str, source: str) -> exp.Insert:
    """Return the statement that appends the rows of another relation, column by column."""
    return exp.Insert(this=table(name), expression=select_all(source))


def select_all(name: str) -> exp.Select:
    """Return the query for the rows of a relation."""
    return exp.Select(expressions=[exp.Star()]).from_(table(name), copy=False)


def create_view(name: str, query: exp.Query) -> exp.Create:
    """Return the statement that creates a view, which only its connection sees."""
    return exp.Create(this=table(name), kind="VIEW", expression=query, properties=_OWN.copy())


def delete_all(name: str) -> exp.Delete:
    """Return the statement that empties a relation."""
    return exp.Delete(this=table(name))
