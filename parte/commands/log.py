"""`parte log`: the events of raw logs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.inputs import STANDARD_INPUT, deliver, explained, writing
from parte.options import OutputOption, wrong
from parte.rejecting import RejectedOption, check_written, print_rejected, rejected_to
from parte.semantics.events.duration import duration_text
from parte.semantics.events.files import check_kind
from parte.semantics.events.timestamps import timestamp_text
from parte.semantics.source.packages import importing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from parte.logs.conversion import Converted
    from parte.logs.mapping import Mapping
    from parte.logs.sample import Flat

_NO_READER = "raw logs are read by the package {}, which is not installed"
_NO_EVENT = "`parte log --suggest RAW` writes a mapping for a raw log"
_SAMPLED = 20
"""The most raw logs whose records are looked at for hints."""
_FORMATS = ("jsonl", "csv", "parquet")


def log(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MAPPING RAW...",
            help="Which records are which events, as TOML; and the raw logs: JSON Lines, CSV or Parquet, in the order "
            "of arrival; compressed or not; - is standard input.",
            show_default=False,
        ),
    ] = None,
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
    files = files or []
    with importing("duckdb", message=_NO_READER):
        from parte.logs.suggesting import suggested
    if suggest:
        if len(files) != 1:
            raise wrong("--suggest", f"give one raw log, found {len(files) or 'none'}")
        with explained(files[0]):
            deliver(suggested(files[0], form), output)
        return
    if len(files) < 2:
        raise typer.BadParameter("expected a mapping and raw logs; --suggest writes a mapping", param_hint="'RAW'")
    mapping, *raw = files
    if raw[-1].endswith(".toml") and not mapping.endswith(".toml"):
        raise terminal.unusable(f"{raw[-1]} is no raw log", "MAPPING comes first, then RAW")
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
        _report(described, conversion.converted, _Raw(raw, form), rejected)


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
        _report(described, logs.converted, _Raw(files, form), rejected)


def check_form(form: str | None) -> None:
    """A usage error for a format that does not exist."""
    if form is not None and form not in _FORMATS:
        raise wrong("--format", f"expected {' or '.join(_FORMATS)}, found {form!r}")


@dataclass(frozen=True, slots=True)
class _Raw:
    """The raw logs of a conversion, which was with or without `--format`."""

    files: Sequence[str]
    form: str | None

    def sample(self) -> list[Flat]:
        """Return the first records of those that are files of this machine, which are read again."""
        from parte.logs.sample import SAMPLE, sample

        files = [path for path in self.files if Path(path).is_file()][:_SAMPLED]
        records: list[Flat] = []
        for path in files:
            with suppress(OSError):
                records += sample(path, self.form, SAMPLE // len(files))[0]
        return records

    def hint(self) -> str:
        """Return a hint for raw logs without records."""
        from parte.logs.sample import no_record

        return no_record(self.files[0]) if Path(self.files[0]).is_file() else _NO_EVENT


def _report(mapping: Mapping, converted: Converted, raw: _Raw, rejected: str | None) -> None:
    """Report what became of the records. Exit code 2 if none is an event."""
    from parte.logs.remarks import is_doubtful, remarks, unused

    events, doubtful = converted.events.total(), is_doubtful(mapping, converted)
    records = raw.sample() if doubtful else []
    rows = [(count, template) for template, count in sorted(converted.events.items())]
    rows += [(converted.unmapped, "left out: of no template"), (converted.doubled, "left out: there twice")]
    rows += [(count, f"rejected: {reason}") for reason, count in sorted(converted.rejected.items())]
    without = [(0, row) for row in unused(mapping, converted, records)] if doubtful else []
    print_rejected([*without, *((count, text) for count, text in rows if count), (converted.records, "records")])
    warnings = [*remarks(mapping, converted, records)] if doubtful else []
    if converted.rejected and rejected is None:
        terminal.report("  hint: --rejected FILE writes the rejected records, each with its reason")
    for warning in warnings:
        terminal.note(warning)
    if not events:
        hint = raw.hint() if doubtful and not records else "" if warnings or without else _NO_EVENT
        raise terminal.unusable("no record is an event", hint)
    terminal.report(f"from {timestamp_text(converted.first)} to {timestamp_text(converted.last)}")
    if converted.strayed:
        _report_strayed(converted, mapping.timestamp.forms)
    if converted.disorder:
        lag = duration_text(converted.disorder)
        terminal.report(f"the events are out of order by {lag}, which `parte run --disorder '{lag}'` allows for")
    else:
        terminal.report("the events of each source and template are in order")


def _report_strayed(converted: Converted, forms: Sequence[str]) -> None:
    from parte.logs.mapping import EPOCH, UNITS

    units = [form for form in forms if form in UNITS]
    hint = (
        f'"{EPOCH}" in place of "{units[0]}" tells the unit by the size of a number' if units else "check their times"
    )
    times = "event is" if converted.strayed == 1 else "events are"
    terminal.note(f"{converted.strayed:,} {times} more than 20 years from the others\n  hint: {hint}")
