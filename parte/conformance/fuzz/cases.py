"""The subject matter of fuzzing: programs with traces that a language can draw, vary and shrink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from parte.conformance.fuzz.draw import Draw
from parte.semantics.events.event import TraceItem
from parte.semantics.events.trace import trace_lines


class Case(Protocol):
    """A program and a trace while they are fuzzed, as a frozen dataclass. Either may be invalid after an edit."""

    @property
    def program(self) -> Any:
        """The tree of the program."""
        ...

    @property
    def items(self) -> tuple[Any, ...]:
        """The items of the trace, each with a `template` and a `timestamp`."""
        ...

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
        """The options of the run."""
        ...

    @property
    def summary(self) -> str:
        """The size of the case in a few words, as in "1 rule over A, B; 2 events"."""
        ...


C = TypeVar("C", bound=Case)
Weight = tuple[int, ...]
Edit = Callable[[C], Iterator[C]]


@dataclass(frozen=True, slots=True)
class Menu(Generic[C]):
    """The constructs that the cases of a batch may use: a function that draws the cases of one program, and the
    relative frequency of the menu while an engine supports all of it."""

    name: str
    drawn: Callable[[Draw], Iterable[C]]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Generation(Generic[C]):
    """The functions with which the cases of a language are drawn, varied and shrunk.

    `varied` changes a trace a little. `clauses` are the clauses that every case follows from. Each of the `remedies`
    removes one thing from a case that engines get wrong: the remedies that help distinguish the causes of divergences
    (`causes`).

    Cases shrink as the types of their trees allow (`shrinking`). A language adds: `leaves`, the plainest nodes; `easy`,
    the members of enumerations that are plainer than those before them; `mended`, which adapts the rest of a case to a
    change; `edits` that follow from no type; and `renamed`, which gives the smallest case names that a person would
    choose.
    """

    menus: Sequence[Menu[C]]
    varied: Callable[[C, Draw], C]
    clauses: tuple[str, ...]
    remedies: Mapping[str, Callable[[C], C]] = field(default_factory=dict)
    leaves: tuple[object, ...] = ()
    easy: frozenset[Enum] = frozenset()
    mended: Callable[[C], C] = lambda case: case
    edits: Sequence[Edit[C]] = ()
    renamed: Callable[[C], C] = lambda case: case

    def drawn(self, draw: Draw) -> C:
        """Return a case of a menu."""
        return next(iter(draw.one_of(*((menu.weight, partial(menu.drawn, draw)) for menu in self.menus))))


def case_text(case: Case) -> str:
    """Return the program, the options and the trace as text."""
    options = "".join(f"option {name}: {value}\n" for name, value in case.options.items())
    return case.text + options + "".join(f"{line}\n" for line in case.lines)


Tree_co = TypeVar("Tree_co", covariant=True)


@dataclass(frozen=True, slots=True)
class EventCase(Generic[Tree_co]):
    """A program as a tree, and a trace of events and promises in order of arrival.

    Languages that have such traces derive their cases from this: `variation` works on it.
    """

    program: Tree_co
    items: tuple[TraceItem, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The trace, JSON Lines without line ends."""
        return tuple(trace_lines(self.items))

    @property
    def options(self) -> Mapping[str, str]:
        """No options: the languages with such traces have none."""
        return {}
