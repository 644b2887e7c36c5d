"""A language, as the machinery sees it that knows none: one record is all that there is to know of it.

What costs something to make is a function, which imports when it is called: to name the languages that there are costs
nothing. docs/adding-a-language.md shows a whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from parte.conformance.casefiles.cases import Notation
from parte.conformance.engines.registry import Engines
from parte.conformance.fixtures import Fixture
from parte.conformance.fuzz.cases import C as C
from parte.conformance.fuzz.cases import Generation
from parte.conformance.protocol import Engine
from parte.semantics.events.differences import Key
from parte.semantics.rulebook.registry import Rule

if TYPE_CHECKING:
    from parte.conformance.mutants import Mutant

Json = Any
P = TypeVar("P")
"""The programs of a language, checked."""


@dataclass(frozen=True, slots=True)
class Syntax(Generic[P]):
    """How programs are read, and how matches are compared.

    `parse` raises ProgramError with all that is wrong with a text. `tree` is a program in JSON, as engines are given
    it. `key` says what two reports of a match of that program have in common. `codes` are the diagnostic codes.
    """

    parse: Callable[[str], P]
    tree: Callable[[P], Json]
    key: Callable[[P], Key]
    codes: Sequence[str]


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
    - `traits`: the profiles that it has reason to be in.
    - `blamed`: for missing and spurious matches of an engine, the rule whose effect it contradicts, and in a sentence
      which step of `sound` that is; None if there is no such step.
    """

    fired: Callable[[Fixture, str], Collection[str]]
    traits: Callable[[Fixture], Collection[str]]
    blamed: Callable[[Fixture, Sequence[Json], Sequence[Json]], tuple[str, str] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Language(Generic[P, C]):
    """A language by its name and the ending of its programs, and what there is for it.

    Of the text that states it, `source` is what sections are cited of, as D.

    Its suite is in the folder `suite`, in case files that write matches in a `notation`. Cases ask of an engine one of
    the `profiles`, which is the order in which reports show them; of those that fit, a case is in the first of
    `precedence`. `example` is what engines are tried with first.

    `engines` are the evaluators of the definition, the machines, and foreign engines; what is recorded of these is in
    the folder `recorded` (`engines.summary`). What the engine `definition` says is true. `confirming` are engines that
    must say so too, each with the circumstances, as in "under the schedule round-robin"; fewer for a case that was
    admitted.

    `rules` are the inference rules by id, in the order of the source, with those `unreachable` that no case can
    exercise in `sound`, and why. `measures` run a case, `mutants` err in one way each
    (which case tells each is kept in the folder `killers`), `published` errs in all ways in
    which the source does, if it does, and `generation` draws cases and makes them small.
    """

    name: str
    ending: str
    source: str
    suite: Path
    notation: Notation
    profiles: tuple[str, ...]
    precedence: tuple[str, ...]
    example: Example
    syntax: Callable[[], Syntax[P]]
    engines: Callable[[], Engines]
    recorded: Path
    definition: str
    confirming: Callable[[bool], Iterable[tuple[str, Engine]]]
    rules: Callable[[], Mapping[str, Rule]]
    unreachable: Mapping[str, str]
    measures: Callable[[], Measures]
    mutants: Callable[[], Sequence[Mutant]]
    killers: Path
    published: Callable[[], Mutant | None]
    generation: Callable[[], Generation[C]]
