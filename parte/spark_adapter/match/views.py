"""The relations of a plan in a Spark session: temporary views under a prefix of their own, dropped after the queries.

Views and functions are numbered: Spark allows few characters in their names, and no name of a program may be part of
SQL. Spark resolves names when a DataFrame is created, so the DataFrames remain usable without the views.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from uuid import uuid4

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from sqlglot import exp

from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.columns import Field, fields
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.exact import FUNCTIONS, called
from parte.algebra.partelang.relational.programs import Plan
from parte.algebra.partelang.relational.python_functions import (
    PYTHON_FUNCTIONS,
    PythonFunction,
    python_functions_of,
)
from parte.algebra.partelang.relational.relations import Answers, Events, Table, Templates
from parte.algebra.partelang.relational.sparksql import Spark
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Value
from parte.semantics.events.values import ScalarValue
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.match.schema import attribute, spark_type

DIALECT = Spark()


class Views:
    """The views and functions that are created in a session; as a context, they are dropped at its end."""

    def __init__(self, spark: SparkSession, *, plain_ids: bool = False) -> None:
        self._spark = spark
        self._plain_ids = plain_ids
        self._prefix = f"parte_{uuid4().hex}_"
        self._views: dict[str, str] = {}
        self._functions: dict[str, str] = {}

    def __enter__(self) -> Views:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for view in self._views.values():
            self._spark.catalog.dropTempView(view)
        for function in self._functions.values():
            self._spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {function}")

    def make(self, name: str, frame: DataFrame) -> None:
        """Create a view of a DataFrame."""
        view = self._views.setdefault(name, f"{self._prefix}{len(self._views)}")
        frame.createOrReplaceTempView(view)

    def query(self, query: exp.Query) -> DataFrame:
        """Return a query over the views created so far."""
        named = expanded(query, DIALECT, plain=self._plain_ids)
        for table in list(named.find_all(exp.Table)):
            if table.name in self._views:
                if not table.alias:
                    table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
                table.set("this", exp.to_identifier(self._views[table.name], quoted=True))
        for call in named.find_all(exp.Anonymous):
            if call.this in self._functions:
                call.set("this", self._functions[call.this])
        return self._spark.sql(named.sql(dialect=DIALECT.name))

    def load(self, plan: Plan, log: DataFrame) -> None:
        """Create a view of the events of each template in a log."""
        program_fields = fields(plan.program)
        for name in plan.read:
            self.make(plan.templates[name].trace, events_of(plan.templates[name], program_fields, log))

    def supply(self, plan: Plan, domain: Predicates) -> None:
        """Create the views and functions of the domain predicates, and the functions of ours that queries call."""
        for name in python_functions_of(plan.program):
            kind = spark_type(PYTHON_FUNCTIONS[name].result)
            self._spark.udf.register(self._function(name), _calling(PYTHON_FUNCTIONS[name]), kind)
        for predicate in plan.program.predicates:
            relation, supplied = plan.relations[predicate.name], domain[predicate.name]
            if isinstance(relation, Table) and isinstance(supplied, DomainTable):
                self.make(relation.name, self._rows(predicate, relation, supplied))
            elif isinstance(relation, Answers):
                self._spark.udf.register(self._function(relation.name), _answering(supplied), T.BooleanType())
        for name in called(stage.query for stage in plan.stages):
            self._spark.udf.register(self._function(name), FUNCTIONS[name][0], T.DoubleType())

    def _function(self, name: str) -> str:
        return self._functions.setdefault(name, f"{self._prefix}function_{len(self._functions)}")

    def _rows(self, predicate: core.Predicate, relation: Table, table: DomainTable) -> DataFrame:
        columns: Sequence[Sequence[ScalarValue]] = list(zip(*sorted(table.rows), strict=True))
        arrays = [pyarrow.array(c, arrow_type(of)) for c, of in zip(columns, predicate.parameters, strict=True)]
        return self._spark.createDataFrame(pyarrow.table(dict(zip(relation.columns, arrays, strict=True))))


def events_of(events: Events, program_fields: Mapping[tuple[str, str], Field], log: DataFrame) -> DataFrame:
    """Return the events of a template, with the columns that queries expect."""
    attributes = [
        attribute(program_fields, events.template.name, name).alias(wanted) for name, wanted in events.columns.items()
    ]
    identity, timestamp = F.col("id").alias(Templates.identity), F.col("timestamp").cast("bigint")
    return log.where(F.col("template") == F.lit(events.template.name)).select(
        identity, timestamp.alias(Templates.timestamp), *attributes
    )


def _calling(function: PythonFunction) -> Callable[..., Value | None]:
    return lambda value, constant: function(value, constant)


def _answering(predicate: Callable[..., bool]) -> Callable[..., bool | None]:
    def answer(*arguments: ScalarValue | None) -> bool | None:
        return None if None in arguments else bool(predicate(*arguments))

    return answer
