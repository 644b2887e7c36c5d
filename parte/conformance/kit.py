"""The interface of a language to the conformance kit: its suite, its engines, its mutants, and how cases are drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from parte.conformance.casefiles.cases import Notation
from parte.conformance.engines.own import RunnerEngine, own
from parte.conformance.engines.registry import Engines, engine_called, found_engines
from parte.conformance.exchange import Shapes
from parte.conformance.fixtures import Fixture
from parte.conformance.fuzz.cases import C as C
from parte.conformance.fuzz.cases import Case, Generation
from parte.conformance.mutants import Mutant
from parte.conformance.protocol import Engine
from parte.languages.language import Facet, lazy
from parte.semantics.rulebook.models import DEFINITION, SOUND
from parte.semantics.source.packages import data_file

Json = Any


@dataclass(frozen=True, slots=True)
class Renaming:
    """The meaning of an engine's own ids of emitted events: `rename` returns a reported match in which each such id is
    replaced by a name of the emission. `clash` names an id that stands for two events, if there is one, and is
    ambiguous then."""

    rename: Callable[[Json], Json]
    clash: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A program, a trace in which it has one match, that match, and a text that is not a program: a first test of
    engines."""

    program: str
    trace: tuple[Json, ...]
    match: Json
    invalid: str


@dataclass(frozen=True, slots=True)
class Measures:
    """Measurements of a case that run it.

    - `fired`: the ids of the rules that fire when a model runs the case, which must not expect a rejection.
    - `constructs`: the profiles that fit an accepted case, beside the plainest, `core`, and beside extensions.
    - `blamed`: for missing and spurious matches of an engine, the rule whose effect they contradict, and a sentence
      that says which step of `sound` that is; None if there is no such step.
    - `extensions`: the extensions of the language that a case needs, which may expect a rejection.
    """

    fired: Callable[[Fixture, str], Collection[str]]
    constructs: Callable[[Fixture], Iterable[str]]
    blamed: Callable[[Fixture, Sequence[Json], Sequence[Json]], tuple[str, str] | None]
    extensions: Callable[[Fixture], Collection[str]] = lambda _: ()

    def traits(self, case: Fixture) -> frozenset[str]:
        """Return the profiles that fit a case."""
        rejected = case.expected.rejected is not None
        plain = {"rejects"} if rejected else set(self.constructs(case)) or {"core"}
        return frozenset(plain.union(self.extensions(case)))


@dataclass(frozen=True, slots=True, eq=False)
class Kit(Generic[C]):
    """The part of a language in the conformance kit. Function fields import their code when they are called (`lazy`).

    The suite is in the folder `suite`, in case files that write matches in a `notation`; cases exported as JSON have
    the `shapes`. Cases in the areas `drawn` were drawn at random, and explain an error less well than those written by
    hand. Each case has one of the `profiles`, which reports show in this order; if several fit, a case is in the last
    of them, unless the language `prefers` an order. `example` is the first test of an engine. The profiles
    `extensions` are those of later levels of the language: a case that needs one is in it, and digests keep them apart.

    `engines` are the evaluators of the definition, the machines, and foreign engines; the recorded results of foreign
    engines are in the folder `recorded` (`engines.summary`). The answers of the engine `definition` are the expected
    ones. `confirming` are engines that must give the same answers, each with the circumstances, as in "under the
    schedule round-robin"; fewer for an admitted case. If the language names none, `sound` must.

    `measures` run a case, each of the `mutants` has one error (the case that kills each is recorded in the folder
    `killers`), `published` has all errors of the source, if there are any, and `generation` draws cases and shrinks
    them. `renaming` takes matches and a trace; it is None for a language without emitted events that programs bind.
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
    extensions: tuple[str, ...] = ()
    confirming: Callable[[], Callable[[bool], Iterable[tuple[str, Engine]]]] | None = None

    @property
    def precedence(self) -> tuple[str, ...]:
        """Return the profiles in order of precedence: a case belongs to the first one that fits."""
        return self.prefers or self.profiles[::-1]

    def confirmed_by(self, again: bool) -> Iterable[tuple[str, Engine]]:
        """Return the engines that must give the same answers as the definition."""
        return [("", engine_called(self.engines(), SOUND))] if self.confirming is None else self.confirming()(again)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the project's own engines: evaluators and machines."""
        return tuple(name for name, listed in self.engines().items() if not listed.extra)


def kit_of(
    guest: str,
    engine: type[RunnerEngine],
    *,
    notation: Notation,
    profiles: tuple[str, ...],
    example: Example,
    published: str | None = "conformance.mutants:AS_PUBLISHED",
    confirming: str | None = None,
) -> Kit[C]:
    """Return the kit of a guest, the package `guest`, whose parts are in the usual modules of its role.

    `published` and `confirming` are the places of these in the package, if it has them.
    """
    folder = data_file(guest, "conformance")
    return Kit(
        suite=data_file(guest, "suite"),
        notation=notation,
        shapes=lazy(f"{guest}.conformance.notation:SHAPES"),
        drawn=("breadth",),
        profiles=profiles,
        example=example,
        engines=lambda: {**own(engine), **found_engines(f"{guest}.conformance.engines")},
        recorded=folder,
        definition=DEFINITION,
        measures=lazy(f"{guest}.conformance.measure:MEASURES"),
        mutants=lazy(f"{guest}.conformance.mutants:mutants()"),
        killers=folder / "mutants",
        published=(lambda: None) if published is None else lazy(f"{guest}.{published}"),
        generation=lazy(f"{guest}.conformance.generation:GENERATION"),
        confirming=None if confirming is None else lazy(f"{guest}.{confirming}"),
    )


KIT: Facet[Kit[Case]] = Facet("kit", "part in the conformance kit")
