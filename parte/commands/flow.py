"""`parte run` on a trace that is not held: matches as they are found, or in canonical order at the end; and what stops
a run that goes on too long or stores too much."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from heapq import merge, nsmallest
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, NoReturn

import typer

from parte import terminal
from parte.commands.budgets import Budget, Clock, OutOfTime
from parte.inputs import STANDARD_INPUT, doubtful, explained, standard_lines
from parte.options import wrong
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.events.ids import LastIds
from parte.semantics.events.long_traces import Unfit, lines_of, speakers, told
from parte.semantics.events.match import canonical
from parte.semantics.events.open_promises import OpenPromises, ends, inputs
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.events.scenario import Arriving
from parte.semantics.events.units import Units
from parte.semantics.partelang.blocking import diagnose
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import Sources, compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import family_of
from parte.semantics.partelang.streaming import Found, Watch, running
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

SHOWN_FAILURES: Final = 20
_HELD: Final = 50_000
"""So many lines of results are held before they are put aside."""
_EVERY: Final = 0.2
_LARGEST: Final = 3


@dataclass(slots=True)
class Failures:
    """Emissions without a value: the first of them in order, and how many there are."""

    first: list[EmissionFailure] = field(default_factory=list)
    count: int = 0

    def add(self, failures: Iterable[EmissionFailure]) -> None:
        """Count more of them."""
        some = list(failures)
        self.count += len(some)
        self.first = nsmallest(
            SHOWN_FAILURES, [*self.first, *some], key=lambda failure: (failure.rule, failure.bindings, failure.position)
        )

    def note(self) -> None:
        """Tell of them on standard error."""
        for failure in self.first:
            terminal.note(str(failure))
        if self.count > len(self.first):
            terminal.note(f"and {self.count - len(self.first)} more emissions without a value")


class Sorted:
    """Lines in order, most of which wait in files."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._aside: list[IO[str]] = []

    def add(self, line: str) -> None:
        """One line more."""
        self._held.append(line)
        if len(self._held) == _HELD:
            self._held.sort()
            file = TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n")  # noqa: SIM115
            file.writelines(f"{each}\n" for each in self._held)
            file.seek(0)
            self._aside.append(file)
            self._held = []

    def __iter__(self) -> Iterator[str]:
        self._held.sort()
        yield from merge(*((line[:-1] for line in file) for file in self._aside), self._held)
        for file in self._aside:
            file.close()


@dataclass(frozen=True, slots=True)
class Run:
    """A program, and the machine that is to run it by round-robin."""

    program: core.Program
    predicates: Predicates
    model: Model
    capacities: Capacities = UNBOUNDED
    disorder: int = 0
    budget: Budget = Budget()

    def answer(self, path: str) -> bool:
        """Print the matches on a trace. False, with nothing printed, if it is better read whole."""
        clock = Clock(self.budget)
        if path == STANDARD_INPUT:
            self._live(clock)
            return True
        if path.endswith(".parquet") or not _is_file(path):
            if self.budget != Budget() and Path(path).exists():
                raise wrong("--budget", "a trace in Parquet, or one that can be read only once, is read whole first")
            return False
        try:
            self._long(path, clock)
        except Unfit:
            return False
        return True

    def _machine(self, sources: Sources) -> Machine:
        network = compile_program(self.program, self.predicates, sources, family_of(self.model))
        with explained("--capacities"):
            self.capacities.check(node.name for node in network.nodes)
        return Machine(network, self.model, self.capacities)

    def _live(self, clock: Clock) -> None:
        """Each match as soon as it is found."""
        emitted = {emission.template for rule in self.program.rules for emission in rule.emissions}
        templates = [template.name for template in self.program.templates]
        sources = inputs(templates, emitted)
        promises = OpenPromises(None, self.disorder, "<stdin>", emitted=emitted)
        units = Units()
        arriving = Arriving(self.program, promises, LastIds(), units)

        def arrivals() -> Generator[Arrival]:
            with explained(STANDARD_INPUT):
                doubt = ""
                for line in standard_lines():
                    yield from arriving.more((line,))
                    if not doubt:  # the first of them shows it, or what comes beside it
                        doubt = units.doubt()
                        doubtful(doubt, "<stdin>")
            yield from ends(list(sources))

        def show(found: Found) -> None:
            terminal.write("".join(f"{match.to_json()}\n" for match in canonical(found.matches)))
            sys.stdout.flush()

        self._take(self._machine(sources), clock, arrivals(), show)

    def _long(self, path: str, clock: Clock) -> None:
        """All matches in canonical order, when they are known."""
        lines, units = Sorted(), Units()

        def keep(found: Found) -> None:
            for match in found.matches:
                lines.add(match.to_json())

        def finish() -> None:
            for line in lines:
                terminal.write(f"{line}\n")
            doubtful(units.doubt(), path)

        def arrivals() -> Generator[Arrival]:
            with explained(path):
                yield from told(self.program, lines_of(path), who, self.disorder, units)

        try:
            with explained(path), clock.limit():
                who = speakers(lines_of(path))
        except OutOfTime:
            _stop(f"{self.budget.seconds:g} seconds", Watch())
        self._take(self._machine(who.sources()), clock, arrivals(), keep, finish)

    def _take(
        self,
        machine: Machine,
        clock: Clock,
        arrivals: Generator[Arrival],
        take: Callable[[Found], None],
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        failures, watch = Failures(), Watch()
        over, heard = "", 0.0
        with closing(arrivals), terminal.telling() as tell, closing(running(machine, arrivals, watch)) as run:
            try:
                with clock.limit():
                    for found in run:
                        with clock.whole():
                            if found is not None:
                                failures.add(found.failures)
                                take(found)
                            if tell is not None and clock.passed - heard > _EVERY:
                                heard = clock.passed
                                tell(_progress(watch, heard))
                        if clock.passed > self.budget.seconds:
                            raise OutOfTime
                        if watch.partial > self.budget.partial:
                            over = f"{self.budget.partial:,.0f} partial matches"
                            break
            except OutOfTime:
                over = f"{self.budget.seconds:g} seconds"
        finish()
        failures.note()
        if over:
            _stop(over, watch)
        blocked = diagnose(machine)
        if blocked is not None:
            terminal.report(blocked.render())
            raise typer.Exit(terminal.BLOCKED)


def _progress(watch: Watch, seconds: float) -> str:
    found = f"{watch.arrivals:,} lines, {watch.matches:,} matches"
    return f"{found}, {watch.partial:,} partial matches stored, {seconds:.0f} s"


def _stop(over: str, watch: Watch) -> NoReturn:
    """Say which budget was spent, and what grows."""
    lines = [
        f"stopped: the budget of {over} is spent after {watch.arrivals:,} lines; matches so far: {watch.matches:,}; "
        f"partial matches stored: {watch.partial:,}"
    ]
    lines += [f"  {name} stores {count:,}" for name, count in watch.largest(_LARGEST) if count]
    if watch.partial:
        lines.append(
            "  hint: narrow the windows of the rule that stores most, or have its patterns compare an attribute; "
            "`parte check --deployment` says how many there may be"
        )
    terminal.report("\n".join(lines))
    raise typer.Exit(terminal.OPEN)


def _is_file(path: str) -> bool:
    """Whether it can be read twice."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:
        return False
