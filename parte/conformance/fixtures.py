"""Cases of the suite. People write them in case files (`parte.conformance.casefiles`); the id of a case never
changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from parte.semantics.events.bounds import Bounds, Natural, Positive, Text
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS

BY_HAND = "hand"
"""The origin of cases that a person wrote."""

_MAX_PROGRAM = 2 * MAX_SOURCE_CHARACTERS
"""Characters: more than any program may have, so that a case can test a program that is too long."""

Json = Any
"""A JSON value; cases store traces and matches in their written form, so their type is not known further."""


Object = dict[str, Json]
CASE_ID = "[a-z0-9-]+(/[a-z0-9-]+)+"
LONGEST_CASE_ID = 120
Clause = Annotated[str, Bounds(pattern="^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
RuleId = Annotated[str, Bounds(pattern="^[A-Z][A-Z0-9]*/[A-Z0-9]+(-[A-Z0-9]+)*$")]


class FixtureError(ValueError):
    """A file that does not contain cases; the message names it."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A line of a program that consists of a text repeated `times` times."""

    text: Text
    times: Positive


Line = str | Repeated


@dataclass(frozen=True, slots=True)
class Place:
    """A diagnostic code, and its place: line and column from 1, or for a trace the line alone; for a domain line 1."""

    code: Annotated[str, Bounds(pattern="^[a-z][a-z0-9-]*$")]
    line: Positive
    column: Positive | None = None

    def __str__(self) -> str:
        where = f"line {self.line}" if self.column is None else f"{self.line}:{self.column}"
        return f"{self.code} at {where}"


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected answer of an engine: a rejection, or matches in canonical order.

    `warnings`, `failures` (emissions without a value) and `suppressed` (emissions that `once` suppressed) are compared
    with the answers of engines that report them.
    """

    matches: tuple[Object, ...] = ()
    rejected: Place | None = None
    warnings: tuple[Place, ...] = ()
    failures: tuple[Object, ...] = ()
    suppressed: tuple[Object, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """A case. `program` contains the lines of its text.

    `clauses` are the anchors of the specification that it follows from, `sources` other places that state the same.
    `rules` are the ids of the inference rules that fire in `sound`, which are measured. `since` is the version of the
    suite in which the case was added, `origin` its author: a person, or the name of a generator. `options` are further
    settings of the run, by names of the language. With `shares` an engine runs as each of several processes, which
    report these numbers of matches, and all together the expected ones.
    """

    id: Annotated[str, Bounds(pattern=f"^{CASE_ID}$", longest=LONGEST_CASE_ID)]
    description: Annotated[str, Bounds(shortest=10, longest=200, pattern=r"^[^\n]*[^.\n]$")]
    profile: Annotated[str, Bounds(pattern="^[a-z][a-z0-9-]*$")]
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
    """A version of the suite: its cases by id, in order, and a digest of their content.

    The cases of each extension of the language have a digest of their own, by profile; `digest` leaves them out.
    """

    version: str
    digest: str
    cases: Mapping[str, Fixture]
    extensions: Mapping[str, str] = field(default_factory=dict)

    def select(
        self, profiles: Iterable[str] = (), cases: Iterable[str] = (), without: Iterable[str] = (), since: str = "0.0"
    ) -> tuple[Fixture, ...]:
        """Return the cases of the profiles (all, if none is named) but not of the profiles `without`, with one of the
        ids or in one of the folders of ids, that were added in version `since` of the suite or later.

        KeyError, with the name, if no case matches one of `cases`.
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


def called(version: str, digest: str, extensions: Mapping[str, str]) -> str:
    """Return the name of a suite: its version with its digests, as in `1.2 (93fd606733da99e1, level-2 0f…)`."""
    return f"{version} ({', '.join([digest, *(f'{profile} {of}' for profile, of in extensions.items())])})"


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _named_by(name: str, id_: str) -> bool:
    return id_ == name or id_.startswith(name.removesuffix("/") + "/")


def check_size(program: Iterable[Line]) -> None:
    """Raise FixtureError if a program is far too long, or if a line is repeated less than once."""
    program = tuple(program)
    for line in program:
        if isinstance(line, Repeated) and line.times < 1:
            raise FixtureError(f"expected a line that is repeated at least once, found {line.times} times")
    size = sum(len(line) if isinstance(line, str) else len(line.text) * line.times for line in program)
    if size > _MAX_PROGRAM:
        raise FixtureError(f"the program has {size:,} characters; at most {_MAX_PROGRAM:,} are taken")


def is_case_id(text: str) -> bool:
    """Return whether a text may be the id of a case; such a text is also a relative path without `..`."""
    return len(text) <= LONGEST_CASE_ID and re.fullmatch(CASE_ID, text) is not None
