"""Smaller cases, as the types of a tree allow: without a part, with a part in the place of the whole, with a plainer
value, with one name in the place of another, with events at plainer times.

A case is a tree of frozen dataclasses, tuples, mappings and scalars. The caller checks whether a smaller case is valid.
Each language adds edits of its own in its `Generation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from types import NoneType
from typing import Any, cast, get_args, get_origin, get_type_hints

from parte.conformance.fuzz.cases import C, Edit, Generation, Weight
from parte.conformance.fuzz.variation import all_in_order

_PLAIN: dict[type, tuple[Any, ...]] = {int: (0, 1, 2), float: (0.0, 1.0), str: ("", "a"), bool: (False, True)}
"""The plainest scalars of each type, in order."""
_APART = ("id", "source")
"""Fields of events that are not made plainer: programs do not refer to their values."""
_COUPLED = 2
"""Integers in a part of a program that may be the ends of a window."""


def edits(generation: Generation[C]) -> Sequence[Edit[C]]:
    """Return the edits that make cases smaller, from coarse to fine."""
    leaves = generation.leaves
    return (
        lambda case: _changed_at_places(case, type(case), _shorter),
        *generation.edits,
        _without_equals,
        lambda case: _changed_at_places(case, type(case), lambda value, hint: _hoisted(value, hint, leaves)),
        lambda case: _exchanged(case, generation.easy),
        lambda case: _replaced(case, generation.easy),
        _from_fewer_sources,
        _at_plainer_times,
        _in_narrower_windows,
    )


def lighter(generation: Generation[C], case: C, edit: Edit[C]) -> Iterator[C]:
    """Yield the results of an edit, mended, that are lighter than the case."""
    limit = weight(generation, case)
    for candidate in edit(case):
        mended = generation.mended(candidate)
        if weight(generation, mended) < limit:
            yield mended


def smaller(generation: Generation[C], case: C) -> Iterator[C]:
    """Yield all cases that are a little smaller, the smallest first; some are invalid."""
    for edit in edits(generation):
        yield from lighter(generation, case, edit)


def weight(generation: Generation[C], case: C) -> Weight:
    """Return a measure of how hard a case is to read, the worst first: nodes, entries of lists and mappings, sources,
    and the difficulty of values."""
    nodes = entries = difficulty = 0
    waiting: list[object] = [case]
    while waiting:
        value = waiting.pop()
        match value:
            case tuple():
                entries += len(value)
                waiting.extend(value)
            case Mapping():
                entries += len(value)
                waiting.extend(value.values())
            case _ if is_dataclass(value):
                nodes += 1
                waiting.extend(getattr(value, name) for name in _fields(value))
            case _:
                difficulty += _difficulty(value, generation.easy)
    return nodes, entries, len(_sources(case)), difficulty


def at_one_place(change: Callable[[Any], object], kind: type) -> Edit[Any]:
    """Return the edit that changes one of the nodes of a class."""

    def changed(value: object, _: Hint) -> Iterator[object]:
        if isinstance(value, kind):
            yield change(value)

    return lambda case: _changed_at_places(case, type(case), changed)


# --- Trees by their types ---------------------------------------------------------------------------------------------

Hint = Any
At = Callable[[Any, Hint], Iterator[Any]]


def unchained(node: Any) -> Any:
    """Return the part of a chain of one part, a node with one item in its field `parts`; other nodes as they are."""
    parts: Sequence[Any] = getattr(node, "parts", ())
    return parts[0] if len(parts) == 1 else node


def _fields(node: object) -> Mapping[str, Hint]:
    """Return the types of the fields that count when nodes are compared."""
    kind: Any = type(node)
    return _fields_of(kind)


@cache
def _fields_of(kind: Any) -> Mapping[str, Hint]:
    hints = get_type_hints(kind)
    return {member.name: hints[member.name] for member in fields(kind) if member.compare and member.name not in _APART}


def _kinds(value: object, hint: Hint) -> frozenset[type]:
    """Return the classes that may stand in the place of a value."""
    origin: object = get_origin(hint)
    kinds = get_args(hint) if origin is not None and origin is not tuple else (hint,)
    return frozenset(kinds) if all(isinstance(kind, type) for kind in kinds) else frozenset({type(value)})


def _item_hint(hint: Hint) -> Hint:
    """Return the item type of a tuple of any length, which may be optional; None for another type."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is tuple and get_args(part)[1:] == (...,):
            return get_args(part)[0]
    return None


def _changed_at_places(value: Any, hint: Hint, at: At) -> Iterator[Any]:
    """Yield the tree with one place changed, from the root on."""
    yield from at(value, hint)
    match value:
        case tuple():
            item = _item_hint(hint)
            for place, part in enumerate(value):
                for changed in _changed_at_places(part, item or type(part), at):
                    yield (*value[:place], changed, *value[place + 1 :])
        case Mapping():
            for name, part in value.items():
                yield from ({**value, name: changed} for changed in _changed_at_places(part, type(part), at))
        case _ if is_dataclass(value):
            for name, inner in _fields(value).items():
                part = getattr(value, name)
                yield from (
                    replace(cast(Any, value), **{name: changed}) for changed in _changed_at_places(part, inner, at)
                )


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the tree with everything in it changed, parts first."""
    match value:
        case tuple():
            return change(tuple(_mapped(part, change) for part in value))
        case Mapping():
            return change({_mapped(name, change): _mapped(part, change) for name, part in value.items()})
        case _ if is_dataclass(value):
            parts = {name: _mapped(getattr(value, name), change) for name in _fields(value)}
            return change(replace(cast(Any, value), **parts))
        case _:
            return change(value)


def _within(value: object) -> Iterator[object]:
    """Yield everything in a tree, each node before its parts."""
    yield value
    match value:
        case tuple():
            parts: Sequence[object] = value
        case Mapping():
            parts = (*value, *value.values())
        case _ if is_dataclass(value):
            parts = [getattr(value, name) for name in _fields(value)]
        case _:
            return
    for part in parts:
        yield from _within(part)


# --- Without a part ---------------------------------------------------------------------------------------------------


def _shorter(value: Any, hint: Hint) -> Iterator[Any]:
    """Yield None for an optional value, False for a flag, and a tuple without half of it, a quarter, down to one
    item."""
    if value is not None and NoneType in get_args(hint):
        yield None
    if value is True:
        yield False
    if isinstance(value, tuple) and _item_hint(hint) is not None:
        chunk = max(1, len(value) // 2)
        while value:
            for start in range(0, len(value), chunk):
                yield value[:start] + value[start + chunk :]
            if chunk == 1:
                return
            chunk //= 2
    if isinstance(value, Mapping):
        yield from ({key: value[key] for key in value if key != name} for name in value)


def _without_equals(case: C) -> Iterator[C]:
    """Yield the case without an item in all lists that contain it, or without a key in all mappings."""
    every = list(_within(case))
    items = [part for value in every if isinstance(value, tuple) for part in value if is_dataclass(part)]
    for number, gone in enumerate(items):
        if gone in items[:number]:

            def without(value: Any, gone: object = gone) -> Any:
                return tuple(part for part in value if part != gone) if isinstance(value, tuple) else value

            yield _mapped(case, without)
    for name in dict.fromkeys(name for value in every if isinstance(value, Mapping) for name in value):

        def unnamed(value: Any, name: str = name) -> Any:
            return {k: v for k, v in value.items() if k != name} if isinstance(value, Mapping) else value

        yield _mapped(case, unnamed)


def _hoisted(value: Any, hint: Hint, leaves: Sequence[object]) -> Iterator[Any]:
    """Yield the parts of a node that may replace it, and the leaves that may."""
    if is_dataclass(value):
        kinds = _kinds(value, hint)
        yield from (part for part in _within(value) if part is not value and type(part) in kinds)
        yield from (leaf for leaf in leaves if type(leaf) in kinds and leaf != value)


# --- Plainer values ---------------------------------------------------------------------------------------------------


def _difficulty(value: object, easy: frozenset[Enum]) -> int:
    """Return the distance of a scalar from the plainest one."""
    match value:
        case None:
            return 0
        case Enum():
            return 0 if value in easy else 1 + list(type(value)).index(value)
        case bool():
            return int(value)
        case int():
            return value if value >= 0 else 10 - value
        case str():
            return sum(value.encode())
        case float():
            plain = repr(value) in ("0.0", "1.0")
            return int(value) if plain else 10
        case _:
            return 20


def _plainer(value: Any, easy: frozenset[Enum]) -> Iterator[Any]:
    """Yield the plainer scalars of the same type."""
    limit = _difficulty(value, easy) if not isinstance(value, tuple | Mapping) and not is_dataclass(value) else 0
    match value:
        case Enum():
            options: Sequence[Any] = sorted(type(value), key=lambda member: _difficulty(member, easy))
        case bool() | float() | str():
            options = _PLAIN[type(value)]
        case int():
            options = (*_PLAIN[int], -value, int(value / 2), value - 1, value + 1)
        case Fraction():
            options = _PLAIN[int]
        case _:
            return
    yield from (option for option in options if _difficulty(option, easy) < limit)


def _names(case: object, easy: frozenset[Enum]) -> list[str]:
    """Return the strings in a case, the plainest first."""
    strings = {value for value in _within(case) if type(value) is str}
    return sorted(strings, key=lambda name: _difficulty(name, easy))


def _replaced(case: C, easy: frozenset[Enum]) -> Iterator[C]:
    """Yield the case with a plainer scalar or name in one place."""
    names = _names(case, easy)

    def at(value: Any, _: Hint) -> Iterator[Any]:
        if isinstance(value, str) and not isinstance(value, Enum):
            yield from names[: names.index(value)]
        yield from _plainer(value, easy)

    return _changed_at_places(case, type(case), at)


def _exchanged(case: C, easy: frozenset[Enum]) -> Iterator[C]:
    """Yield the case with one scalar replaced by another, in all places."""
    names = _names(case, easy)
    scalars = {(type(value), value) for value in _within(case) if type(value) in (int, float, str, Fraction)}
    for kind, old in sorted(scalars, key=repr):
        for new in dict.fromkeys((*(names if kind is str else ()), *_plainer(old, easy))):
            if _difficulty(new, easy) < _difficulty(old, easy):

                def change(value: Any, kind: type = kind, old: object = old, new: object = new) -> Any:
                    return new if type(value) is kind and value == old else value

                yield _mapped(case, change)


# --- Times ------------------------------------------------------------------------------------------------------------


def _sources(case: C) -> list[str]:
    """Return the sources of the events, if they have any."""
    return sorted({item.source for item in case.items if hasattr(item, "source")})


def _from_fewer_sources(case: C) -> Iterator[C]:
    """Yield the case with one source replaced by another."""
    sources = _sources(case)
    for gone in reversed(sources):
        for remaining in sources[: sources.index(gone)]:
            joined = [replace(item, source=remaining) if item.source == gone else item for item in case.items]
            yield _timed(case, joined)
            yield _timed(case, all_in_order(joined))


def _timed(case: C, items: Sequence[Any]) -> C:
    return cast(C, replace(cast(Any, case), items=tuple(items)))


def _later(items: Sequence[Any], since: Any, amount: Any) -> list[Any]:
    """Return the items; those from the time `since` on are moved."""
    return [replace(item, timestamp=item.timestamp + amount) if item.timestamp >= since else item for item in items]


def _at_plainer_times(case: C) -> Iterator[C]:
    """Yield the case with times nearer to zero: of all items, of all from some time on, or of one, which gets the time
    of another; in the order of time."""
    items = case.items
    times = sorted({item.timestamp for item in items})
    yield _timed(case, [replace(item, timestamp=times.index(item.timestamp)) for item in items])
    if _sources(case):
        yield _timed(case, all_in_order(items))
    yield _timed(case, sorted(items, key=lambda item: item.timestamp))
    for earlier, time in pairwise((0, *times)):
        for gap in dict.fromkeys((time - earlier, time - earlier - 1, 1)):
            if gap and (gap > 0 or time == times[0]):
                yield _timed(case, _later(items, time, -gap))
    for place, item in enumerate(items):
        for time in times:
            if time != item.timestamp:
                yield _timed(case, (*items[:place], replace(item, timestamp=time), *items[place + 1 :]))


def _in_narrower_windows(case: C) -> Iterator[C]:
    """Yield the case with a window, or another part with one or two integers, nearer to zero; with it, without an event
    or with events moved."""
    items = case.items
    times = sorted({item.timestamp for item in items})
    templates = dict.fromkeys(item.template for item in items)

    def nearer(value: Any, _: Hint) -> Iterator[Any]:
        if is_dataclass(value):
            ends = [part for part in _within(value) if type(part) is int]
            if 0 < len(ends) <= _COUPLED:
                signs = [sign for sign in (1, -1) if any(end * sign > 0 for end in ends)]
                for amount in dict.fromkeys((*ends, *signs)):
                    amounts.append(amount)
                    yield _mapped(value, partial(_less, amount))

    amounts: list[int] = []
    for program in _changed_at_places(case.program, type(case.program), nearer):
        narrower = replace(cast(Any, case), program=program)
        amount = amounts[-1]
        yield narrower
        for place in range(len(items)):
            yield _timed(narrower, items[:place] + items[place + 1 :])
        for time in times[1:]:
            yield _timed(narrower, _later(items, time, -abs(amount)))
        for template in templates:
            for shift in (-amount, amount):
                moved = (replace(i, timestamp=i.timestamp + shift) if i.template == template else i for i in items)
                yield _timed(narrower, tuple(moved))


def _less(amount: int, value: Any) -> Any:
    return value - amount if type(value) is int else value
