"""What is fuzzed: programs with traces that can be drawn, varied and made smaller, as a language knows how to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic, Protocol, TypeVar

from parte.semantics.events.event import TraceItem
from parte.semantics.events.trace import trace_lines


class Case(Protocol):
    """A program and a trace while they are fuzzed. Neither need be valid: an edit may have spoilt them."""

    @property
    def text(self) -> str:
        """The program."""
        ...

    @property
    def lines(self) -> Sequence[str]:
        """The trace, JSON Lines without line ends."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """What the run is asked for beside."""
        ...

    @property
    def summary(self) -> str:
        """How large it is, in a few words, as in "1 rule over A, B; 2 events"."""
        ...


C = TypeVar("C", bound=Case)
Weight = tuple[int, ...]
Edit = Callable[[C], Iterator[C]]


@dataclass(frozen=True, slots=True)
class Menu(Generic[C]):
    """What the cases of a batch may have: drawn at random, and how often it is taken where all of it is expressed."""

    name: str
    drawn: Callable[[Random], Iterable[C]]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Generation(Generic[C]):
    """How cases of a language are drawn, varied and made small.

    `varied` changes a trace a little. `edits` leave something out or make it plainer, from bold to fine; `weight` is
    what makes a case hard to read, the worst first; `renamed` gives it names as a person would. `clauses` are what
    every case follows from. `remedies` take one thing each away from a case that engines get wrong: which of them help
    tells the causes of divergences apart (`causes`).
    """

    menus: Sequence[Menu[C]]
    varied: Callable[[C, Random], C]
    edits: Sequence[Edit[C]]
    weight: Callable[[C], Weight]
    renamed: Callable[[C], C]
    clauses: tuple[str, ...]
    remedies: Mapping[str, Callable[[C], C]] = field(default_factory=dict)


def shown(case: Case) -> str:
    """The program and the trace as text."""
    options = "".join(f"option {name}: {value}\n" for name, value in case.options.items())
    return case.text + options + "".join(f"{line}\n" for line in case.lines)


Tree_co = TypeVar("Tree_co", covariant=True)


@dataclass(frozen=True, slots=True)
class EventCase(Generic[Tree_co]):
    """A program as a tree, and a trace of events and promises in order of arrival.

    Languages that have such traces derive their cases from this: `variation` and `trace_edits` work on it.
    """

    program: Tree_co
    items: tuple[TraceItem, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The trace, JSON Lines without line ends."""
        return tuple(trace_lines(self.items))

    @property
    def options(self) -> Mapping[str, str]:
        """None: the languages with such traces have none."""
        return {}
