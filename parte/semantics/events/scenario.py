"""A program with its input: built once by the reader of the input, and passed on as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from parte.semantics.events.conformity import Conformity, conform
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.ids import Ids
from parte.semantics.events.problems import Problems, TraceError
from parte.semantics.events.promises import Promises, arrivals
from parte.semantics.events.trace import LineReader, Trace
from parte.semantics.events.types import Declarations, has_optional
from parte.semantics.events.units import Units

ProgramT = TypeVar("ProgramT", bound=Declarations)


@dataclass(frozen=True, slots=True)
class Scenario(Generic[ProgramT]):
    """A program, its predicates, a trace that fits it, and the arrivals of that trace."""

    program: ProgramT
    predicates: Predicates
    items: tuple[TraceItem, ...]
    arrivals: tuple[Arrival, ...]

    @classmethod
    def of(
        cls,
        program: ProgramT,
        items: Iterable[TraceItem],
        predicates: Predicates | None = None,
        *,
        disorder: int = 0,
        filename: str | None = None,
    ) -> Scenario[ProgramT]:
        """Return the scenario of a trace, whose items may be as they were read; predicates are bound already.

        `disorder` is the number of milliseconds by which an event may be late; `filename` is for messages only. Raise
        TraceError if the trace does not fit the program or breaks its promises, ValueError for an invalid disorder.
        """
        if filename is None and isinstance(items, Trace):
            filename = items.filename
        fitting = conform(program, items, filename=filename)
        return cls(program, predicates or {}, fitting, arrivals(fitting, disorder=disorder, filename=filename))

    @property
    def events(self) -> tuple[Event, ...]:
        """The events alone, in arrival order."""
        return tuple(item for item in self.items if isinstance(item, Event))


@dataclass(slots=True)
class Arriving:
    """A trace that arrives in parts: each line is read, checked against a program and given its promise once.

    `ids` stores the ids of events, `units` the apparent units of their timestamps.
    """

    program: Declarations
    promises: Promises
    ids: Ids | None = None
    units: Units = field(default_factory=Units)
    _reader: LineReader = field(init=False)
    _conformity: Conformity = field(init=False)
    _lines: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        name = self.promises.filename
        self._reader = LineReader(name, ids=self.ids, units=self.units, nulls=has_optional(self.program))
        self._conformity = Conformity(self.program, name, distinct=True)  # the reader checks this

    def more(self, lines: Iterable[str]) -> list[Arrival]:
        """Return the arrivals of the next lines. Raise TraceError with the problems of all lines so far."""
        items: list[TraceItem] = []
        for line in lines:
            self._lines += 1
            if self._lines == 1:
                line = line.removeprefix("\ufeff")
            if not line or line.isspace():
                continue
            item = self._reader.read(line, self._lines)
            if item is not None:
                items.append(item)
        _raise_if_any(self._reader.problems)
        fitting = [self._conformity.check(item) for item in items]
        _raise_if_any(self._conformity.problems)
        result = [self.promises.arrival(item) for item in fitting]
        if self.promises.problems:
            raise TraceError(self.promises.advised())
        return result


def _raise_if_any(problems: Problems) -> None:
    if problems:
        raise TraceError(problems)
