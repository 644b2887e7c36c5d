"""Rejection of single rows of a log: those that are no events of the program, by the conditions of `row_checks`."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from sqlglot import exp

from parte.algebra.partelang.relational.row_checks import faults
from parte.semantics.events.rejection import FOUND, Rejections
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.columns import in_milliseconds
from parte.spark_adapter.match.contents import SparkLog
from parte.spark_adapter.match.schema import check_schema, completed, of_program


def undeclared_in(program: core.Program, log: DataFrame) -> Mapping[str, int]:
    """Return the number of events of each template that the program does not declare."""
    if dict(log.dtypes).get("template") != "string":
        return {}
    others = log.where(~F.col("template").isin([template.name for template in program.templates]))
    return {row["template"]: row["count"] for row in others.groupBy("template").count().collect()}


def without_rejected(program: core.Program, log: DataFrame, rejections: Rejections, name: str) -> DataFrame:
    """Return the rows of a log that are events of the program.

    Of rows with one id, the first by time, template, source and attributes remains. Raise TraceError if the columns are
    not those of a log.
    """
    rejections.undeclared.update(undeclared_in(program, log))
    log = of_program(program, in_milliseconds(log))
    check_schema(program, log, name)
    log = completed(program, log)
    rows = SparkLog(program, log)
    checks = list(faults(program, rows))
    reasons, detail = exp.Case(), exp.Case()
    for number, check in enumerate(checks):
        reasons = reasons.when(check.bad.copy(), exp.Literal.number(number))
        if check.detail is not None:
            text = exp.Cast(this=check.detail.copy(), to=rows.dialect.type(Scalar.STRING))
            detail = detail.when(check.bad.copy(), exp.Coalesce(this=text, expressions=[rows.dialect.text("null")]))
    judged = rows.rows.withColumn("fault", F.expr(reasons.sql(rows.dialect.name)))
    wrong = judged.where("fault is not null")
    if detail.args.get("ifs"):
        wrong = wrong.withColumn("detail", F.expr(detail.sql(rows.dialect.name)))
    for row in wrong.select("id", "fault", *(["detail"] if "detail" in wrong.columns else [])).toLocalIterator():
        reason = checks[row["fault"]].message(row.asDict().get("detail") or "")
        rejections.takes(reason, None, row["id"] or "")
    events = judged.where("fault is null").select(log.columns)
    if events.groupBy("id").count().where("count > 1").isEmpty():
        rejections.accepted += 0 if events.isEmpty() else 1
        return events
    order = [F.to_json(name) if name == "attributes" else F.col(name) for name in log.columns if name != "id"]
    ranked = events.withColumn("rank", F.row_number().over(Window.partitionBy("id").orderBy(*order)))
    for row in ranked.where("rank > 1").select("id").orderBy("id").toLocalIterator():
        rejections.takes(f"its id is that of another event{FOUND}{quoted(row['id'])}", None, row["id"])
    rejections.accepted += 1
    return ranked.where("rank = 1").drop("rank")
