"""What the conformance kit asks of a language: its suite, its engines, its mutants, and how cases are drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from parte.conformance.casefiles.cases import Notation
from parte.conformance.engines.registry import Engines, engine_called
from parte.conformance.exchange import Shapes
from parte.conformance.fixtures import Fixture
from parte.conformance.fuzz.cases import C as C
from parte.conformance.fuzz.cases import Case, Generation
from parte.conformance.mutants import Mutant
from parte.conformance.protocol import Engine
from parte.languages.language import Facet
from parte.semantics.rulebook.models import SOUND

Json = Any


@dataclass(frozen=True, slots=True)
class Renaming:
    """What an engine's own ids of emitted events stand for: `rename` makes a report of one in which these are known by
    what emits them. `clash` says which id stands for two events, if one does: nobody knows then which is meant.
    """

    rename: Callable[[Json], Json]
    clash: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A program with a trace in which it finds one match, and a text that is no program: a first test of engines."""

    program: str
    trace: tuple[Json, ...]
    match: Json
    invalid: str


@dataclass(frozen=True, slots=True)
class Measures:
    """What can be said of a case by running it.

    - `fired`: the ids of the rules that fire when a model runs it, which is no case of a rejection.
    - `constructs`: the profiles that a case that is accepted has reason to be in, beside the plainest, `core`.
    - `blamed`: for missing and spurious matches of an engine, the rule whose effect it contradicts, and in a sentence
      which step of `sound` that is; None if there is no such step.
    """

    fired: Callable[[Fixture, str], Collection[str]]
    constructs: Callable[[Fixture], Iterable[str]]
    blamed: Callable[[Fixture, Sequence[Json], Sequence[Json]], tuple[str, str] | None]

    def traits(self, case: Fixture) -> frozenset[str]:
        """Return the profiles that a case has reason to be in."""
        if case.expected.rejected is not None:
            return frozenset({"rejects"})
        return frozenset(self.constructs(case)) or frozenset({"core"})


@dataclass(frozen=True, slots=True, eq=False)
class Kit(Generic[C]):
    """The part of a language in the conformance kit. What is a function is imported when it is called (`lazy`).

    Its suite is in the folder `suite`, in case files that write matches in a `notation`; exported as JSON, cases have
    the `shapes`. Cases in the areas `drawn` were drawn at random, and say less about an error than those that somebody
    wrote for it. Cases ask of an engine one of the `profiles`, which is the order in which reports show them; of those
    that fit, a case is in the last, unless the language `prefers` an order. `example` is what engines are tried with
    first.

    `engines` are the evaluators of the definition, the machines, and foreign engines; what is recorded of these is in
    the folder `recorded` (`engines.summary`). What the engine `definition` says is true. `confirming` are engines that
    must say so too, each with the circumstances, as in "under the schedule round-robin"; fewer for a case that was
    admitted. If the language names none, `sound` must.

    `measures` run a case, `mutants` err in one way each (which case tells each is kept in the folder `killers`),
    `published` errs in all ways in which the source does, if it does, and `generation` draws cases and makes them
    small. `renaming` is of matches and a trace, None for a language without events that a program emits and binds.
    """

    suite: Path
    notation: Notation
    shapes: Callable[[], Shapes]
    drawn: tuple[str, ...]
    profiles: tuple[str, ...]
    example: Example
    engines: Callable[[], Engines]
    recorded: Path
    definition: str
    measures: Callable[[], Measures]
    mutants: Callable[[], Sequence[Mutant]]
    killers: Path
    published: Callable[[], Mutant | None]
    generation: Callable[[], Generation[C]]
    renaming: Callable[[Sequence[Json], Sequence[Json]], Renaming] | None = None
    prefers: tuple[str, ...] = ()
    confirming: Callable[[], Callable[[bool], Iterable[tuple[str, Engine]]]] | None = None

    @property
    def precedence(self) -> tuple[str, ...]:
        """The profiles, in the order in which a case is in the first that fits."""
        return self.prefers or self.profiles[::-1]

    def confirmed_by(self, again: bool) -> Iterable[tuple[str, Engine]]:
        """Return the engines that must say what the definition says."""
        return [("", engine_called(self.engines(), SOUND))] if self.confirming is None else self.confirming()(again)

    @property
    def models(self) -> tuple[str, ...]:
        """The engines that are the project's own: evaluators and machines."""
        return tuple(name for name, listed in self.engines().items() if not listed.extra)


KIT: Facet[Kit[Case]] = Facet("kit", "part in the conformance kit")
