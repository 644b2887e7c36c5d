"""Edits of a trace of events and promises that may make a case smaller or plainer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from parte.conformance.fuzz.cases import EventCase
from parte.conformance.fuzz.variation import in_order
from parte.semantics.events.event import Event, TraceItem, Value

E = TypeVar("E", bound=EventCase[object])
Scalar = int | float | str | bool
PLAIN: dict[type, tuple[Scalar, ...]] = {int: (0, 1, 2), float: (0.0, 1.0), str: ("", "a"), bool: (False, True)}
"""The plainest values of each type, in order."""


def difficulty(value: Value) -> int:
    """How far an attribute is from the plainest one."""
    plain = PLAIN.get(type(value), ())
    return plain.index(value) if value in plain else 10


def plainer(value: Value) -> Iterator[Scalar]:
    """The values of the type that are plainer."""
    yield from PLAIN.get(type(value), ())[: difficulty(value)]


def towards_zero(number: int) -> Iterator[int]:
    """Integers between a number and zero, the boldest first."""
    if number:
        yield 0
        half = abs(number) // 2 * (1 if number > 0 else -1)
        if half:
            yield half
        yield number - (1 if number > 0 else -1)


def without_items(case: E) -> Iterator[E]:
    """Without half of the trace, a quarter of it, and so on down to one item."""
    length = len(case.items)
    chunk = max(1, length // 2)
    while length:
        for start in range(0, length, chunk):
            yield replace(case, items=case.items[:start] + case.items[start + chunk :])
        if chunk == 1:
            return
        chunk //= 2


def with_plainer_attributes(case: E) -> Iterator[E]:
    """With one attribute plainer, in all events or in one."""
    events = [item for item in case.items if isinstance(item, Event)]
    for name in dict.fromkeys(name for event in events for name in event.attributes):
        for value in dict.fromkeys(
            v for event in events if name in event.attributes for v in (event.attributes[name],)
        ):
            for other in plainer(value):
                yield replace(case, items=tuple(_with(item, name, other, value) for item in case.items))
    for index, item in enumerate(case.items):
        if isinstance(item, Event):
            for name, value in item.attributes.items():
                for other in plainer(value):
                    yield _replaced(case, index, _with(item, name, other, value))


def _with(item: TraceItem, name: str, value: Value, instead_of: Value) -> TraceItem:
    if not isinstance(item, Event) or name not in item.attributes or item.attributes[name] != instead_of:
        return item
    return replace(item, attributes={**item.attributes, name: value})


def from_fewer_sources(case: E) -> Iterator[E]:
    """With one source in the place of another, or of all."""
    names = sorted({item.source for item in case.items})
    if len(names) > 1:
        yield replace(case, items=tuple(replace(item, source="s1") for item in case.items))
    for kept in names:
        for gone in names:
            if gone != kept:
                joined = tuple(replace(i, source=kept) if i.source == gone else i for i in case.items)
                yield replace(case, items=joined)
                yield replace(case, items=all_in_order(joined))


def in_time_order(case: E) -> Iterator[E]:
    """Arriving in order of time."""
    yield replace(case, items=tuple(sorted(case.items, key=lambda item: item.timestamp)))
    yield replace(case, items=all_in_order(case.items))


def all_in_order(items: Sequence[TraceItem]) -> tuple[TraceItem, ...]:
    """Without promises, the events of each source and template in order of time."""
    return in_order(items, {(item.source, item.template) for item in items})


def with_plainer_times(case: E) -> Iterator[E]:
    """Nearer to zero: all items at once, all from some time on, or one item alone."""
    times = sorted({item.timestamp for item in case.items})
    if times and times[0] != 0:
        yield replace(case, items=tuple(replace(i, timestamp=i.timestamp - times[0]) for i in case.items))
    for earlier, time in pairwise(times):
        for gap in dict.fromkeys((time - earlier, time - earlier - 1, 1)):
            if gap > 0:
                moved = (replace(i, timestamp=i.timestamp - gap) if i.timestamp >= time else i for i in case.items)
                yield replace(case, items=tuple(moved))
    for index, item in enumerate(case.items):
        for time in (*towards_zero(item.timestamp), *(t for t in times if abs(t) < abs(item.timestamp))):
            yield _replaced(case, index, replace(item, timestamp=time))


def _replaced(case: E, index: int, item: TraceItem) -> E:
    return replace(case, items=(*case.items[:index], item, *case.items[index + 1 :]))
