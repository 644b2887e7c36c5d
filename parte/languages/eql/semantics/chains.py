"""Chains of events, and the conditions of the rules on them (specification: eql-machine)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parte.languages.eql.semantics.rulebook import rule
from parte.semantics.events.event import Event


@dataclass(frozen=True, slots=True)
class Chain:
    """The beginning of a result: its events and their positions in the order of all events.

    `gap` is the earliest timestamp of a missing event since the last event; a chain that went on behind one is
    `spoilt`. `before` is the latest timestamp of a missing event before the first event. None: there was none.
    """

    events: tuple[Event, ...]
    positions: tuple[int, ...]
    before: int | None = None
    gap: int | None = None
    spoilt: bool = False

    @property
    def started(self) -> int:
        """The timestamp of the first event."""
        return self.events[0].timestamp

    @property
    def ended(self) -> int:
        """The timestamp of the last event."""
        return self.events[-1].timestamp


@rule("START", "start of a chain", "ES, KeyToSequences")
def start(event: Event, position: int, before: int | None) -> Chain:
    """An event of the first stage is a chain; it copies the time of the latest missing event before it."""
    return Chain((event,), (position,), before)


@rule("TAKE", "a chain goes on", "ES, SequenceMatcher")
def take(chain: Chain, event: Event, position: int, by_order: bool) -> Chain:
    """A chain goes on with an event; it is spoilt if a missing event lay between."""
    spoilt = chain.spoilt or lies_between(chain, event.timestamp, by_order)
    return replace(
        chain, events=(*chain.events, event), positions=(*chain.positions, position), gap=None, spoilt=spoilt
    )


def lies_between(chain: Chain, timestamp: int, by_order: bool) -> bool:
    """Return whether a missing event lies between the last event of a chain and the next one, of a timestamp."""
    return chain.gap is not None and (by_order or chain.gap < timestamp)


@rule("EXPIRED", "the maxspan is over", "ED, syntax: with maxspan")
def expired(started: int, now: int, maxspan: int) -> bool:
    """A chain is over when an event comes more than maxspan after its first one."""
    return now - started > maxspan


@rule("GAP", "a missing event in the middle", "ED, syntax: missing events")
def gap(chain: Chain, event: Event, position: int, by_order: bool) -> Chain:
    """A missing event marks the chain that waits at its place, unless the chain ends in it."""
    if chain.positions[-1] == position or not (by_order or event.timestamp > chain.ended) or chain.gap is not None:
        return chain
    return replace(chain, gap=event.timestamp)


@rule("KILL", "until", "ED, syntax: until")
def killed(chain: Chain, position: int, inclusive: bool) -> bool:
    """An event of until ends the chains of its key, except the one that ends in it."""
    return inclusive or chain.positions[-1] != position


@rule("BEFORE", "a missing event at the start", "ED, syntax: missing events")
def before(latest: tuple[int | None, int | None], timestamp: int) -> tuple[int | None, int | None]:
    """The latest timestamp of a missing first event is kept, and the latest one that is less."""
    return latest if latest[0] == timestamp else (timestamp, latest[0])


@rule("COMPLETE", "a result", "ES, SequenceMatcher")
def complete(chain: Chain, maxspan: int | None, together: bool) -> bool:
    """A chain of all stages is a result if it is not spoilt, and no missing event lies before it within maxspan."""
    if chain.spoilt:
        return False
    early = chain.before is not None and maxspan is not None and chain.before >= chain.ended - maxspan
    return together or not early


@rule("AFTER", "a missing event at the end", "ED, syntax: missing events")
def ruled_out(chain: Chain, event: Event, position: int, maxspan: int, together: bool, by_order: bool) -> bool:
    """A missing event rules a waiting chain out if it comes after it, and at most maxspan after its first event."""
    if chain.positions[-1] == position or not (by_order or event.timestamp > chain.ended):
        return False
    if together:
        return chain.before is not None and event.timestamp - chain.before <= maxspan
    return event.timestamp - chain.started <= maxspan


@rule("ABSENT", "nothing came", "ED, syntax: missing events")
def is_certain(chain: Chain, bound: int, maxspan: int) -> bool:
    """A waiting chain is a result when no event comes any more within maxspan of its first event."""
    return bound > chain.started + maxspan
