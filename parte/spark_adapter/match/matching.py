"""From a program and a log to DataFrames of matches."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from parte.algebra.partelang.relational.programs import Plan, compile_program
from parte.algebra.partelang.relational.skew import Hot
from parte.algebra.partelang.relational.suppressed import relation_of_suppressed, suppressing
from parte.semantics.events.domain import DomainArgument, Predicates, bind_domain, relations_of
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.columns import in_milliseconds
from parte.spark_adapter.match.contents import check_contents
from parte.spark_adapter.match.look import suited
from parte.spark_adapter.match.results import Matches
from parte.spark_adapter.match.schema import check_schema, completed, of_program
from parte.spark_adapter.match.suppressed import Suppressed
from parte.spark_adapter.match.views import DIALECT, Views


def match(
    spark: SparkSession,
    program: core.Program,
    events: DataFrame,
    domain: DomainArgument | None = None,
    *,
    check: bool = True,
    name: str = "events",
) -> Matches:
    """Return all matches of a program in a log of events, as DataFrames that Spark computes on demand.

    `events` has the columns of `parte.algebra.partelang.relational.columns`; `timestamp` may be a timestamp of Spark.
    `domain` supplies the declared predicates: tables of `load_domain`, `{"true_for": rows}` or `{"false_for": rows}`,
    or Python callables, which Spark calls one row at a time. With `check`, the log is read first: for problems of its
    rows, for the number of events that may fill each pattern, and for keys that too many events share; without, the
    result for a log with problems is undefined. Events of templates that the program does not declare are left out.
    `name` is the name of the log in messages. Order and promises of events are ignored, as the log is finished.

    Raises TraceError if the log does not fit the program, DomainError if the predicates do not, Unsupported if the
    program cannot be expressed in SQL, TooMuch (a MemoryError) if a rule has more matches than the disk of this machine
    has room for. An exception of a callable is raised by Spark, as a PythonException.
    """
    predicates = bind_domain(program, relations_of(domain or {}))
    plain = compile_program(program, predicates, DIALECT, together=True)
    events = of_program(program, in_milliseconds(events))
    check_schema(program, events, name)
    events = completed(program, events)
    if not check:
        return build_matches(spark, plain, events, predicates)
    contents = check_contents(program, events, name)
    plan, hot = suited(spark, plain, events, predicates, contents.counts, contents.plain_ids)
    return build_matches(spark, plan, events, predicates, hot, plain_ids=contents.plain_ids)


def build_matches(
    spark: SparkSession,
    plan: Plan,
    log: DataFrame,
    predicates: Predicates,
    hot: tuple[Hot, ...] = (),
    *,
    plain_ids: bool = False,
) -> Matches:
    """Return the DataFrames of a plan. Results that later strata read are computed once, and cached until
    `Matches.close`.

    `plain_ids` means that no id in the log contains a delimiter, which saves an expression for each event of a match.
    """
    read_later = plan.feeding
    by_stage: dict[str, DataFrame] = {}
    frames: dict[str, DataFrame] = {}
    queries: dict[str, str] = {}
    with Views(spark, plain_ids=plain_ids) as views:
        views.supply(plan, predicates)
        views.load(plan, log)
        for stage in plan.stages:
            if stage.rule is not None and (group := stage.rule.alike) is not None:
                views.make(group.relation, spark.createDataFrame(group.table()))
            frame = views.query(stage.query)
            queries[stage.name] = plan.sql_text(stage, DIALECT.name)
            by_stage[stage.name] = frame
            cases = [stage] if stage.rule is None else plan.stages_of_cases(stage.rule.rule)
            if stage.rule is None or not any(suppressing(stage.rule.rule)):
                cases = [stage]
            elif stage is not cases[-1]:
                continue  # the events of all cases are suppressed together
            else:
                whole = Suppressed([case.rule for case in cases if case.rule], [by_stage[case.name] for case in cases])
                by_stage |= zip([case.name for case in cases], whole.cases, strict=True)
                for position, _ in suppressing(stage.rule.rule):
                    views.make(relation_of_suppressed(stage.rule.rule.reported, position), whole.ids(position))
            for case in cases:
                frame = by_stage[case.name]
                if case.rule is not None:
                    name = case.rule.rule.name
                    frames[name] = frame.persist() if name in read_later else frame
                    frame = frames[name]
                views.make(case.name, frame)
    return Matches(spark, plan, frames, queries, hot, read_later)
