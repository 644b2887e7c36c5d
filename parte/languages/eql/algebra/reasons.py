"""The reasons why events are a result of a query, or are not: each clause of the definition on them (specification:
eql-definition). The chains, the clauses and the results are those of the definition itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from parte.languages.eql.algebra.keys import Key, key_of, written
from parte.languages.eql.algebra.obstacles import fields_text, keyless, misfit
from parte.languages.eql.algebra.sequences import Chain, Clauses, by_key, chosen_of, evaluate, positions_of
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.duration import duration_in_words
from parte.semantics.events.event import Event, Value
from parte.semantics.source.similar import advice


class UnknownEvent(LookupError):
    """The trace has no event with an id, or a result has fewer events than are named."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A clause on some events: the rule that states it, whether it holds, what it demands, and the values that decide
    it. `without` are the ids of the other events that break it, `times` the first and last time at which it looks."""

    rule: str
    holds: bool
    demand: str
    value: str = ""
    without: tuple[str, ...] = ()
    times: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """Events, one for each stage up to some stage, and the clauses on them: a result if all hold. `keys` are as in a
    result; `whole` says that all stages have an event."""

    keys: tuple[Value | None, ...]
    events: tuple[str, ...]
    reasons: tuple[Reason, ...]
    whole: bool

    @property
    def failing(self) -> tuple[Reason, ...]:
        """The clauses that do not hold."""
        return tuple(reason for reason in self.reasons if not reason.holds)


def explained(
    query: tree.Query, events: Sequence[Event], readings: Readings, ids: Sequence[str] = ()
) -> list[Explained]:
    """Return the reasons for the events with these ids; `events` are those of the trace, in order.

    If they are as many as a result has, they are explained as one, in the order of the stages. If they are fewer, each
    chain that has them is explained as far as it goes: results first, then those that go furthest and break the fewest
    clauses. If no chain has all of them, the chains of each are, and by itself an event that is in none. Raise
    UnknownEvent; TooManyTuples for a sample that has too many.
    """
    places = {event.id: position for position, event in enumerate(events)}
    for name in ids:
        if name not in places:
            raise UnknownEvent(f"the trace has no event {name!r}; {advice(name, places)}")
    named = tuple(places[name] for name in ids)
    reasoning = _Reasoning(query, events, readings)
    if len(named) > len(reasoning.stages):
        raise UnknownEvent(f"{len(named)} events are named, but a result has {len(reasoning.stages)}")
    if len(named) == len(reasoning.stages):
        return [reasoning.on(named)]
    chains = reasoning.chains()
    several = [reasoning.on(chain) for chain in chains if {*named} <= {*chain}]
    if not several:
        for position in named:
            several += [reasoning.on(chain) for chain in chains if position in chain] or [reasoning.alone(position)]
    return sorted(several, key=lambda chain: (bool(chain.failing), -len(chain.events), len(chain.failing)))


@dataclass(slots=True)
class _Reasoning:
    """A query on a trace. `stages` are the positive ones, runs written out, or the items of a sample; `keyed` has the
    clauses and chains of each key, `results` those behind pipes, if they were asked for."""

    query: tree.Query
    events: Sequence[Event]
    readings: Readings
    stages: tuple[tree.Stage, ...] = ()
    keyed: dict[Key, tuple[Clauses, list[list[Chain]]]] = field(default_factory=dict)
    results: Sequence[Any] = ()

    def __post_init__(self) -> None:
        match self.query:
            case tree.Single(event=event):
                self.stages = (tree.Stage(event),)
            case tree.Sample(items=items):
                self.stages = items
            case tree.Sequence():
                self.stages = tree.positive(self.query)
                for key, clauses in by_key(self.query, self.events, self.readings).items():
                    self.keyed[key] = clauses, clauses.levels()

    def chains(self) -> list[Chain]:
        """Return the chains that go no further, in the order of their events."""
        if isinstance(self.query, tree.Single):
            category = self.query.event.category
            return [(place,) for place, event in enumerate(self.events) if category in (None, event.template)]
        ended: list[Chain] = []
        for clauses, levels in self.keyed.values():
            for level, following in pairwise([*levels, []]):
                longer = {chain[:-1] for chain in following}
                ended += [self._until_end(clauses, levels, chain) for chain in level if chain not in longer]
        if isinstance(self.query, tree.Sample):
            items = self._items(self.query)
            for key in items[0]:
                several = [item.get(key, ()) for item in items]
                beginnings = (chosen_of(several[:count]) for count in range(len(items), 0, -1))
                ended.append(next(chosen for chosen in beginnings if chosen is not None))
        return sorted(ended)

    def _until_end(self, clauses: Clauses, levels: Sequence[Sequence[Chain]], chain: Chain) -> Chain:
        """Return a chain that goes no further with the event that it would go on with but for until, if it has one."""
        following = next(self._following(clauses, chain), None)
        if following is None or not clauses.ending((chain[-1], following)):
            return chain
        replaced = any(chain[-1] < end[-1] < following for end in levels[len(chain) - 1])
        return chain if replaced else (*chain, following)

    def _following(self, clauses: Clauses, chain: Chain) -> Iterator[int]:
        """Yield the later events of the stage that comes next."""
        if len(chain) < len(self.stages):
            yield from (place for place in clauses.stages[len(chain)] if place > chain[-1])

    def on(self, chain: Chain) -> Explained:
        """Return the clauses on events, one for each stage."""
        events = [self.events[position] for position in chain]
        fields = [self._fields(stage) for stage in self.stages]
        reasons = [self._fits(event, number) for number, event in enumerate(events)]
        reasons += self._keys(events, fields)
        if all(reason.holds for reason in reasons):
            match self.query:
                case tree.Sequence():
                    reasons += self._sequence(self.query, chain)
                case tree.Sample():
                    reasons += self._sample(self.query, chain)
        keys, ids = tuple(written(events[0], fields[0])), tuple(event.id for event in events)
        if not isinstance(self.query, tree.Sample) and self.query.pipes and all(reason.holds for reason in reasons):
            self.results = self.results or evaluate(self.query, self.events, self.readings)
            passes = any(result["events"] == [*ids] for result in self.results)
            pipes = " ".join(f"| {pipe.end.value} {pipe.count}" for pipe in self.query.pipes)
            reasons.append(Reason("EQL/PIPE", passes, f"{pipes} keeps it"))
        return Explained(keys, ids, tuple(reasons), len(chain) == len(self.stages))

    def alone(self, position: int) -> Explained:
        """Return which stages an event fits that is in no chain, and what the chains before it did instead."""
        event = self.events[position]
        reasons: list[Reason] = []
        for number, stage in enumerate(self.stages):
            fits = [self._fits(event, number), *self._keys([event], [self._fields(stage)])]
            reasons += fits
            if all(reason.holds for reason in fits):
                reasons.append(self._unchained(number, position))
        return Explained((), (event.id,), tuple(reasons), whole=False)

    # --- Clauses ------------------------------------------------------------------------------------------------------

    def _fits(self, event: Event, number: int) -> Reason:
        wrong = misfit(event, self.stages[number].event, self.readings)
        return Reason("EQL/THREE", not wrong, f"{event.id} fits {self._name(number)}", wrong)

    def _keys(self, events: Sequence[Event], fields: Sequence[tuple[tree.Field, ...]]) -> Iterator[Reason]:
        """Yield which events are in no key, or in another one than the first; if there are none, the key."""
        first = key_of(events[0], fields[0], self.readings)
        holds = True
        for event, own in zip(events, fields, strict=False):
            wrong = keyless(event, own, self.readings)
            if wrong:
                yield Reason("EQL/KEY", False, f"{event.id} is in a key", wrong)
            elif first is not None and key_of(event, own, self.readings) != first:
                yield Reason("EQL/KEY", False, f"{event.id} is in the key of {events[0].id}", fields_text(event, own))
            else:
                continue
            holds = False
        if holds and fields[0]:
            yield Reason("EQL/KEY", True, "one key", fields_text(events[0], fields[0]))

    def _sequence(self, query: tree.Sequence, chain: Chain) -> Iterator[Reason]:
        key = key_of(self.events[chain[0]], self._fields(self.stages[0]), self.readings)
        assert key is not None
        clauses, levels = self.keyed[key]
        for number, (left, right) in enumerate(pairwise(chain), 1):
            between = f"between {self._ids(left, right)}"
            if left >= right:
                yield Reason("EQL/CHAIN", False, f"{self._ids(right)} comes after {self._ids(left)}")
                return
            earlier = [place for place in clauses.stages[number] if left < place < right]
            yield self._none("EQL/CHAIN", f"no {self._name(number)} {between}", chain[0], earlier)
            ends = [end[-1] for end in levels[number - 1] if left < end[-1] < right and end[-1] not in earlier]
            yield self._none("EQL/OVERWRITE", f"no later chain of {counted(number)} {between}", chain[0], ends)
        whole = len(chain) == len(self.stages)
        if not whole and not clauses.ending(chain):
            yield self._unfinished(clauses, levels, chain)
        first, last = self.events[chain[0]], self.events[chain[-1]]
        if query.maxspan is not None and len(chain) > 1:
            lasts, most = last.timestamp - first.timestamp, query.maxspan.milliseconds
            value = duration_in_words(lasts) + (f", {duration_in_words(lasts - most)} too long" if lasts > most else "")
            demand = f"{last.id} at most {duration_in_words(most)} after {first.id}"
            times = first.timestamp, first.timestamp + most
            yield Reason("EQL/SPAN", clauses.in_span(chain), demand, value, times=times)
        if query.until is not None and len(chain) > 1:
            demand, times = (
                f"no until ({place_text(query.until)}) between {self._ids(*chain)}",
                (first.timestamp, last.timestamp),
            )
            yield self._none("EQL/UNTIL", demand, chain[0], clauses.ending(chain), times)
        misplaced = clauses.misplaced(chain)
        for place, stages in enumerate(tree.between(query)):
            if stages and query.maxspan is not None and (whole or 0 < place < len(chain)):
                absent = " or ".join(f"missing event ({place_text(stage)})" for stage in stages)
                where, times = self._where(chain, place, query.maxspan.milliseconds)
                yield self._none("EQL/MISSING", f"no {absent} {where}", chain[0], misplaced.get(place, ()), times)

    def _where(self, chain: Chain, place: int, maxspan: int) -> tuple[str, tuple[int, int]]:
        """Return the place of a missing stage in words, and its first and last time."""
        first, last = self.events[chain[0]], self.events[chain[-1]]
        if place == 0:
            words = f"before {first.id}, at most {duration_in_words(maxspan)} before {last.id}"
            return words, (min(last.timestamp - maxspan, first.timestamp), first.timestamp)
        if place == len(self.stages):
            words = f"after {last.id}, at most {duration_in_words(maxspan)} after {first.id}"
            return words, (last.timestamp, max(first.timestamp + maxspan, last.timestamp))
        left, right = (self.events[position] for position in chain[place - 1 : place + 1])
        return f"between {left.id}, {right.id}", (left.timestamp, right.timestamp)

    def _sample(self, query: tree.Sample, chain: Chain) -> Iterator[Reason]:
        key = key_of(self.events[chain[0]], self._fields(query.items[0]), self.readings)
        if len(chain) < len(self.stages):
            yield Reason("EQL/SAMPLE", False, f"another event with the key fits {self._name(len(chain))}")
            return
        chosen = None if key is None else chosen_of([item.get(key, ()) for item in self._items(query)])
        value = "" if chosen is None else self._ids(*chosen)
        yield Reason("EQL/SAMPLE", chosen == chain, "the first different events of the key", value)

    def _unfinished(self, clauses: Clauses, levels: Sequence[Sequence[Chain]], chain: Chain) -> Reason:
        """Return what keeps a chain from going on."""
        number, last = len(chain), chain[-1]
        following = next(self._following(clauses, chain), None)
        if following is None:
            demand = f"{self._name(number)} with the key after {self._ids(last)}"
            return Reason("EQL/CHAIN", False, demand, self._nearest(number, chain))
        between = f"between {self._ids(last, following)}"
        ends = [end[-1] for end in levels[number - 1] if last < end[-1] < following]
        if ends:
            return self._none("EQL/OVERWRITE", f"no later chain of {counted(number)} {between}", chain[0], ends)
        return self._none("EQL/GAP", f"no missing event {between}", chain[0], clauses.lying(number, last, following))

    def _nearest(self, number: int, chain: Chain) -> str:
        """Return why the event that is nearest to a stage does not go on with a chain: one of its category, if possible
        with the key."""
        first, fields = self.events[chain[0]], (self._fields(self.stages[0]), self._fields(self.stages[number]))
        key, category = key_of(first, fields[0], self.readings), self.stages[number].event.category
        later = [event for event in self.events[chain[-1] + 1 :] if category in (None, event.template)]
        if not later:
            return "no event of its category comes"
        nearest = min(later, key=lambda event: key_of(event, fields[1], self.readings) != key)
        reasons = (self._fits(nearest, number), *self._keys((first, nearest), fields))
        return f"{nearest.id}: {'; '.join(reason.value for reason in reasons if not reason.holds)}"

    def _unchained(self, number: int, position: int) -> Reason:
        """Return why no chain goes on with an event of a stage, or no sample has it."""
        if isinstance(self.query, tree.Sample):
            return Reason("EQL/SAMPLE", False, "among the first different events of the key")
        key = key_of(self.events[position], self._fields(self.stages[number]), self.readings)
        keyed = None if key is None else self.keyed.get(key)
        before = [] if keyed is None else [chain for chain in keyed[1][number - 1] if chain[-1] < position]
        value = "none with its key ends before it"
        if keyed is not None and before:
            waiting = max(before, key=lambda chain: chain[-1])
            following = next(place for place in keyed[0].stages[number] if place > waiting[-1])
            ended_by = "until" if keyed[0].ending((waiting[-1], following)) else "a missing event"
            ended = following == position or ended_by == "until"
            went = f"was ended by {ended_by}" if ended else f"went on with {self._ids(following)}"
            value = f"{self._ids(*waiting)} {went}"
        return Reason("EQL/CHAIN", False, f"a chain of {counted(number)} waits for it", value)

    def _none(
        self, rule: str, demand: str, first: int, places: Sequence[int], times: tuple[int, int] | None = None
    ) -> Reason:
        """Return that no event is at some place, or which ones are, and how long after the first event of a chain."""
        start, events = self.events[first], [self.events[place] for place in places]
        words = []
        for event in events:
            apart = event.timestamp - start.timestamp
            words.append(f"{event.id} {duration_in_words(abs(apart))} {'after' if apart >= 0 else 'before'} {start.id}")
        return Reason(rule, not events, demand, ", ".join(words), tuple(event.id for event in events), times)

    def _name(self, number: int) -> str:
        """Return a stage by its number and place in the query."""
        return f"stage {number + 1} ({place_text(self.stages[number])})"

    def _items(self, query: tree.Sample) -> list[dict[Key, Sequence[int]]]:
        return [dict(positions_of(item, query, self.events, self.readings)) for item in query.items]

    def _fields(self, stage: tree.Stage) -> tuple[tree.Field, ...]:
        return () if isinstance(self.query, tree.Single) else tree.keys_of(self.query, stage)

    def _ids(self, *positions: int) -> str:
        return ", ".join(self.events[position].id for position in positions)


def place_text(stage: tree.Stage) -> str:
    """Return the line and column of a stage in the query."""
    return f"{stage.span.start.line}:{stage.span.start.column}"


def counted(count: int) -> str:
    """Return a number of events, in words."""
    return f"{count} event{'' if count == 1 else 's'}"
