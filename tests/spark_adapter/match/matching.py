"""Many small matches in one job: what Spark finds, as the outcomes of the algebra."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from parte.algebra.partelang.relational.columns import fields
from parte.algebra.partelang.relational.components import DELIMITERS
from parte.algebra.partelang.relational.parquet import log_of
from parte.algebra.partelang.relational.programs import compile_program
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure, Outcome, SuppressedEmission, in_order
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.match.matching import build_matches
from parte.spark_adapter.match.views import DIALECT

Case = tuple[core.Program, Sequence[TraceItem], Predicates]


def small(spark: SparkSession, *, ansi: bool) -> SparkSession:
    """A session of the same Spark for many small queries: nothing is compiled to bytecode or spread out."""
    session = spark.newSession()
    for setting, value in {
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.ansi.enabled": str(ansi).lower(),
    }.items():
        session.conf.set(setting, value)
    return session


def outcomes(spark: SparkSession, cases: Iterable[Case]) -> list[Outcome]:
    """What `match` finds in each case, all in one query."""
    rows: list[DataFrame] = []
    programs = []
    closing = ExitStack()
    for number, (program, trace, domain) in enumerate(cases):
        programs.append(program)
        log = spark.createDataFrame(log_of(program, trace))
        ids = (item.id for item in trace if isinstance(item, Event))
        plain_ids = all(set(DELIMITERS).isdisjoint(identity) for identity in ids)
        plan = compile_program(program, domain, DIALECT, together=True)
        built = closing.enter_context(build_matches(spark, plan, log, domain, plain_ids=plain_ids))
        every = built.all
        rows.append(
            every.select(
                F.lit(number).alias("case"),
                "rule",
                "bindings",
                F.to_json("emissions", {"ignoreNullFields": "false"}).alias("emissions"),
            )
        )
    matches: list[list[Match]] = [[] for _ in programs]
    failures: list[list[EmissionFailure]] = [[] for _ in programs]
    suppressed: list[list[SuppressedEmission]] = [[] for _ in programs]
    with closing:
        collected = _together(rows).collect()
    for row in collected:
        bindings = tuple((variable, event) for variable, event in row.bindings)
        emits = []
        for emission in json.loads(row.emissions):
            if emission["without_value"]:
                lacking = tuple(emission["without_value"])
                failures[row.case].append(EmissionFailure(row.rule, emission["position"], bindings, lacking))
            elif emission["passed"] is not None:
                lost = emission["position"], bindings, emission["id"], emission["passed"]
                suppressed[row.case].append(SuppressedEmission(row.rule, *lost))
            else:
                emits.append(_event(programs[row.case], emission))
        matches[row.case].append(Match(row.rule, bindings, tuple(emits)))
    return [
        Outcome(tuple(canonical(matches)), in_order(failed), suppressed=in_order(lost))
        for matches, failed, lost in zip(matches, failures, suppressed, strict=True)
    ]


def _together(frames: Sequence[DataFrame]) -> DataFrame:
    """The union, by halves: Spark looks through all of a query whenever something is added to it."""
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    return _together(frames[:middle]).unionAll(_together(frames[middle:]))


def _event(program: core.Program, emission: Mapping[str, Any]) -> Event:
    (template,) = (template for template in program.templates if template.name == emission["template"])
    fields_by_name = fields(program)
    attributes = {}
    for slot in template.attributes:
        value = emission["attributes"][fields_by_name[template.name, slot.name].name]
        if value is None and slot.optional:
            continue
        attributes[slot.name] = tuple(value) if isinstance(value, list) else value
    return Event(emission["id"], emission["template"], emission["timestamp"], attributes, emission["source"])
