"""`parte log`: the events of raw logs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from glob import glob, has_magic
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.inputs import STANDARD_INPUT, deliver, explained, writing
from parte.options import OutputOption, wrong
from parte.rejecting import RejectedOption, check_written, print_rejected, rejected_to
from parte.semantics.events.duration import duration_text
from parte.semantics.events.files import check_kind
from parte.semantics.source.packages import importing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from parte.logs.conversion import Converted

_NO_READER = "raw logs are read by the package {}, which is not installed"
_NO_EVENT = "`parte log --suggest RAW` writes a mapping for a raw log"
_FORMATS = ("jsonl", "csv", "parquet")


def log(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="MAPPING RAW...",
            help="Which records are which events, as TOML; and the raw logs: JSON Lines, CSV or Parquet, in the order "
            "of arrival; compressed or not; - is standard input.",
        ),
    ],
    output: OutputOption = None,
    rejected: RejectedOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="|".join(_FORMATS), help="[default: by the endings of the raw logs]"),
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Print a mapping for a raw log, RAW, guessed from its first records.")
    ] = False,
) -> None:
    """Write the events of raw logs as a trace, or as a log if the output ends in .parquet, by a mapping.

    Records that fit no template are left out; those that cannot be read are counted, and written to --rejected; one
    that is there twice is one event. What became of them all is said on standard error, and how far the events are out
    of order (--disorder of other commands). Exit codes: 0; 2 if a file cannot be used, or no record is an event.
    """
    check_form(form)
    with importing("duckdb", message=_NO_READER):
        from parte.logs.suggesting import suggested
    if suggest:
        if len(files) != 1:
            raise wrong("--suggest", f"it takes one raw log, found {len(files)}")
        with explained(files[0]):
            deliver(suggested(files[0], form), output)
        return
    if len(files) == 1:
        raise typer.BadParameter("expected a mapping and raw logs; --suggest writes a mapping", param_hint="'RAW'")
    mapping, *raw = files
    _convert(mapping, [path for named in raw for path in _named(named)], output, rejected, form)


def _named(path: str) -> list[str]:
    """Return the files that a pattern stands for, in the order of their names; a name that is there stands for
    itself, and so does a pattern without files."""
    return (sorted(glob(path, recursive=True)) if has_magic(path) and not os.path.lexists(path) else []) or [path]


def _convert(mapping: str, raw: list[str], output: str | None, rejected: str | None, form: str | None) -> None:
    from parte.logs.conversion import Conversion
    from parte.logs.mapping import load_mapping

    check_written({"--output": output, "--rejected": rejected}, [mapping, *raw])
    with explained(mapping):
        described = load_mapping(mapping)
    with rejected_to(rejected) as reject, terminal.telling() as tell, Conversion(described, reject, tell) as conversion:
        for path in raw:
            with explained(path):
                conversion.add(path, form)
        conversion.finish()
        if not conversion.converted.events.total():
            pass  # the records that were rejected are written all the same
        elif output is None or output == STANDARD_INPUT:
            for text in conversion.traced():
                terminal.write(text)
        else:
            with writing(output):
                conversion.write(output)
        _report(conversion.converted)
    if not conversion.converted.events.total():
        raise terminal.unusable("no record is an event", _NO_EVENT)


def convert_on_spark(
    mapping: str,
    raw: Sequence[str],
    out: str,
    rejected: str | None,
    form: str | None,
    session: Callable[[], AbstractContextManager[SparkSession]],
) -> None:
    """Write the events of raw logs as a log by Spark."""
    from parte.logs.mapping import load_mapping

    check_form(form)
    files = [path for named in raw for path in _named(named)]
    check_written({"--rejected": rejected}, [mapping, *files])
    with explained(mapping):
        described = load_mapping(mapping)
    with (
        explained(files[0]),
        importing("duckdb", message=_NO_READER),
    ):
        from parte.logs.records import format_of

        for path in files:
            format_of(path, form)
            if path == STANDARD_INPUT:
                raise wrong("RAW", "Spark reads files, not standard input; `parte log` reads it")
            if "://" not in path:
                check_kind(path)
    with rejected_to(rejected) as reject, session() as spark, terminal.refusing(OSError):
        from parte.spark_adapter.raw_logs import RawLogs

        with closing(RawLogs(spark, described, files, form)) as logs:
            logs.finish(reject)
            if logs.converted.events.total():
                logs.write(out)
        _report(logs.converted)
    if not logs.converted.events.total():
        raise terminal.unusable("no record is an event", _NO_EVENT)


def check_form(form: str | None) -> None:
    """A usage error for a format that does not exist."""
    if form is not None and form not in _FORMATS:
        raise wrong("--format", f"expected {' or '.join(_FORMATS)}, found {form!r}")


def _report(converted: Converted) -> None:
    rows = [(count, template) for template, count in sorted(converted.events.items())]
    rows += [(converted.unmapped, "left out: of no template"), (converted.doubled, "left out: there twice")]
    rows += [(count, f"rejected: {reason}") for reason, count in sorted(converted.rejected.items())]
    rows += [(converted.records, "records")]
    print_rejected(rows)
    if converted.disorder:
        lag = duration_text(converted.disorder)
        terminal.report(f"the events are out of order by {lag}, which `parte run --disorder '{lag}'` allows for")
    else:
        terminal.report("the events of each source and template are in order")
