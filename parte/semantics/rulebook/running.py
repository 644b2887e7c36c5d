"""Runs of programs on traces: one interface for the machines and the definitions of every language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from parte.languages.language import Facet
from parte.semantics.events.outcome import Unemitted
from parte.semantics.events.rejection import EventCheck, LineCheck
from parte.semantics.events.trace import DEFAULT_FILENAME
from parte.semantics.rulebook.models import Model

Json = Any
M = TypeVar("M")
P = TypeVar("P")


class Running(ABC, Generic[M]):
    """A machine on a trace that arrives line by line.

    `feed` and `end` yield batches: matches that became certain together, in canonical order. An empty batch marks a
    moment at which `stored` may be read and the run may be stopped. `lines` counts the lines of the trace so far.
    """

    lines: int = 0

    @abstractmethod
    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[M]]:
        """Read more lines: events, and promises where the language has them. TraceError if a line is wrong."""

    @abstractmethod
    def end(self) -> Iterator[Sequence[M]]:
        """End the trace: no source sends anything more."""

    @abstractmethod
    def stored(self) -> Mapping[str, int]:
        """Return how many items each store of the machine holds, by the name of the store."""

    def lost(self) -> Sequence[Unemitted]:
        """Return the emissions without a value, and those suppressed, since the last call."""
        return ()

    def blocked(self) -> str | None:
        """Return the report of a machine that cannot go on, or None."""
        return None


class UnsupportedRun(Exception):
    """A model does not run a program, or not with these options."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of a run. `disorder` is in milliseconds; `name` is the program's name in matches."""

    model: str | Model
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    disorder: int = 0
    name: str = ""
    filename: str = DEFAULT_FILENAME

    @property
    def called(self) -> str:
        """The name of the model."""
        return self.model if isinstance(self.model, str) else self.model.name


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a run: its values, the default first, and its help.

    Without `values` it is the name of an attribute, or none, if `attribute`; else it is a number.
    """

    help: str
    values: tuple[str, ...] = ()
    default: str = ""
    attribute: bool = False

    @property
    def is_number(self) -> bool:
        """True if the value is a number."""
        return not self.values and not self.attribute

    @property
    def usual(self) -> str:
        """The value of a run that does not name the option."""
        return self.default or (self.values[0] if self.values else "")


def _whole_only(_: object, request: Request) -> Running[Json]:
    raise UnsupportedRun(f"{request.called} runs whole traces only")


@dataclass(frozen=True, slots=True)
class Runner(Generic[P]):
    """The functions that run the programs of a language.

    `models` names the definition and the machines, the definition first; those in `whole` run whole traces only.
    `evaluate` returns the matches of a whole trace, by any model; `begin` starts a machine. Both raise TraceError. Like
    `supports`, they raise UnsupportedRun or an exception of `unsupported` for a program or options that the model does
    not run. `failures` are the exceptions of a model that gives up, and `rejections` those of a model that rejects a
    trace, each with a code. `options` are those of the language; `readings` are options that say how a paper is read.
    `check` returns the check of single lines of a trace. `stored` is the plural of what a machine stores. A language
    with `disorder` accepts late events. `in_order` says that a machine finds matches in canonical order.
    """

    models: tuple[str, ...]
    whole: frozenset[str]
    evaluate: Callable[[P, Iterable[str], Request], Sequence[Json]]
    begin: Callable[[P, Request], Running[Json]] = _whole_only
    supports: Callable[[P, Request], object] = lambda *_: None
    check: Callable[[P], LineCheck] = lambda _: EventCheck(None)
    unsupported: tuple[type[Exception], ...] = ()
    failures: tuple[type[Exception], ...] = ()
    rejections: Mapping[type[Exception], str] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, Option] = field(default_factory=lambda: MappingProxyType({}))
    readings: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    stored: str = "partial matches"
    disorder: bool = False
    in_order: bool = True

    @property
    def refusals(self) -> tuple[type[Exception], ...]:
        """The exceptions of a model that does not run something, gives up, or rejects a trace."""
        return (UnsupportedRun, *self.unsupported, *self.failures, *self.rejections)

    def refusal(self, error: Exception, request: Request) -> str:
        """Return the message about one of these exceptions."""
        if isinstance(error, (UnsupportedRun, *self.unsupported)):
            return f"parte {request.called} cannot express this: {error}"
        code = next((code for kind, code in self.rejections.items() if isinstance(error, kind)), "")
        return f"[{code}] {error}" if code else f"parte {request.called}: {error}"


RUN: Facet[Runner[Any]] = Facet("run", "runs of programs on traces")
