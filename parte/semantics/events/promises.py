"""The promises of a trace after each of its lines, and the events that break them (D §5.4.2).

Specification: promise-explicit, promise-implicit, promise-broken, promise-end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from parte.semantics.events.duration import duration_in_words, duration_text
from parte.semantics.events.event import (
    NEGATIVE_INFINITY,
    NO_LINE,
    POSITIVE_INFINITY,
    Arrival,
    Event,
    Progress,
    TraceItem,
)
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import DEFAULT_FILENAME, DEFAULT_SOURCE, Trace
from parte.semantics.events.units import OTHER, unit_of

LATE: Final = ", and comes after it"
"""In the message about an event that is older than one before it."""

Pair = tuple[str, str]
"""A source and a template: promises are made by such pairs."""


@dataclass(slots=True)
class _Promise:
    """The current promise of one pair: its bound, and the item that made it."""

    explicit: bool
    bound: int = NEGATIVE_INFINITY
    origin: TraceItem | None = None

    def raise_to(self, bound: int, origin: TraceItem) -> None:
        if bound > self.bound:
            self.bound = bound
            self.origin = origin


def pairs(items: Iterable[TraceItem]) -> tuple[Pair, ...]:
    """Return the pairs of source and template that occur, in the order of their first occurrence."""
    return tuple(dict.fromkeys((item.source, item.template) for item in items))


def arrivals(items: Iterable[TraceItem], *, disorder: int = 0, filename: str | None = None) -> tuple[Arrival, ...]:
    """Return the input of an engine: an arrival for each item in order, then one with bound +infinity for each pair.

    A pair with a progress line anywhere in the trace promises by its progress lines only; any other pair promises its
    greatest timestamp so far less `disorder` (milliseconds, not negative). Promises never decrease: a progress line
    lower than an earlier one changes nothing. Raise TraceError with all events that break the promise in force, and
    ValueError for a disorder that is negative or not an integer. `filename` is for messages only.
    """
    if type(disorder) is not int or disorder < 0:
        raise ValueError(f"disorder must be a whole number of milliseconds, not negative; found {disorder!r}")
    if filename is None:
        filename = items.filename if isinstance(items, Trace) else DEFAULT_FILENAME
    items = tuple(items)
    promises = Promises(_explicit(items), disorder, filename)
    result = [promises.arrival(item) for item in items]
    if promises.problems:
        raise TraceError(promises.advised())
    result.extend(promises.ends())
    return tuple(result)


def least_disorder(items: Iterable[TraceItem]) -> int:
    """Return the least disorder in milliseconds with which no event of a pair without progress lines is late."""
    items = tuple(items)
    promises = Promises(_explicit(items))
    for item in items:
        promises.arrival(item)
    return promises.lag


def _explicit(items: Iterable[TraceItem]) -> set[Pair]:
    return {(item.source, item.template) for item in items if isinstance(item, Progress)}


@dataclass(slots=True)
class Promises:
    """The current promises of all pairs, for items that come one by one.

    `explicit` are the pairs that promise by progress lines only, if they are known beforehand; None: each pair does
    from its first progress line on. `problems` has every broken promise; `filename` is for messages only.
    """

    explicit: Collection[Pair] | None
    disorder: int = 0
    filename: str = DEFAULT_FILENAME
    problems: Problems = field(default_factory=Problems)
    lag: int = 0
    """Greatest lag in milliseconds of an event behind the latest of its pair, for pairs that promise by events."""
    _current: dict[Pair, _Promise] = field(default_factory=dict)

    def arrival(self, item: TraceItem) -> Arrival:
        """Return the arrival for the next item."""
        pair = (item.source, item.template)
        promise = self._current.get(pair)
        if promise is None:
            promise = self._current[pair] = _Promise(self.explicit is not None and pair in self.explicit)
        if isinstance(item, Progress):
            promise.explicit |= self.explicit is None
            promise.raise_to(item.timestamp, item)
            return Arrival(item.source, item.template, promise.bound, None)
        if item.timestamp < promise.bound:
            breach = _breach(item, promise, self.disorder, self.filename)
            self.problems.append(breach)
            if isinstance(promise.origin, Event) and not breach.hint:
                self.lag = max(self.lag, promise.bound + self.disorder - item.timestamp)
        elif not promise.explicit:
            promise.raise_to(item.timestamp - self.disorder, item)
        return Arrival(item.source, item.template, promise.bound, item)

    def advised(self) -> Problems:
        """Return the problems; the first event that is only late gets the disorder that admits all such events."""
        enough = "is enough so far" if self.explicit is None else "allows for all of them"
        advice = (
            f"--disorder '{duration_text(self.lag)}' {enough}; otherwise put the events of a source and template in "
            "the order of their timestamps"
        )
        problems = Problems()
        problems.unlisted, problems.repeated = self.problems.unlisted, self.problems.repeated
        for problem in self.problems:
            hint, advice = (problem.hint, advice) if problem.hint else (advice, "")
            problems.append(replace(problem, hint=hint))
        return problems

    def ends(self, others: Iterable[Pair] = ()) -> Iterator[Arrival]:
        """Return the arrivals when all sources end, also those for other pairs that had no items."""
        for source, template in dict.fromkeys((*self._current, *others)):
            yield Arrival(source, template, POSITIVE_INFINITY, None)


def _breach(event: Event, promise: _Promise, disorder: int, filename: str) -> Problem:
    origin = promise.origin
    assert origin is not None  # only an item can set a bound that is above a timestamp
    name = f"event {quoted(event.id)} of {event.template}"
    if event.source != DEFAULT_SOURCE:
        name += f" from source {quoted(event.source)}"
    if isinstance(origin, Event):
        age = duration_in_words(origin.timestamp - event.timestamp)
        message = f"{name} is {age} older than {quoted(origin.id)}{_on_line(origin)}{LATE}"
        if disorder:
            message += f"; the disorder is only {duration_in_words(disorder)}"
        hint = ""  # depends on the whole trace: `advised`
        units = unit_of(event.timestamp), unit_of(origin.timestamp)
        if len({*units, OTHER}) == 3:
            hint = f"the first looks like {units[0]}, the second like {units[1]}: write all timestamps in milliseconds"
        return Problem(filename, event.line, message, hint, kind=hint or LATE)
    message = (
        f"{name} has the timestamp {event.timestamp}, {promise.bound - event.timestamp} ms below the promise in force: "
        f"the progress line{_on_line(origin)} promised that none below {promise.bound} would follow"
    )
    hint = "move the event before that progress line, or lower the progress that the line promises"
    return Problem(filename, event.line, message, hint)


def _on_line(item: TraceItem) -> str:
    return "" if item.line == NO_LINE else f" on line {item.line}"
