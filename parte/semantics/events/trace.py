"""Reading and writing traces: JSON Lines of events and promises of progress, in arrival order
(specification: trace-items, trace-files).

This needs no program: `parte.semantics.events.conformity` checks a trace against a program, and
`parte.semantics.events.promises` checks whether the events keep the promises.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import overload

from parte.semantics.events.event import Event, Progress, TraceItem, Value
from parte.semantics.events.files import UnusableFile, check_kind
from parte.semantics.events.ids import Ids
from parte.semantics.events.match import PRODUCTION_SOURCE
from parte.semantics.events.mistaken import mistaken
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.semantics.events.strictjson import MalformedJson, decode, quoted
from parte.semantics.events.timestamps import to_timestamp
from parte.semantics.events.units import Units
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER, Unfit, describe

MAX_LINE = 2**20
"""Maximum length of a line in characters: longer lines are a mistake, or an attempt to exhaust memory."""
MAX_SKIPPED = 2**28
"""Number of characters of a line after which the reader stops looking for its end."""

DEFAULT_FILENAME = "trace.jsonl"
DEFAULT_SOURCE = "default"

_EVENT_KEYS = frozenset({"id", "template", "timestamp", "source", "attributes"})
_PROGRESS_KEYS = frozenset({"source", "template", "progress"})
_KEYS_SHOWN = 8
_OBJECT_HINT = "every line of a trace is one JSON object"
_EVENT_HINT = (
    'an event is {"id": …, "template": …, "timestamp": …, "source": …, "attributes": {…}}; '
    "id, source and attributes may be left out"
)
_FLAT_HINT = (
    "the keys of an event are id, template, timestamp, source and attributes; what else it has stands in an object "
    'under attributes: {"template": …, "timestamp": …, "attributes": {"room": "north"}}'
)
_RAW_HINT = (
    "is it a raw log? `parte log` makes a trace of it, by a mapping, and `parte log --suggest RAW` writes the mapping; "
    f"{_FLAT_HINT}"
)
_PROGRESS_HINT = 'a progress line is {"source": …, "template": …, "progress": …}'
_TIMESTAMP_HINT = (
    "write integer milliseconds since 1970-01-01T00:00:00Z, or an ISO 8601 time with its offset and at most three "
    'decimals, such as "2018-01-01T08:00:00.250Z"'
)


Numbered = tuple[int, dict[str, object]]
"""An object with the number of its line."""


@dataclass(frozen=True, slots=True)
class Trace(Sequence[TraceItem]):
    """The items of a trace in arrival order; immutable. `filename` is for messages only.

    `doubt` is a warning that its timestamps may be of a wrong unit (`Units.doubt`), or empty.
    """

    items: tuple[TraceItem, ...]
    filename: str = field(default=DEFAULT_FILENAME, compare=False)
    doubt: str = field(default="", compare=False)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events alone."""
        return tuple(item for item in self.items if isinstance(item, Event))

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> TraceItem: ...

    @overload
    def __getitem__(self, index: slice) -> Trace: ...

    def __getitem__(self, index: int | slice) -> TraceItem | Trace:
        return Trace(self.items[index], self.filename, self.doubt) if isinstance(index, slice) else self.items[index]

    def __iter__(self) -> Iterator[TraceItem]:
        return iter(self.items)


def read_trace(lines: str | Iterable[str], *, filename: str = DEFAULT_FILENAME, nulls: bool = False) -> Trace:
    """Return the trace in the lines; `filename` is for messages only. A single string is split at line feeds.

    Raise TraceError with all problems. White lines are skipped but counted. With `nulls` the value of an attribute may
    be null (None), as of an optional attribute of PARTElang; `conform` leaves it out.
    """
    reader = LineReader(filename, nulls=nulls)
    items = [item for number, line in _numbered(lines) if (item := reader.read(line, number)) is not None]
    if reader.problems:
        raise TraceError(reader.problems)
    return Trace(tuple(items), filename, reader.units.doubt())


def read_records(lines: str | Iterable[str], *, filename: str = DEFAULT_FILENAME) -> list[Numbered]:
    """Return the JSON objects in the lines, for languages with their own items.

    Raise TraceError if a line has no object.
    """
    reader = LineReader(filename, _OBJECT_HINT)
    records = [
        (number, record) for number, line in _numbered(lines) if (record := reader.record(line, number)) is not None
    ]
    if reader.problems:
        raise TraceError(reader.problems)
    return records


def _numbered(lines: str | Iterable[str]) -> Iterator[tuple[int, str]]:
    """Return the lines that are not white, with their numbers."""
    for number, line in enumerate(lines.split("\n") if isinstance(lines, str) else lines, 1):
        if number == 1:
            line = line.removeprefix("\ufeff")
        if line and not line.isspace():
            yield number, line


def load_trace(path: str | PathLike[str], *, nulls: bool = False) -> Trace:
    """Return the trace in a file (UTF-8), which may be a named pipe; `nulls` as of `read_trace`.

    Raise TraceError, or OSError if the file cannot be read.
    """
    check_kind(path, streams=True)
    # A byte that is not UTF-8 must become a problem with a line number, not an exception without one. Only a line feed
    # ends a line: JSON strings may contain the other line ends of Python.
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        return read_trace(bounded_lines(file.readline), filename=Path(path).name, nulls=nulls)


def bounded_lines(readline: Callable[[int], str]) -> Iterator[str]:
    """Return the lines of a file, each cut just beyond `MAX_LINE`, so that no longer line is ever in memory.

    Raise UnusableFile for a line that seems to have no end.
    """
    number = 0
    while line := readline(MAX_LINE + 1):
        number += 1
        yield line
        skipped = 0
        while len(line) > MAX_LINE and not line.endswith("\n"):
            skipped += len(line)
            if skipped > MAX_SKIPPED:
                raise UnusableFile(None, f"line {number} has more than {MAX_SKIPPED:,} characters")
            line = readline(MAX_LINE + 1)


class LineReader:
    """Turns lines into items, and collects ids, problems and the apparent units of timestamps.

    With `nulls` the value of an attribute may be null.
    """

    def __init__(
        self,
        filename: str,
        hint: str = _EVENT_HINT,
        ids: Ids | None = None,
        units: Units | None = None,
        *,
        nulls: bool = False,
    ) -> None:
        self.filename = filename
        self.nulls = nulls
        self.hint = hint
        self.problems = Problems()
        self.lines: Ids = {} if ids is None else ids  # the line of the first use of each id
        self.units = Units() if units is None else units
        self.line = 0
        self._begun = False

    def read(self, line: str, number: int) -> TraceItem | None:
        """Return the item on the line, or None after a problem."""
        record = self.record(line, number)
        if record is None:
            return None
        before = self.problems.count_of_all
        item = self._progress(record) if "progress" in record else self._event(record)
        return item if self.problems.count_of_all == before else None

    def record(self, line: str, number: int) -> dict[str, object] | None:
        """Return the object on the line, or None after a problem.

        Raise TraceError if the first line shows that the file is not a trace.
        """
        self.line = number
        first, self._begun = not self._begun, True
        if len(line) > MAX_LINE:
            self._problem(f"the line is longer than {MAX_LINE} characters", "write one event a line")
            return None
        try:
            record = decode(line)
        except MalformedJson as error:
            self._no_trace(line, first)
            self._problem(error.message, _OBJECT_HINT)
            return None
        if type(record) is not dict:
            self._no_trace(line, first)
            self._problem(f"expected a JSON object, found {describe(record)}", self.hint)
            return None
        return record

    def _no_trace(self, line: str, first: bool) -> None:
        """Raise TraceError if the first line shows that the file has another format."""
        problem = mistaken(line) if first else None
        if problem is not None:
            self._problem(*problem)
            raise TraceError(self.problems)

    def _event(self, record: dict[str, object]) -> Event:
        if not _EVENT_KEYS.issuperset(record):
            self._unknown_keys(record, _EVENT_KEYS, "an event", _EVENT_HINT)
        number = self.line
        id_ = self._name(record, "id", f"e{number}", _EVENT_HINT)
        earlier = self.lines.setdefault(id_, number)
        if earlier != number:
            self._problem(
                f"the event id {quoted(id_)} is used on line {earlier} already",
                "an id is the identity of one event; leave ids out to have them numbered",
            )
        attributes = record.get("attributes")
        if attributes is None and "attributes" not in record:
            attributes = {}
        elif type(attributes) is not dict:
            self._problem(f'"attributes": expected an object, found {describe(attributes)}', _EVENT_HINT)
            attributes = {}
        for name, value in attributes.items():
            kind = type(value)
            if kind is str or kind is bool:
                continue
            if (kind is int and LEAST_INTEGER <= value <= GREATEST_INTEGER) or (kind is float and isfinite(value)):
                continue
            if value is None and self.nulls:
                continue
            attributes[name] = self._attribute(name, value)
        return Event(
            id_,
            self._name(record, "template", None, _EVENT_HINT),
            self._timestamp(record, "timestamp", _EVENT_HINT),
            attributes,
            self._source(record, _EVENT_HINT),
            number,
        )

    def _progress(self, record: dict[str, object]) -> Progress:
        if not _PROGRESS_KEYS.issuperset(record):
            self._unknown_keys(record, _PROGRESS_KEYS, "a progress line", _PROGRESS_HINT)
        return Progress(
            self._source(record, _PROGRESS_HINT),
            self._name(record, "template", None, _PROGRESS_HINT),
            self._timestamp(record, "progress", _PROGRESS_HINT),
            self.line,
        )

    def _name(self, record: dict[str, object], key: str, default: str | None, hint: str) -> str:
        value = record.get(key, default)
        if type(value) is str and value:
            return value
        if value is None and key not in record:
            self._problem(f"the key {quoted(key)} is missing", hint)
        else:
            self._problem(f"{quoted(key)}: expected a string that is not empty, found {describe(value)}", hint)
        return ""

    def _source(self, record: dict[str, object], hint: str) -> str:
        source = self._name(record, "source", DEFAULT_SOURCE, hint)
        if source.startswith(PRODUCTION_SOURCE):
            self._problem(
                f"the source {quoted(source)} begins with {quoted(PRODUCTION_SOURCE)}, which only emitted events do",
                "give the source another name",
            )
        return source

    def _timestamp(self, record: dict[str, object], key: str, hint: str) -> int:
        if key not in record:
            self._problem(f"the key {quoted(key)} is missing", hint)
            return 0
        try:
            time = to_timestamp(record[key])
        except Unfit as error:
            self._problem(f"{quoted(key)}: {error}", _TIMESTAMP_HINT)
            return 0
        self.units.see(time, self.line, written=record[key])
        return time

    def _attribute(self, name: str, value: object) -> Value:
        """Return a list as a tuple; report any other value."""
        if type(value) is list:
            unfit = next((item for item in value if not _scalar(item)), None)
            if unfit is None and None not in value:
                return tuple(value)
            value, what = unfit, f"in the list of attribute {quoted(name)}"
        else:
            what = f"attribute {quoted(name)}"
        if type(value) is int:
            message, hint = "which lies outside the signed 64-bit range", "use a Float, or a String for an identifier"
        elif type(value) is float:
            message, hint = "which is beyond the finite binary64 numbers", "use a String, or a smaller number"
        else:
            message = "which no attribute can hold"
            hint = "attributes are integers, numbers, strings, Booleans, or lists of these"
        self._problem(f"{what}: found {describe(value)}, {message}", hint)
        return ""

    def _unknown_keys(self, record: dict[str, object], known: frozenset[str], what: str, hint: str) -> None:
        unknown = [key for key in record if key not in known]
        listed = [quoted(key) for key in unknown[:_KEYS_SHOWN]]
        listed += [f"{len(unknown) - _KEYS_SHOWN} more"] if len(unknown) > _KEYS_SHOWN else []
        near = get_close_matches(unknown[0][:20], sorted(known - record.keys()), 1, 0.8)
        if known is _EVENT_KEYS and record.keys().isdisjoint(("template", "timestamp")):
            hint = _RAW_HINT
        elif near:
            hint = f"did you mean {quoted(near[0])}?"
        elif known is _EVENT_KEYS:
            hint = _FLAT_HINT
        keys = listed[0] if len(unknown) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
        self._problem(f"{what} has no key{'s' * (len(unknown) > 1)} {keys}", hint)

    def _problem(self, message: str, hint: str) -> None:
        self.problems.append(Problem(self.filename, self.line, message, hint))


def _scalar(value: object) -> bool:
    if type(value) is int:
        return LEAST_INTEGER <= value <= GREATEST_INTEGER
    if type(value) is float:
        return isfinite(value)
    return type(value) is str or type(value) is bool


def trace_lines(items: Iterable[TraceItem]) -> Iterator[str]:
    """Return the items as lines of JSON, without line ends; `read_trace` returns equal items."""
    for item in items:
        record: dict[str, object]
        if isinstance(item, Event):
            record = {
                "id": item.id,
                "template": item.template,
                "timestamp": item.timestamp,
                "source": item.source,
                "attributes": dict(item.attributes),
            }
        else:
            record = {"source": item.source, "template": item.template, "progress": item.timestamp}
        yield json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
