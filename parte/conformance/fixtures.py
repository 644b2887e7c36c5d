"""Cases of the suite. People write them in case files (`parte.conformance.casefiles`); an id never changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from parte.semantics.events.bounds import Bounds, Natural, Positive, Text
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS

BY_HAND = "hand"
"""The origin of cases that a person wrote."""

_MAX_PROGRAM = 2 * MAX_SOURCE_CHARACTERS
"""Characters: more than any program may have, so that there can be a case of one that is too long."""

Json = Any
"""A value of JSON; cases hold traces and matches as they are written, so nothing more is known of it."""


Object = dict[str, Json]
CASE_ID = "[a-z0-9-]+(/[a-z0-9-]+)+"
LONGEST_CASE_ID = 120
Clause = Annotated[str, Bounds(pattern="^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
RuleId = Annotated[str, Bounds(pattern="^[A-Z][A-Z0-9]*/[A-Z0-9]+(-[A-Z0-9]+)*$")]


class FixtureError(ValueError):
    """A file that holds no cases; the message names it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A line of a program that is some text so many times over."""

    text: Text
    times: Positive


Line = str | Repeated


@dataclass(frozen=True, slots=True)
class Place:
    """A diagnostic code, and where it is reported: line and column from 1, or for a trace its line alone; for a domain
    line 1."""

    code: Annotated[str, Bounds(pattern="^[a-z][a-z-]*$")]
    line: Positive
    column: Positive | None = None

    def __str__(self) -> str:
        where = f"line {self.line}" if self.column is None else f"{self.line}:{self.column}"
        return f"{self.code} at {where}"


@dataclass(frozen=True, slots=True)
class Expected:
    """What an engine must answer: a rejection, or matches in canonical order.

    `warnings` and `failures` (emissions without a value) are held against engines that report such things at all.
    """

    matches: tuple[Object, ...] = ()
    rejected: Place | None = None
    warnings: tuple[Place, ...] = ()
    failures: tuple[Object, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """A case. `program` holds the lines of its text.

    `clauses` are the anchors of the specification that it follows from, `sources` other places that say so. `rules` are
    the ids of the inference rules that fire in `sound`, which are measured. `since` is the version of the suite that
    the case came with, `origin` says who wrote it: a person, or which generator. `options` are what a run is asked for
    beside, by names that the language has. With `shares` an engine is asked as each of so many processes, which report
    so many matches, and all together those that are expected.
    """

    id: Annotated[str, Bounds(pattern=f"^{CASE_ID}$", longest=LONGEST_CASE_ID)]
    description: Annotated[str, Bounds(shortest=10, longest=200, pattern=r"^[^\n]*[^.\n]$")]
    profile: Annotated[str, Bounds(pattern="^[a-z-]+$")]
    since: Annotated[str, Bounds(pattern=r"^[0-9]+\.[0-9]+$")]
    clauses: Annotated[tuple[Clause, ...], Bounds(shortest=1)]
    sources: tuple[str, ...]
    rules: tuple[RuleId, ...]
    origin: Text
    program: tuple[Line, ...]
    domain: Object
    disorder: Natural
    options: dict[str, str]
    trace: tuple[Object, ...]
    expected: Expected
    shares: tuple[Natural, ...] = ()

    @property
    def text(self) -> str:
        """The text of the program."""
        return "\n".join(line if isinstance(line, str) else line.text * line.times for line in self.program)

    @property
    def trace_text(self) -> str:
        """The trace as JSON Lines."""
        return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in self.trace)


@dataclass(frozen=True, slots=True)
class Suite:
    """A version of the suite: its cases by id, in order, and a digest of all that they hold."""

    version: str
    digest: str
    cases: Mapping[str, Fixture]

    def select(
        self, profiles: Iterable[str] = (), cases: Iterable[str] = (), without: Iterable[str] = (), since: str = "0.0"
    ) -> tuple[Fixture, ...]:
        """The cases of some profiles (all, if none is named) but not of those `without`, with some ids or in some
        folders of ids, that came with a version of the suite or later.

        KeyError, with what was named, if nothing has that id.
        """
        profiles, without, named, first = set(profiles), set(without), tuple(cases), _number(since)
        for name in named:
            if not any(_named_by(name, id_) for id_ in self.cases):
                raise KeyError(name)
        return tuple(
            case
            for case in self.cases.values()
            if (not profiles or case.profile in profiles)
            and case.profile not in without
            and _number(case.since) >= first
            and (not named or any(_named_by(name, case.id) for name in named))
        )


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _named_by(name: str, id_: str) -> bool:
    return id_ == name or id_.startswith(name.removesuffix("/") + "/")


def check_size(program: Iterable[Line]) -> None:
    """FixtureError if a program is far too long to be one, or a line of it is not there even once."""
    program = tuple(program)
    for line in program:
        if isinstance(line, Repeated) and line.times < 1:
            raise FixtureError(f"expected a line that is repeated at least once, found {line.times} times")
    size = sum(len(line) if isinstance(line, str) else len(line.text) * line.times for line in program)
    if size > _MAX_PROGRAM:
        raise FixtureError(f"the program has {size:,} characters; at most {_MAX_PROGRAM:,} are taken")


def is_case_id(text: str) -> bool:
    """Whether a case may be called so; if it is, it is also a path, which leads below where it begins."""
    return len(text) <= LONGEST_CASE_ID and re.fullmatch(CASE_ID, text) is not None
