"""The services of a language for `parte test` beyond running programs: reasons why a rule has no match, edits of
rules, and traces on which a rule and an edit differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parte.conformance.casefiles.rule_tests import RuleTest
from parte.languages.language import Facet
from parte.rule_tests.discovery import Program

Json = Any


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons why a rule has a match of some events, or none.

    `matches` is their number, `against` the reasons against the nearest combination of events, each in a line, and
    `report` the whole report of `parte why`.
    """

    matches: int
    against: tuple[str, ...]
    report: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A small edit of a rule: its place, the name of what it is in, its kind, and the text of the part before and
    after, which is empty if it is dropped. `program` is the program with the edit."""

    file: str
    line: int
    column: int
    name: str
    kind: str
    before: str
    after: str
    program: Program

    def __str__(self) -> str:
        changed = f"`{self.before}` becomes `{self.after}`" if self.after else f"without `{self.before}`"
        return f"{self.file}:{self.line}:{self.column}: {self.name}, {self.kind}: {changed}"


@dataclass(frozen=True, slots=True)
class Sample:
    """A trace, and tables for the predicates of a program."""

    trace: tuple[Json, ...]
    domain: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """A program compared with an edit of it.

    `same`: they have the same matches and emit the same events on every trace; None if that was not decided. `samples`
    are samples on which the rules that the edit changes differ.
    """

    same: bool | None
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """The functions of a language.

    `why` takes a program, a test, its trace and domain, a rule (all, if empty) and the events that its variables are
    bound to. It raises LookupError for a rule, a variable or an event that does not exist. `place` returns the file,
    line and column of a rule of a program, with its name. `edits` yields the edits of the rules in the file of a
    program, which may import files from the directories given. `compared` takes a program, an edit, and the seconds for
    a question to the solver. `separating` takes a program, an edit, traces of tests, and samples to be tried first; it
    yields samples on which the rules differ by themselves.
    """

    why: Callable[[Program, RuleTest, Sequence[Json], Mapping[str, Json], str, Mapping[str, str]], Reasons]
    place: Callable[[Program, str], str]
    edits: Callable[[Program, tuple[str, ...]], Iterator[Edit]]
    compared: Callable[[Program, Program, float], Compared]
    separating: Callable[[Program, Program, Sequence[Sample], Sequence[Sample]], Iterator[Sample]]


SUPPORT: Facet[Support] = Facet("rule_tests", "mutants of rules, and no reasons for near misses")
"""The facet of a language for `parte test`, beside its text and its engines."""
