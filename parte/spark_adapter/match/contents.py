"""Check that the rows of a log are events of the program, with the queries of
`parte.algebra.partelang.relational.contents` on Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from sqlglot import exp

from parte.algebra.partelang.relational.columns import fields
from parte.algebra.partelang.relational.contents import Contents, contents_of
from parte.algebra.partelang.relational.row_checks import named
from parte.algebra.partelang.relational.sparksql import Spark
from parte.semantics.partelang.syntax import core

_SUSPECTS = 1000
"""Hashes of ids that are checked again. A collision is rarer than one in a million for ten million ids."""


def check_contents(program: core.Program, log: DataFrame, name: str) -> Contents:
    """Return the contents of a log that has the right columns. TraceError with all problems of its rows."""
    return contents_of(program, SparkLog(program, log), name)


class SparkLog:
    """A DataFrame that `schema` has checked, with a column of each attribute."""

    def __init__(self, program: core.Program, log: DataFrame) -> None:
        self.dialect = Spark()
        self.columns = log.columns
        declared = {field.name: field.type for field in fields(program).values()}
        struct = log.schema["attributes"].dataType if "attributes" in log.columns else None
        present = struct.names if isinstance(struct, T.StructType) else []
        # Numbered, as no name of a program may be part of SQL.
        numbered = {name: f"a{number}" for number, name in enumerate(dict.fromkeys([*declared, *present]), 1)}
        attributes = [F.col("attributes").getField(name).alias(column) for name, column in numbered.items()]
        self.rows = log.select("*", *attributes)
        self.attributes: Mapping[str, exp.Expr] = {
            name: exp.Cast(this=named(column), to=self.dialect.type(declared[name]))
            if name in declared
            else named(column)
            for name, column in numbered.items()
        }

    def is_text(self, text: exp.Expr) -> exp.Expr | None:
        return exp.Anonymous(this="IS_VALID_UTF8", expressions=[text])

    def aggregates(self, expressions: Sequence[exp.Expr]) -> Sequence[Any]:
        (row,) = self.rows.selectExpr(*(part.sql(self.dialect.name) for part in expressions)).collect()
        return tuple(row)

    def repeated(self, most: int) -> Sequence[tuple[str, int]]:
        """Return repeated ids with their counts. They are found by their hashes, which are shorter."""
        hashed = self.rows.select(F.xxhash64("id").alias("hash"))
        suspects = [row.hash for row in hashed.groupBy("hash").count().where("count > 1").limit(_SUSPECTS).collect()]
        if not suspects:
            return ()
        ids = self.rows.select("id")
        if len(suspects) < _SUSPECTS:
            ids = ids.where(F.xxhash64("id").isin(suspects))
        repeated = ids.where(F.col("id") != "").groupBy("id").count().where("count > 1")
        return [(row["id"], row["count"]) for row in repeated.orderBy("id").limit(most).collect()]
