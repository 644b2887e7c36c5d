"""A language, as the machinery and the commands see it that know none: one record is all that there is to know of it.

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
from parte.conformance.exchange import Shapes
from parte.conformance.fixtures import Fixture
from parte.conformance.fuzz.cases import C as C
from parte.conformance.fuzz.cases import Generation
from parte.conformance.protocol import Engine
from parte.semantics.events.differences import Key
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.registry import Rule
from parte.semantics.source.diagnostics import Diagnostic, ProgramError

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.conformance.mutants import Mutant
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue

Json = Any
P = TypeVar("P")
"""The programs of a language, checked."""


class LayoutBug(RuntimeError):
    """What a printer writes is not read as what it was given: PARTE is wrong, not the program."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What an engine's own ids of emitted events stand for: `rename` makes a report of one in which these are known by
    what emits them. `clash` says which id stands for two events, if one does: nobody knows then which is meant.
    """

    rename: Callable[[Json], Json]
    clash: str = ""


@dataclass(frozen=True, slots=True)
class Syntax(Generic[P]):
    """How programs are read and written, and how matches are compared and shown.

    `parse` raises ProgramError with all that is wrong with a text. `source` reads a text as far as its layout needs it:
    two sources are equal if their trees are, whatever their comments and places. `layout` is the text of a source.
    `warnings` are what else there is to say of a program. `tree` is a program in JSON, as engines are given it, and
    `schema` the JSON Schema of that. `key` says what two reports of a match of that program have in common; `shown` are
    matches in canonical order, a line of JSON each. `codes` are the diagnostic codes. `renaming` is of matches and a
    trace, None for a language without events that a program emits and binds.
    """

    parse: Callable[[str], P]
    source: Callable[[str], Any]
    layout: Callable[[Any], str]
    warnings: Callable[[P], Sequence[Diagnostic]]
    tree: Callable[[P], Json]
    schema: Callable[[], Json]
    key: Callable[[P], Key]
    shown: Callable[[Iterable[Json]], list[str]]
    codes: Sequence[str]
    renaming: Callable[[Sequence[Json], Sequence[Json]], Renaming] | None = None

    def printed(self, text: str) -> str:
        """A text in canonical layout. ProgramError with what is wrong with it; LayoutBug instead of another program."""
        source = self.source(text)
        printed = self.layout(source)
        try:
            same = self.source(printed) == source
        except ProgramError as error:
            raise LayoutBug(f"the canonical layout of this program is no program: {error}") from error
        if not same:
            raise LayoutBug("the canonical layout of this program is another program")
        return printed


@dataclass(frozen=True, slots=True)
class Example:
    """A program with a trace in which it finds one match, and a text that is no program: a first test of engines."""

    program: str
    trace: tuple[Json, ...]
    match: Json
    invalid: str


@dataclass(frozen=True, slots=True)
class Listing:
    """How rules are listed: the ids below each heading, what draws a rule in the models in which it looks alike, and
    the repairs that turn `published` into `sound`, with what each does."""

    headings: Mapping[str, Sequence[str]]
    figures: Callable[[str], Sequence[tuple[Sequence[str], Figure]]]
    repairs: Mapping[str, str]


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

    Its suite is in the folder `suite`, in case files that write matches in a `notation`; exported as JSON, cases have
    the `shapes`. Cases in the areas `drawn` were drawn at random, and say less about an error than those that somebody
    wrote for it. Cases ask of an engine one of the `profiles`, which is the order in which reports show them; of those
    that fit, a case is in the first of `precedence`. `example` is what engines are tried with first.

    `engines` are the evaluators of the definition, the machines, and foreign engines; what is recorded of these is in
    the folder `recorded` (`engines.summary`). What the engine `definition` says is true. `confirming` are engines that
    must say so too, each with the circumstances, as in "under the schedule round-robin"; fewer for a case that was
    admitted.

    `rules` are the inference rules by id, in the order of the source, with those `unreachable` that no case can
    exercise in `sound`, and why; `listing` says how they are shown. `check` decides what a text guarantees before a
    run, with so many seconds for a question to a solver, and raises ProgramError; `lemmas` are what is proved about
    the rules, and `controls` the faults that are put to them: None where a language has no such thing. `measures`
    run a case, `mutants` err in one way each (which case tells each is kept in the folder `killers`), `published`
    errs in all ways in which the source does, if it does, and `generation` draws cases and makes them small.

    `commands` names the module that holds those commands of the language (`COMMANDS`, functions by name) that do more
    than the general ones (`parte.commands.general`), or what those do not: drawings, say, have nothing in common.
    """

    name: str
    ending: str
    source: str
    suite: Path
    notation: Notation
    shapes: Callable[[], Shapes]
    drawn: tuple[str, ...]
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
    listing: Callable[[], Listing]
    check: Callable[[str, float], Report] | None
    lemmas: Callable[[], Catalogue] | None
    measures: Callable[[], Measures]
    mutants: Callable[[], Sequence[Mutant]]
    killers: Path
    published: Callable[[], Mutant | None]
    generation: Callable[[], Generation[C]]
    commands: str = ""
    controls: Callable[[], Subject] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The engines that are the project's own: evaluators and machines."""
        return tuple(name for name, listed in self.engines().items() if not listed.extra)
