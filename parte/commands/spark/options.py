"""Code that the commands of `parte spark` share: options that start a session, and the errors if Spark is missing."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from parte import interruptions, terminal
from parte.faults import NO_MEMORY
from parte.inputs import Reading, explained
from parte.interruptions import SIGNALS
from parte.options import wrong
from parte.rejecting import without_rejected
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.rejection import EventCheck

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from parte.spark_adapter.positions import Results

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


_PARQUET = b"PAR1"  # what a file in Parquet begins with
_MAKING = "`parte spark log PROGRAM TRACE --out FILE`"


def _not_of_py4j(record: logging.LogRecord) -> bool:
    """Filter out the tracebacks that Py4J logs for each interruption and lost connection. It raises these errors too,
    and they are reported."""
    return record.module != "java_gateway"


@contextmanager
def spark_session(
    cores: int | None, memory: str | None, conf: list[str] | None, *, own_progress: bool = False
) -> Iterator[SparkSession]:
    """A session for one command: stopped at its end if it was started here.

    With `own_progress` the command shows a progress bar of its own, and Spark shows none. Without Spark or Java, what
    was looked for and what to install is said on standard error, and exit code 2 follows; so it does when Spark cannot
    read what it is asked for, or cannot write, or a job of it fails.
    """
    settings: dict[str, str] = {"spark.ui.showConsoleProgress": "false"} if own_progress else {}
    settings |= pairs("--conf", conf)
    from parte.spark_adapter.errors import cause_of
    from parte.spark_adapter.session import active_session, session

    logging.getLogger().addFilter(_not_of_py4j)
    before = active_session()
    try:
        spark = session(cores=cores, memory=memory, settings=settings)
    except ConnectionError:
        raise _java_has_ended() from None
    from py4j.protocol import Py4JJavaError, Py4JNetworkError  # type: ignore[import-untyped]  # py4j has no stubs
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield spark
    except AnalysisException as problem:
        raise terminal.unusable(str(problem).split("\n")[0]) from None
    except (PySparkException, Py4JJavaError) as problem:
        raise terminal.unusable(f"Spark failed: {cause_of(problem)}") from None
    except (Py4JNetworkError, ConnectionError):
        raise _java_has_ended() from None
    finally:
        if before is None:
            with suppress(Py4JNetworkError, ConnectionError):
                spark.stop()


def _java_has_ended() -> typer.Exit:
    """Report that the process of Spark is gone; return the exit."""
    terminal.error("Java has ended while it was needed, perhaps for lack of memory", "--memory SIZE gives it more")
    return typer.Exit(NO_MEMORY)


def pairs(option: str, texts: Iterable[str] | None) -> dict[str, str]:
    """The value that an option, which may be repeated, gives to each KEY."""
    values = {}
    for item in texts or ():
        key, sign, value = item.partition("=")
        if not sign or not key:
            raise wrong(option, f"expected KEY=VALUE, found {item!r}")
        values[key] = value
    return values


@contextmanager
def interruptible(stop: Callable[[], object]) -> Iterator[threading.Event]:
    """The first Ctrl-C, or another of the `SIGNALS`, asks Spark to `stop`, and sets the event; only a second one is an
    interrupt as ever.

    Spark is asked from another thread, which has ended when this does: the main one waits for an answer of Spark, and
    the handler that Spark installs asks it there, which ends in a page of errors.
    """
    stopping = threading.Event()
    asking: list[threading.Thread] = []
    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return

    def ask() -> None:
        with suppress(Exception):  # what was to be stopped may have ended meanwhile
            stop()

    def ring(number: int, _frame: FrameType | None) -> None:
        interruptions.came(number)
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()
        asking.append(threading.Thread(target=ask, daemon=True))
        asking[0].start()

    before = {number: signal.signal(number, ring) for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield stopping
    finally:
        for thread in asking:
            thread.join()
        for number, handler in before.items():
            signal.signal(number, handler)


def read_log(path: str, read: Callable[[str], DataFrame]) -> DataFrame:
    """The log in Parquet at a path, on this machine or wherever Spark can read. OSError if Spark cannot."""
    from pyspark.errors import AnalysisException

    try:
        return read(path)
    except AnalysisException as problem:
        if problem.getCondition() == "UNABLE_TO_INFER_SCHEMA":
            raise terminal.unusable(
                f"{path}: no file in Parquet is in this directory", "name the one that the log is in"
            ) from None
        what = f"{path}: not a log in Parquet that Spark can read: {str(problem).splitlines()[0]}"
        raise terminal.unusable(what, "`parte spark log` writes one") from None


def check_log(path: str) -> None:
    """Reject a file that is no log in Parquet before Spark starts, which takes long; Spark checks remote logs."""
    if "://" in path:
        return
    with explained(path):
        if Path(path).is_dir():
            return
        with Path(path).open("rb") as file:
            if file.read(len(_PARQUET)) == _PARQUET:
                return
    raise terminal.unusable(f"{path}: not a log in Parquet", f"of a trace in JSON Lines make one: {_MAKING}")


def match_positions(
    log: str,
    program: str,
    out: str,
    rejected: str | None,
    *,
    session: Callable[[], AbstractContextManager[SparkSession]],
    events: Callable[[Reading], Iterable[TraceItem]],
    find: Callable[[SparkSession, DataFrame, bool], Results],
    line: Callable[[Row], str],
) -> None:
    """Find results in a log with positions, a trace whose `events` are read or a log in Parquet, whose rows `find`
    checks; print each as a `line`, or write them to the directory `out`."""
    in_parquet = log.endswith(".parquet") or "://" in log or Path(log).is_dir()
    if in_parquet and rejected is not None:
        raise wrong("--rejected", "only lines of a trace are rejected one by one; `parte log` does so with raw logs")
    with without_rejected(rejected, log, EventCheck(None), program) as lines, explained(log):
        items = [] if in_parquet else [item for item in events(lines) if isinstance(item, Event)]
    with session() as spark, explained(log):
        from parte.spark_adapter import positions

        read = read_log(log, partial(positions.in_parquet, spark)) if in_parquet else positions.of_events(spark, items)
        with find(spark, read, in_parquet) as matches:
            if out:
                count = matches.write(out)
                terminal.write(f"{count} result{'' if count == 1 else 's'}\n")
                return
            for row in matches.ordered.toLocalIterator():
                terminal.write(f"{line(row)}\n")
