"""Events with intervals, and the stream of a program, from a trace (specification: etalis-data, etalis-trace)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.checking import arities
from parte.languages.etalis.semantics.syntax.values import Number, Value, rank, value_from_json, value_to_json
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.semantics.events.rejection import reason_of
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, LineReader
from parte.semantics.events.values import describe

_HINT = 'an event is {"template": "a", "timestamp": 3, "arguments": [1, "x"]}; arguments may be left out'
_KEYS = frozenset({"template", "timestamp", "arguments"})

Arguments = tuple[Value, ...]


class IntervalEvent(NamedTuple):
    """A ground atom that happens from `start` to `end`."""

    name: str
    arguments: Arguments
    start: Number
    end: Number


def in_order(events: Iterable[IntervalEvent]) -> list[IntervalEvent]:
    """Return events in the order of output: by end, start, name and arguments."""
    return sorted(events, key=lambda event: (event.end, event.start, event.name, tuple(map(rank, event.arguments))))


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in time and the events of the stream at it."""

    time: Number
    atoms: frozenset[tuple[str, Arguments]]


class Stream:
    """The stream of a program while its trace arrives."""

    def __init__(self, program: tree.Program, filename: str = DEFAULT_FILENAME) -> None:
        self._arities = arities(program)
        self._reader = LineReader(filename, _HINT)
        self._lines = 0
        self._time: Number | None = None
        self._atoms: set[tuple[str, Arguments]] = set()

    def more(self, lines: Iterable[str]) -> list[Instant]:
        """Return the instants that are complete after the next lines. Raise TraceError if a line is no event of a
        stream in order of time, or does not fit the program."""
        instants: list[Instant] = []
        for line in lines:
            self._lines += 1
            record = self._reader.record(line, self._lines) if line.strip() else None
            if record is None:
                continue
            try:
                instants += self._next(*_event(record))
            except ValueError as error:
                self._problem(str(error), _HINT)
        if self._reader.problems:
            raise TraceError(self._reader.problems)
        return instants

    def reason(self, line: str) -> str | None:
        """Return why a line is no event of a stream, or does not fit the program, whatever comes before; else None."""
        self._time = None
        try:
            self.more((line,))
        except TraceError as error:
            self._reader.problems = Problems()
            return reason_of(error.problems)
        return None

    def end(self) -> list[Instant]:
        """Return the last instant, if there is one."""
        if self._time is None:
            return []
        last, self._time = Instant(self._time, frozenset(self._atoms)), None
        return [last]

    def _next(self, name: str, arguments: Arguments, time: Number) -> Iterable[Instant]:
        expected = self._arities.get(name, len(arguments))
        if expected != len(arguments):
            self._problem(
                f"expected {expected} arguments, as `{name}` has in the program, found {len(arguments)}",
                "change the trace or the program",
            )
        if self._time is not None and time < self._time:
            before = value_to_json(self._time)
            message = f"the timestamp {value_to_json(time)} is before {before}, that of the event before"
            self._problem(message, "events come in the order of their timestamps; sort the trace")
            return
        if self._time is not None and time > self._time:
            yield Instant(self._time, frozenset(self._atoms))
            self._atoms = set()
        self._time = time
        self._atoms.add((name, arguments))

    def _problem(self, message: str, hint: str) -> None:
        self._reader.problems.append(Problem(self._reader.filename, self._lines, message, hint))


def _event(record: Mapping[str, object]) -> tuple[str, Arguments, Number]:
    """Return the name, the arguments and the time of an event. Raise ValueError if the record is no event."""
    surplus = sorted(record.keys() - _KEYS)
    if surplus:
        raise ValueError(f"unknown keys: {', '.join(map(quoted, surplus))[:200]}")
    name = record.get("template")
    if not isinstance(name, str) or not name:
        raise ValueError(f'"template": expected the name of an event, found {describe(name)}')
    arguments = record.get("arguments", [])
    if not isinstance(arguments, list):
        raise ValueError(f'"arguments": expected a list, found {describe(arguments)}')
    return (
        name,
        tuple(_value(argument, f"argument {index}") for index, argument in enumerate(arguments, 1)),
        _time(record),
    )


def _time(record: Mapping[str, object]) -> Number:
    time = _value(record.get("timestamp"), '"timestamp"')
    if not isinstance(time, int | Fraction) or time < 0:
        found_value = describe(record.get("timestamp"))
        raise ValueError(f'"timestamp": expected a number of at least 0, such as 3 or "3/2", found {found_value}')
    return time


def _value(json_value: object, place: str) -> Value:
    if not isinstance(json_value, int | str):  # Booleans are integers
        expected = 'a whole number, a string or a Boolean ("3/2" is a number)'
        raise ValueError(f"{place}: expected {expected}, found {describe(json_value)}")
    try:
        return value_from_json(json_value)
    except ZeroDivisionError:
        raise ValueError(f"{place}: {json_value} is no number") from None


def stream(program: tree.Program, lines: Iterable[str], filename: str = DEFAULT_FILENAME) -> list[Instant]:
    """Return the instants of a whole trace. Raise TraceError if it does not fit the program."""
    reading = Stream(program, filename)
    return [*reading.more(lines), *reading.end()]
