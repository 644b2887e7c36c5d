"""The results of a query: FROM, PARTITION BY, WHERE, SELECT, WITHIN, in this order, and CONSUME BY
(specification: cel-queries; T §3.2, §3.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from parte.languages.cel.algebra.denotation import Effort, Valuation, den_proj, denote
from parte.languages.cel.algebra.predicates import kind
from parte.languages.cel.algebra.readings import USUAL, Readings
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event

Positions = tuple[int, ...]


def evaluate(
    query: tree.Query, events: Sequence[Event], readings: Readings = USUAL, effort: Effort | None = None
) -> list[ComplexEvent]:
    """All results of a query on a stream, in order. Under a window of time timestamps must not fall.

    TooManyValuations if that takes too much.
    """
    effort = effort or Effort()
    kept = from_streams(query.streams, events)
    found: list[list[_Result]] = []
    for substream in partition(query.attributes, events, kept, readings.nulls):
        inside = [events[position] for position in substream]
        valuations = denote(query.formula, inside, readings.sequence, effort)
        found.append([_Result(each, substream) for each in valuations])
    return sorted(_consumed(query, events, found, readings, effort))


@dataclass(frozen=True, slots=True)
class _Result:
    """A valuation of a substream, whose positions in the stream are given."""

    valuation: Valuation
    substream: Positions

    @property
    def start(self) -> int:
        return self.substream[self.valuation.start]

    @property
    def end(self) -> int:
        return self.substream[self.valuation.end]


def from_streams(streams: Collection[str], events: Sequence[Event]) -> Positions:
    """CORE/Q-FROM: the positions of the events of the named streams; of all events without FROM."""
    return tuple(position for position, event in enumerate(events) if not streams or event.source in streams)


def partition(
    attributes: Sequence[str], events: Sequence[Event], positions: Iterable[int], nulls: str
) -> list[Positions]:
    """CORE/Q-PARTITION: a substream for each tuple of values of the attributes. An event that lacks one is in none; as
    `nulls` is read, NULL may be a value."""
    substreams: dict[tuple[object, ...], list[int]] = {}
    for position in positions:
        values = [events[position].attributes.get(name) for name in attributes]
        if nulls == "none" and None in values:
            continue
        substreams.setdefault(tuple((kind(value), value) for value in values), []).append(position)
    return [tuple(substream) for substream in substreams.values()]


def select(
    query: tree.Query, valuations: Collection[Valuation], readings: Readings, rivals: Collection[Valuation]
) -> set[Valuation]:
    """CORE/Q-SELECT: project on the variables, then keep what the strategy keeps among rivals."""

    def project(given: Collection[Valuation]) -> Collection[Valuation]:
        return given if query.selected is None else den_proj(frozenset(given), query.selected)

    if readings.projection == "before":
        valuations, rivals = project(valuations), project(rivals)
    kept = {each for each in valuations if _keeps(query.strategy, each, rivals, readings.rivals)}
    return set(project(kept))


def _keeps(strategy: tree.Strategy, each: Valuation, among: Collection[Valuation], rivals: str) -> bool:
    own = each.positions
    match strategy:
        case tree.Strategy.ALL:
            return True
        case tree.Strategy.STRICT:
            return not own or own[-1] - own[0] + 1 == len(own)
        case _:
            others = {other.positions for other in among if _competes(each, other, rivals)}
            return not any(_BETTER[strategy](other, own) for other in others)


def _competes(each: Valuation, other: Valuation, rivals: str) -> bool:
    match rivals:
        case "interval":
            return (each.start, each.end) == (other.start, other.end)
        case "end":
            return each.end == other.end
        case _:
            return True


def larger(rival: Positions, own: Positions) -> bool:
    """MAX: whether the rival has all positions and more."""
    return set(rival) > set(own)


def first(rival: Positions, own: Positions) -> bool:
    """NXT: whether the first position that only one of the two has is the rival's."""
    different = set(rival) ^ set(own)
    return bool(different) and min(different) in rival


def last(rival: Positions, own: Positions) -> bool:
    """LAST: whether the last position that only one of the two has is the rival's."""
    different = set(rival) ^ set(own)
    return bool(different) and max(different) in rival


_BETTER = {tree.Strategy.MAX: larger, tree.Strategy.NXT: first, tree.Strategy.LAST: last}


def within(window: tree.Window | None, result: _Result, events: Sequence[Event], windows: str) -> bool:
    """CORE/Q-WITHIN: whether the end is not too far from the start, in positions or in time."""
    match window:
        case None:
            return True
        case tree.EventWindow(events=length) if windows == "substream":
            return result.valuation.end - result.valuation.start <= length
        case tree.EventWindow(events=length):
            return result.end - result.start <= length
        case tree.TimeWindow():
            return events[result.end].timestamp - events[result.start].timestamp <= window.milliseconds


def _consumed(
    query: tree.Query, events: Sequence[Event], found: list[list[_Result]], readings: Readings, effort: Effort
) -> set[ComplexEvent]:
    """CORE/Q-CONSUME: where results end, what started before that no longer counts: ANY everywhere, PARTITION in that
    substream, NONE nowhere."""
    if query.consumption is tree.Consumption.NONE:
        return {each for results in found for each in _kept(query, events, results, readings, effort)}
    kept: set[ComplexEvent] = set()
    after = [-1] * len(found)
    for position in range(len(events)):
        for index, results in enumerate(found):
            effort.spend(len(results))
            open_now = [each for each in results if each.start > after[index] and each.end <= position]
            ending = {each for each in _kept(query, events, open_now, readings, effort) if each.end == position}
            kept |= ending
            if ending:
                after = [
                    position if query.consumption is tree.Consumption.ANY or other == index else before
                    for other, before in enumerate(after)
                ]
    return kept


def _kept(
    query: tree.Query, events: Sequence[Event], results: Collection[_Result], readings: Readings, effort: Effort
) -> set[ComplexEvent]:
    """What SELECT and WITHIN keep of the results in one substream."""
    if not results:
        return set()
    substream = next(iter(results)).substream

    def inside(valuation: Valuation) -> bool:
        return within(query.window, _Result(valuation, substream), events, readings.windows)

    valuations = [each.valuation for each in results]
    if readings.selection == "after":
        valuations = list(filter(inside, valuations))
    if query.strategy in _BETTER:  # each is held against all others
        effort.spend(len(valuations) ** 2)
    selected = select(query, valuations, readings, valuations)
    return {
        ComplexEvent(substream[each.end], substream[each.start], tuple(substream[k] for k in each.positions))
        for each in selected
        if inside(each)
    }
