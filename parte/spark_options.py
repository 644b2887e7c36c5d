"""What the commands of `parte spark` share: the options that start a session, and what to say when Spark is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.options import wrong

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CoresOption = Annotated[
    int | None, typer.Option("--cores", min=1, metavar="N", help="How many cores of this machine. [default: all]")
]
MemoryOption = Annotated[
    str | None, typer.Option("--memory", metavar="SIZE", help="Memory for Java, as Spark writes it: 4g. [default: 1g]")
]
ConfOption = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark, spark.master included; may be repeated."),
]


@contextmanager
def spark_session(
    cores: int | None, memory: str | None, conf: list[str] | None, *, own_progress: bool = False
) -> Iterator[SparkSession]:
    """A session for one command: stopped at its end if it was started here.

    With `own_progress` the command shows a progress bar of its own, and Spark shows none. Without Spark or Java, what
    was looked for and what to install is said on standard error, and exit code 2 follows; so it does when Spark cannot
    read what it is asked for.
    """
    settings: dict[str, str] = {"spark.ui.showConsoleProgress": "false"} if own_progress else {}
    for item in conf or ():
        key, sign, value = item.partition("=")
        if not sign or not key:
            raise wrong("--conf", f"expected KEY=VALUE, found {item!r}")
        settings[key] = value
    from spark_adapter.errors import SparkUnavailable
    from spark_adapter.session import active_session, session

    try:
        before = active_session()
        spark = session(cores=cores, memory=memory, settings=settings)
    except SparkUnavailable as problem:
        terminal.error(problem.message, problem.hint)
        raise typer.Exit(terminal.UNUSABLE) from None
    from pyspark.errors import AnalysisException

    try:
        yield spark
    except AnalysisException as problem:
        terminal.error(str(problem).split("\n")[0])
        raise typer.Exit(terminal.UNUSABLE) from None
    finally:
        if before is None:
            spark.stop()
