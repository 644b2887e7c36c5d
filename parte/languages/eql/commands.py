"""The commands of EQL beyond those that its record gives it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from parte.commands.spark.options import ConfOption, CoresOption, MemoryOption, match_positions, spark_session
from parte.inputs import check_one_standard_input, program_text, read_program, trace_from
from parte.languages.eql.check_command import check
from parte.languages.eql.demo import demo
from parte.languages.eql.explanation_commands import explore, graph, step, timeline, why
from parte.languages.eql.importing import import_
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.text import TEXT
from parte.options import ProgramArgument, check_new, wrong
from parte.rejecting import RejectedLinesOption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from parte.spark_adapter.positions import Results


def match(
    program: ProgramArgument,
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A trace in JSON Lines, or a log in Parquet, a file or a directory.")
    ],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Write them there, as Parquet.")] = "",
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Find the results of a sequence in a log on Spark, key by key; print them in order of their last events.

    Exit codes: 0; 2 if the query or the log cannot be used, or the query is no sequence.
    """
    check_new("--out", out)
    check_one_standard_input(program, log)
    query = read_program(TEXT, program_text(program), program).query
    if not isinstance(query, tree.Sequence):
        raise wrong("PROGRAM", "on Spark EQL has sequences only; `parte run` runs this query")

    def find(_: SparkSession, read: DataFrame, in_parquet: bool) -> Results:
        from parte.languages.eql.spark_adapter.matching import match as match_log

        return match_log(read, query, check=in_parquet, name=log)

    match_positions(
        log,
        program,
        out,
        rejected,
        session=lambda: spark_session(cores, memory, conf),
        events=lambda lines: trace_from(log, nulls=True, read=lines),
        find=find,
        line=lambda row: TEXT.match_lines([{"keys": json.loads(row["keys"]), "events": row["events"]}])[0],
    )


COMMANDS = {
    "check": check,
    "why": why,
    "explore": explore,
    "step": step,
    "timeline": timeline,
    "graph": graph,
    "import": import_,
    "spark match": match,
    "demo": demo,
}
