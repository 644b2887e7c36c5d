"""Imported rules: a program of level 2, the mapping of its logs, its tests, and where it differs from the original."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from parte.languages.language import loaded
from parte.logs.mapping import Mapping as LogMapping
from parte.semantics.events.event import Event


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a rule that its program says differently: its place, and the difference."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class ImportedTest:
    """A test that a file brings: events in order of arrival, and whether the rule matches, or how often."""

    name: str
    about: str
    events: tuple[Event, ...]
    matches: bool | int
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of a rule: a query runs each `every` milliseconds over the events of the last `lookback`."""

    every: int
    lookback: int


@dataclass(frozen=True, slots=True)
class Imported:
    """A rule that was read: the text of its program, the mapping of its logs if the format says enough for one, its
    tests, its differences from the original, each also a comment of the program, and the schedule if the file names
    one. `name` begins its files' names."""

    name: str
    place: Place
    program: str
    mapping: LogMapping | None
    tests: tuple[ImportedTest, ...]
    differences: tuple[Difference, ...] = ()
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A rule that cannot be said exactly, or a file that cannot be read: where and why. With `nearest` the importer has
    a program that is near, which `--nearest` writes."""

    name: str
    place: Place
    reason: str
    nearest: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an import: `nearest` permits programs that differ from the original, `tumbling` reads the time
    spans of Sigma's correlations as intervals that follow each other, not as sliding windows."""

    nearest: bool = False
    tumbling: bool = False


Importer = Callable[[Sequence[str], Options], Iterator[Imported | Refused]]
"""Reads the rules of files (paths; folders are given as the files in them), in the order of the files."""

FORMATS: Final[Mapping[str, str]] = {
    "match-recognize": "parte.importers.match_recognize:rules",
    "panther": "parte.importers.panther:rules",
    "sigma": "parte.importers.sigma:rules",
}
"""The places of the importers, by the names of their formats."""

ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "match-recognize": (".sql",),
    "panther": (".yml", ".yaml"),
    "sigma": (".yml", ".yaml"),
}
"""The endings of the files that a folder stands for, by the names of the formats."""


def importer(name: str) -> Importer:
    """Return the importer of a format. Raises KeyError if there is none."""
    return loaded(FORMATS[name])  # type: ignore[return-value]  # a place is a string
