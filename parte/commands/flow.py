"""Following a run: its matches, as they are found or in order at the end, its progress, and its budget."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from heapq import merge, nsmallest
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import IO, Any, Final, NoReturn

import typer

from parte import terminal
from parte.commands.budgets import Budget, Clock, OutOfTime
from parte.inputs import STANDARD_INPUT, Reading, explained, standard_lines, unmarked
from parte.options import wrong
from parte.semantics.events.long_traces import lines_of
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission, Unemitted
from parte.semantics.rulebook.running import Running

SHOWN_FAILURES: Final = 20
_HELD: Final = 50_000
"""The number of result lines in memory before they are written to a temporary file."""
_AT_ONCE: Final = 1_000
"""The number of lines of a file that are read together."""
_EVERY: Final = 0.2
_LARGEST: Final = 3

Batch = Sequence[Any]


@dataclass(slots=True)
class Failures:
    """Emissions without a value, or those that were suppressed: the first of them in order, and how many there are."""

    first: list[Unemitted] = field(default_factory=list)
    count: int = 0

    def add(self, failures: Iterable[Unemitted]) -> None:
        """Count more of them."""
        some = list(failures)
        self.count += len(some)
        self.first = nsmallest(
            SHOWN_FAILURES, [*self.first, *some], key=lambda failure: (failure.rule, failure.bindings, failure.position)
        )

    def tell(self, say: Callable[[str], None], kind: str) -> None:
        """Report them on standard error."""
        for failure in self.first:
            say(str(failure))
        if self.count > len(self.first):
            say(f"and {self.count - len(self.first)} more {kind}")


@dataclass(slots=True)
class Losses:
    """Emissions that emitted nothing: those without a value, of which a user is warned, and suppressed ones."""

    failures: Failures = field(default_factory=Failures)
    suppressed: Failures = field(default_factory=Failures)

    def add(self, lost: Iterable[Unemitted]) -> None:
        """Count more emissions."""
        some = list(lost)
        self.failures.add(emission for emission in some if isinstance(emission, EmissionFailure))
        self.suppressed.add(emission for emission in some if isinstance(emission, SuppressedEmission))

    def note(self) -> None:
        """Report them on standard error."""
        self.suppressed.tell(terminal.report, "suppressed emissions")
        self.failures.tell(terminal.note, "emissions without a value")


class Lines:
    """Lines of results, most of which wait in files. They come out in the order in which they were added, or sorted."""

    def __init__(self, *, in_order: bool) -> None:
        self._in_order = in_order
        self._held: list[str] = []
        self._aside: list[IO[str]] = []

    def add(self, line: str) -> None:
        """Add a line."""
        self._held.append(line)
        if len(self._held) == _HELD:
            if not (self._in_order and self._aside):
                from tempfile import TemporaryFile

                file = TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n")  # noqa: SIM115 - closed when read
                self._aside.append(file)
            self._aside[-1].writelines(f"{line}\n" for line in self._sorted())
            self._held = []

    def __iter__(self) -> Iterator[str]:
        for file in self._aside:
            file.seek(0)
        parts = [*((line[:-1] for line in file) for file in self._aside), self._sorted()]
        yield from chain.from_iterable(parts) if self._in_order else merge(*parts)
        for file in self._aside:
            file.close()

    def _sorted(self) -> list[str]:
        return self._held if self._in_order else sorted(self._held)


@dataclass(slots=True)
class Flow:
    """The way to print a run. `lines_of` returns the lines of a batch; `stored` is the plural of what the machine
    stores.

    `in_order` says that the matches of a run come in canonical order, so that those of a file need no sorting.
    """

    clock: Clock
    lines_of: Callable[[Batch], Iterable[str]]
    stored: str
    advice: str = ""
    in_order: bool = True
    read: Reading = unmarked
    """The reader of the lines of the trace."""
    _matches: int = 0
    _sizes: dict[str, int] = field(default_factory=dict)

    def live(self, running: Running[Any], after: Callable[[], None] = lambda: None) -> None:
        """Print each match of a trace on standard input as soon as it is certain; call `after` after each line."""

        def write(batch: Batch) -> None:
            terminal.write("".join(f"{line}\n" for line in self.lines_of(batch)))
            sys.stdout.flush()

        def chunks() -> Generator[Sequence[str]]:
            with closing(standard_lines()) as lines:
                for line in self.read(lines):
                    yield (line,)
                    after()

        with closing(chunks()) as lines:
            self._follow(running, STANDARD_INPUT, lines, write)

    def whole(self, running: Running[Any], path: str, after: Callable[[], None] = lambda: None) -> None:
        """Print the matches of a file in canonical order when it has been read; then call `after`.

        TraceError, with nothing printed, if something is wrong with the trace.
        """
        lines = Lines(in_order=self.in_order)

        def keep(batch: Batch) -> None:
            for line in self.lines_of(batch):
                lines.add(line)

        def finish() -> None:
            for line in lines:
                terminal.write(f"{line}\n")
            after()

        left = self.read(lines_of(path))
        chunks = iter(lambda: list(islice(left, _AT_ONCE)), [])
        self._follow(running, None, chunks, keep, finish)

    def _follow(
        self,
        running: Running[Any],
        explain: str | None,
        chunks: Iterable[Sequence[str]],
        take: Callable[[Batch], None],
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        losses, budget = Losses(), self.clock.budget
        over, heard = "", 0.0
        with terminal.telling() as tell, closing(_batches(running, explain, chunks)) as batches:
            try:
                with self.clock.limit():
                    for batch in batches:
                        with self.clock.whole():
                            losses.add(running.lost())
                            if batch:
                                self._matches += len(batch)
                                take(batch)
                            late = tell is not None and self.clock.passed - heard > _EVERY
                            if late or budget.stored < inf:
                                self._sizes = dict(running.stored())
                            if tell is not None and late:
                                heard = self.clock.passed
                                tell(self._progress(running, heard))
                        if self.clock.passed > budget.seconds:
                            raise OutOfTime
                        if sum(self._sizes.values()) > budget.stored:
                            over = f"{budget.stored:,.0f} {self.stored}"
                            break
            except OutOfTime:
                over = f"{budget.seconds:g} seconds"
        finish()
        losses.add(running.lost())
        losses.note()
        if over:
            self._sizes = dict(running.stored())
            self.stop(over, running.lines)
        report = running.blocked()
        if report is not None:
            terminal.report(report)
            raise typer.Exit(terminal.BLOCKED)

    def _progress(self, running: Running[Any], seconds: float) -> str:
        count = sum(self._sizes.values())
        return f"{running.lines:,} lines, {self._matches:,} matches, {count:,} {self.stored} stored, {seconds:.0f} s"

    def stop(self, over: str, lines: int) -> NoReturn:
        """Report which budget was spent, and what grows. Exit code 4."""
        count = sum(self._sizes.values())
        report = [
            f"stopped: the budget of {over} is spent after {lines:,} lines; matches so far: {self._matches:,}; "
            f"{self.stored} stored: {count:,}"
        ]
        largest = sorted(self._sizes.items(), key=lambda item: -item[1])[:_LARGEST]
        report += [f"  {name} stores {size:,}" for name, size in largest if size]
        if count and self.advice:
            report.append(f"  hint: {self.advice}")
        terminal.report("\n".join(report))
        raise typer.Exit(terminal.OPEN)


def _batches(running: Running[Any], explain: str | None, chunks: Iterable[Sequence[str]]) -> Generator[Batch]:
    """Yield the batches of a run. Explain what is wrong with the trace `explain`."""
    with nullcontext() if explain is None else explained(explain):
        for chunk in chunks:
            yield from running.feed(chunk)
        yield from running.end()


def _is_file(path: str) -> bool:
    """Return whether a path names a file that can be read twice."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:
        return False


def readable_twice(trace: str, budget: Budget) -> bool:
    """Return whether a trace is a file that a machine may read line by line, and that can be read again."""
    if _is_file(trace) and not trace.endswith(".parquet"):
        return True
    if budget != Budget() and Path(trace).exists():
        raise wrong("--budget", "a trace in Parquet, or one that can be read only once, is read whole first")
    return False
