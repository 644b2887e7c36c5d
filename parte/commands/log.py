"""`parte log`: the events of raw logs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.inputs import STANDARD_INPUT, deliver, explained, writing
from parte.options import OutputOption, wrong
from parte.semantics.events.duration import duration_text
from parte.semantics.events.files import replacing, write_all
from parte.semantics.source.packages import importing

if TYPE_CHECKING:
    from parte.logs.conversion import Converted, Rejected

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
    rejected: Annotated[
        str | None,
        typer.Option("--rejected", metavar="FILE", help="Write the records that are no events: file, line, reason."),
    ] = None,
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
    if form is not None and form not in _FORMATS:
        raise wrong("--format", f"expected {' or '.join(_FORMATS)}, found {form!r}")
    with importing("duckdb", message="raw logs are read by the package {}, which is not installed"):
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

    _check_written({"--output": output, "--rejected": rejected}, [mapping, *raw])
    with explained(mapping):
        described = load_mapping(mapping)
    with _rejecting(rejected) as reject, terminal.telling() as tell, Conversion(described, reject, tell) as conversion:
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
        raise terminal.unusable("no record is an event", "`parte log --suggest RAW` writes a mapping for a raw log")


def _check_written(written: dict[str, str | None], read: list[str]) -> None:
    """A usage error if a file that is written is also read, or written twice."""
    others = {os.path.realpath(path) for path in read if path != STANDARD_INPUT}
    for option, path in written.items():
        if path is None or path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        if os.path.realpath(path) in others:
            raise wrong(option, f"{path} is read, or written already")
        others.add(os.path.realpath(path))


@contextmanager
def _rejecting(path: str | None) -> Iterator[Callable[[Rejected], None]]:
    """Yield what writes rejected records to a file, which is there whole at the end."""
    if path is None:
        yield _forget
        return
    with explained(path), replacing(path) as file:
        yield lambda record: write_all(file, terminal.writable(f"{record.to_json()}\n").encode())


def _forget(_: Rejected) -> None:
    """Write no rejected record."""


def _report(converted: Converted) -> None:
    rows = [(count, template) for template, count in sorted(converted.events.items())]
    rows += [(converted.unmapped, "left out: of no template"), (converted.doubled, "left out: there twice")]
    rows += [(count, f"rejected: {reason}") for reason, count in sorted(converted.rejected.items())]
    rows += [(converted.records, "records")]
    width = max(len(f"{count:,}") for count, _ in rows)
    for count, what in rows:
        if count:
            terminal.report(f"{count:>{width},}  {what}")
    if converted.disorder:
        lag = duration_text(converted.disorder)
        terminal.report(f"the events are out of order by {lag}, which `parte run --disorder '{lag}'` allows for")
    else:
        terminal.report("the events of each source and template are in order")
