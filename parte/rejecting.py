"""The option `--rejected`: lines of a log that are no events go to a file, and a run goes on with the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from parte import terminal
from parte.inputs import STANDARD_INPUT, Reading, unmarked, writing
from parte.options import wrong
from parte.semantics.events.files import replacing, write_all
from parte.semantics.events.rejection import LineCheck, Rejected, Rejections, Sieve
from parte.semantics.source.similar import advice

RejectedOption = Annotated[
    str | None,
    typer.Option("--rejected", metavar="FILE", help="Write the records that are no events: file, line, reason."),
]
RejectedLinesOption = Annotated[
    str | None,
    typer.Option(
        "--rejected",
        metavar="FILE",
        help="Write the lines that are no events of the program, with file, line and reason, and run with the others.",
    ),
]
_NAMED: Final = 20
"""The most templates that a report names."""


@contextmanager
def without_rejected(
    rejected: str | None, trace: str, check: LineCheck, program: str, declared: Sequence[str] = ()
) -> Iterator[Reading]:
    """Yield how the lines of a trace are read: with a file for rejected lines, without those that are no events.

    `program` is the path of the program, `declared` are its templates.

    At the end they are counted on standard error. Exit code 2 if some are rejected, and no line is an event.
    """
    if rejected is None:
        yield unmarked
        return
    with rejections_to(rejected, trace, program, declared) as rejections:
        sieve = Sieve(check, rejections, again=trace != STANDARD_INPUT)
        yield lambda lines: sieve(unmarked(lines))


@contextmanager
def rejections_to(rejected: str, log: str, program: str, declared: Sequence[str] = ()) -> Iterator[Rejections]:
    """Yield the rejections of a log, which go to a file; see `without_rejected`."""
    check_written({"--rejected": rejected}, [program, log])
    ended: typer.Exit | None = None
    with rejected_to(rejected) as reject:
        rejections = Rejections(log, reject)
        try:
            yield rejections
        except typer.Exit as end:  # a budget that was spent, or a machine that is blocked: the file remains
            if end.exit_code == terminal.UNUSABLE:
                raise
            ended = end
    undeclared(rejections.undeclared, declared)
    print_rejected((count, f"rejected: {reason}") for reason, count in sorted(rejections.reasons.items()))
    if ended is not None:
        raise ended
    if rejections.reasons and not rejections.accepted and not rejections.undeclared:
        raise terminal.unusable(f"{log}: no line is an event of the program", f"{rejected} has the reasons")


def undeclared(counts: Mapping[str, int], declared: Iterable[str]) -> None:
    """Report the events of templates that a program does not declare."""
    names = [*declared]
    most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_NAMED]
    print_rejected(
        (count, f"left out: {name}, which the program does not declare{_meant(name, names)}") for name, count in most
    )
    if len(counts) > _NAMED:
        terminal.report(f"and those of {len(counts) - _NAMED:,} more templates")


def _meant(name: str, declared: Sequence[str]) -> str:
    hint = advice(name, declared, " ")
    return f"; {hint}" if hint.strip() else ""


def print_rejected(rows: Iterable[tuple[int, str]]) -> None:
    """Report counts, each with its meaning, one below the other."""
    counted = [*rows]
    width = max((len(f"{count:,}") for count, _ in counted), default=0)
    for count, meaning in counted:
        terminal.report(f"{count:>{width},}  {meaning}")


def check_written(written: Mapping[str, str | None], read: Iterable[str]) -> None:
    """A usage error if a file that is written is also read, or written twice."""
    others = {os.path.realpath(path) for path in read if path != STANDARD_INPUT}
    for option, path in written.items():
        if path is None or path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        if os.path.realpath(path) in others:
            raise wrong(option, f"{path}: it is read, or written already; name another file")
        others.add(os.path.realpath(path))


@contextmanager
def rejected_to(path: str | None) -> Iterator[Callable[[Rejected], None]]:
    """Yield what writes rejected records to a file, which is there whole at the end."""
    if path is None:
        yield _forget
        return
    with writing(path), replacing(path) as file:
        yield lambda record: write_all(file, terminal.writable(f"{record.to_json()}\n").encode())


def _forget(_: Rejected) -> None:
    """Write no rejected record."""
