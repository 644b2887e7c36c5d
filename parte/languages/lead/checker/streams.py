"""Streams to try for a rule: made from its pattern, with values that fulfil its conditions, and at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

from parte.languages.lead.semantics.syntax import tree
from parte.semantics.events.event import Event, Value

Values = Mapping[str, Mapping[str, Value]]
"""The attributes of events, by the names that the events are bound to."""

Letter = tuple[str, Mapping[str, Value]]
"""A stream and attributes."""

LONGEST = 24
LISTS = (1, 2, 3, 0, 5, 6)
"""The numbers of items to try in lists."""
GAPS = (1, 0, 1_000)
"""The numbers of milliseconds to try between events."""
RANDOM = 60


def tried(rule: tree.Rule, pattern: tree.Pattern, values: Values) -> Iterator[tuple[Event, ...]]:
    """Yield streams, the likeliest first."""
    streams = {stream.alias: stream.name for stream in rule.streams}
    keys = {key.attribute: 0 for key in rule.keys if key.length is None}
    for size, gap in product(LISTS, GAPS):
        word = list(_word(pattern, streams, values, size))[:LONGEST]
        yield placed([(name, {**keys, **attributes}) for name, attributes in word], gap)
    rng = Random(0)
    letters = alphabet(rule, pattern, values)
    for _ in range(RANDOM):
        word = [rng.choice(letters) for _ in range(rng.randint(1, 8))]
        yield placed([(name, {**keys, **attributes}) for name, attributes in word], rng.choice(GAPS))


def placed(word: Sequence[Letter], gap: int) -> tuple[Event, ...]:
    """Return a word as events, `gap` ms apart."""
    return tuple(
        Event(f"{name.lower()}{place}", name, place * gap, dict(attributes))
        for place, (name, attributes) in enumerate(word)
    )


def alphabet(rule: tree.Rule, pattern: tree.Pattern, values: Values) -> list[Letter]:
    """Return events of each stream: plain ones, some with values that fulfil conditions, and some with values in the
    rule."""
    streams = {stream.alias: stream.name for stream in rule.streams}
    nodes = list(tree.within(pattern))
    bound = [(node.name or node.stream, node.stream) for node in nodes if isinstance(node, tree.Atom)]
    paths = {node.path[-1] for node in nodes if isinstance(node, tree.Reference | tree.Aggregate) and node.path}
    literals = [node.value for node in nodes if isinstance(node, tree.Literal)]
    letters: list[Letter] = [(name, {}) for name in dict.fromkeys(streams.values())]
    letters += [(streams[alias], values[name]) for name, alias in bound if values.get(name)]
    letters += [(streams[alias], values[alias]) for _, alias in bound if values.get(alias)]
    for value in dict.fromkeys([0, 1, *literals, *(v + d for v in literals if type(v) is int for d in (-1, 1))]):
        attributes = {path: value for path in sorted(paths) if path != "event_time"}
        letters += [(name, attributes) for name in dict.fromkeys(streams.values()) if attributes]
    return letters


def _word(pattern: tree.Pattern, streams: Mapping[str, str], values: Values, size: int) -> Iterator[Letter]:
    """Yield the events that a match of a pattern needs, in an order in which they may come."""
    match pattern:
        case tree.Atom(stream=alias, name=name):
            yield streams[alias], {**values.get(alias, {}), **values.get(name or alias, {})}
        case tree.And(parts=parts) | tree.Sequence(parts=parts):
            for part in parts:
                yield from _word(part, streams, values, size)
        case tree.Or(parts=parts):
            yield from _word(parts[0], streams, values, size)
        case tree.Collect(operand=operand, name=name):
            for _ in range(size):
                for stream, attributes in _word(operand, streams, values, size):
                    yield stream, {**attributes, **values.get(name or "list", {})}
        case tree.Pick(collect=collect):
            yield from _word(collect, streams, values, size)
        case tree.Within(operand=operand, source=source):
            if source is not None and not isinstance(source, tree.Bound):
                yield from _word(source, streams, values, size)
            yield from _word(operand, streams, values, size)
        case tree.Not() | tree.Bound():
            return
        case _:
            yield from _word(pattern.operand, streams, values, size)
