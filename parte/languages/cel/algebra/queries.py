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
    """Return all results of a query on a stream, sorted. Under a window of time, timestamps must not decrease.

    Raise TooManyValuations if the definition would take too much.
    """
    effort = effort or Effort()
    positions = from_streams(query.streams, events)
    by_substream: list[list[_Result]] = []
    for substream in partition(query.attributes, events, positions, readings.nulls):
        inside = [events[position] for position in substream]
        valuations = denote(query.formula, inside, readings.sequence, effort)
        by_substream.append([_Result(valuation, substream) for valuation in valuations])
    return sorted(_consumed(query, events, by_substream, readings, effort))


@dataclass(frozen=True, slots=True)
class _Result:
    """A valuation of a substream, with the positions of the substream in the stream."""

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
    """CORE/Q-PARTITION: a substream for each tuple of values of the attributes. An event without one of the attributes
    is in no substream, unless the reading `nulls` makes NULL a value."""
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
    """CORE/Q-SELECT: project on the variables, then select the results that the strategy prefers to their rivals."""

    def project(unprojected: Collection[Valuation]) -> Collection[Valuation]:
        return unprojected if query.selected is None else den_proj(frozenset(unprojected), query.selected)

    if readings.projection == "before":
        valuations, rivals = project(valuations), project(rivals)
    preferred = {valuation for valuation in valuations if _keeps(query.strategy, valuation, rivals, readings.rivals)}
    return set(project(preferred))


def _keeps(strategy: tree.Strategy, candidate: Valuation, among: Collection[Valuation], rivals: str) -> bool:
    own = candidate.positions
    match strategy:
        case tree.Strategy.ALL:
            return True
        case tree.Strategy.STRICT:
            return not own or own[-1] - own[0] + 1 == len(own)
        case _:
            others = {rival.positions for rival in among if _competes(candidate, rival, rivals)}
            return not any(_BETTER[strategy](rival, own) for rival in others)


def _competes(left: Valuation, right: Valuation, rivals: str) -> bool:
    match rivals:
        case "interval":
            return (left.start, left.end) == (right.start, right.end)
        case "end":
            return left.end == right.end
        case _:
            return True


def larger(rival: Positions, own: Positions) -> bool:
    """MAX: true if the rival has all positions and more."""
    return set(rival) > set(own)


def first(rival: Positions, own: Positions) -> bool:
    """NXT: true if the first position that only one of them has belongs to the rival."""
    different = set(rival) ^ set(own)
    return bool(different) and min(different) in rival


def last(rival: Positions, own: Positions) -> bool:
    """LAST: true if the last position that only one of them has belongs to the rival."""
    different = set(rival) ^ set(own)
    return bool(different) and max(different) in rival


_BETTER = {tree.Strategy.MAX: larger, tree.Strategy.NXT: first, tree.Strategy.LAST: last}


def within(window: tree.Window | None, result: _Result, events: Sequence[Event], windows: str) -> bool:
    """CORE/Q-WITHIN: true if the end is within the window that begins at the start, in positions or in time."""
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
    query: tree.Query, events: Sequence[Event], by_substream: list[list[_Result]], readings: Readings, effort: Effort
) -> set[ComplexEvent]:
    """CORE/Q-CONSUME: once a result ends, no later result contains an earlier start: ANY in all substreams, PARTITION
    in the substream of the result, NONE in no substream."""
    if query.consumption is tree.Consumption.NONE:
        return {result for results in by_substream for result in _selected(query, events, results, readings, effort)}
    consumed: set[ComplexEvent] = set()
    after = [-1] * len(by_substream)
    for position in range(len(events)):
        for index, results in enumerate(by_substream):
            effort.spend(len(results))
            open_now = [result for result in results if result.start > after[index] and result.end <= position]
            ending = {
                result for result in _selected(query, events, open_now, readings, effort) if result.end == position
            }
            consumed |= ending
            if ending:
                after = [
                    position if query.consumption is tree.Consumption.ANY or number == index else before
                    for number, before in enumerate(after)
                ]
    return consumed


def _selected(
    query: tree.Query, events: Sequence[Event], results: Collection[_Result], readings: Readings, effort: Effort
) -> set[ComplexEvent]:
    """Return the results in one substream that SELECT and WITHIN keep."""
    if not results:
        return set()
    substream = next(iter(results)).substream

    def inside(valuation: Valuation) -> bool:
        return within(query.window, _Result(valuation, substream), events, readings.windows)

    valuations = [result.valuation for result in results]
    if readings.selection == "after":
        valuations = list(filter(inside, valuations))
    if query.strategy in _BETTER:  # each is compared with all others
        effort.spend(len(valuations) ** 2)
    selected = select(query, valuations, readings, valuations)
    return {
        ComplexEvent(
            substream[valuation.end], substream[valuation.start], tuple(substream[k] for k in valuation.positions)
        )
        for valuation in selected
        if inside(valuation)
    }
