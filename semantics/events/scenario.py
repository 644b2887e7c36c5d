"""A program with all that it runs on: built once, by whoever reads the input, and handed on whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.promises import arrivals
from parte.semantics.events.trace import Trace
from parte.semantics.events.types import Declarations

ProgramT = TypeVar("ProgramT", bound=Declarations)


@dataclass(frozen=True, slots=True)
class Scenario(Generic[ProgramT]):
    """A program, its predicates, a trace that fits it, and what an engine is told of that trace."""

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
        """The scenario of a trace, whose items may be as they were read; predicates are bound already.

        `disorder` is by how many milliseconds an event may lag behind; `filename` is for messages only. TraceError if
        the trace does not fit the program or breaks its promises, ValueError for what is no disorder.
        """
        if filename is None and isinstance(items, Trace):
            filename = items.filename
        fitting = conform(program, items, filename=filename)
        return cls(program, predicates or {}, fitting, arrivals(fitting, disorder=disorder, filename=filename))

    @property
    def events(self) -> tuple[Event, ...]:
        """The events alone, in arrival order."""
        return tuple(item for item in self.items if isinstance(item, Event))
