"""What Spark calls for each key: `transformWithState` with rows, event time and timers.

Spark calls the methods with arguments by these very names. The watermark that it tells is that of the batch before:
every event with a timestamp above it is still welcome, one at or below it is late.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    MapState,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.spark_adapter.results import COLUMNS, schema
from parte.spark_adapter.stream.bucket import Bucket
from parte.spark_adapter.stream.job import Job
from parte.spark_adapter.stream.keyed import KeyedMachine
from parte.spark_adapter.stream.retained import Retained
from parte.spark_adapter.stream.rows import ASIDE, END
from parte.spark_adapter.stream.shared import Sending, Shared
from parte.spark_adapter.stream.state import StateError, event_of

OUTPUT = f"kind string, job string, {schema(*COLUMNS)}, record string, entries long, waiting long, bound long"
"""What comes out: for the kinds match and failure the columns of results; for these, late and rejected a record as
JSON; for the kind state, which only the metrics see, what a key holds after the batch and the most that its histories
may hold."""

Key = tuple[str, int, str]

Engine = TypeVar("Engine", KeyedMachine, Bucket)

_engines: dict[tuple[str, str, int], KeyedMachine | Bucket] = {}
"""The engines of this worker process, which outlives the batch, by run, job and group."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a batch gave one key or bucket. `late` are the events below the promise, `state` is what it remembers (None:
    nothing), `timer` the least promise with which it has something to do even without events (None: there is none),
    `entries` what it holds and `bound` the most that it may, `waiting` how many events wait because they are too far
    ahead; `met` says whether anything was looked at."""

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    late: tuple[Event, ...]
    state: str | None
    timer: int | None
    entries: int = 0
    waiting: int = 0
    bound: int | None = None
    met: bool = True


def promise_of(watermark: int, disorder: int) -> int:
    """What a watermark (milliseconds) promises: every later event has a timestamp >= it.

    Spark starts with the watermark 0, which promises nothing.
    """
    if watermark <= 0:
        return NEGATIVE_INFINITY
    return POSITIVE_INFINITY if watermark >= last_watermark(disorder) else watermark + 1


def last_watermark(disorder: int) -> int:
    """The watermark after the end of the stream."""
    return END - disorder - 1


class Detector(StatefulProcessor):
    """What the engines have in common: promises, timers, and what is said of lines that no engine sees."""

    def __init__(self, shared: Shared | Sending, disorder: int) -> None:
        self._shared = shared
        self._disorder = disorder

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state of a key: the timer that is set and what the engine remembers."""
        self._handle = handle
        self._state: ValueState = handle.getValueState("machine", "timer long, histories string")

    def handleInputRows(  # type: ignore[override] # rows, not data frames: what it is depends on the operator
        self, key: Key, rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        """The rows of a key in a batch, in no order."""
        if key[1] == ASIDE:
            yield from _rejected(key[0], rows)
            return
        yield from self._step(key, list(rows), timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(
        self,
        key: Key,
        timerValues: TimerValues,
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002 - Spark passes it by name
    ) -> Iterator[Row]:
        """The watermark has passed the time at which a key has something to do without events."""
        yield from self._step(key, (), timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Nothing is held open."""

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        """What follows from the rows of a key and a promise; `before` is what the engine remembered."""
        raise NotImplementedError

    def _step(self, key: Key, rows: Sequence[Row], watermark: int) -> Iterator[Row]:
        before: tuple[Any, ...] | None = self._state.get()
        if before is None and not rows:
            return
        timer, remembered = before or (None, None)
        job = key[0]
        promise = promise_of(watermark, self._disorder)
        try:
            done = self._advance(key, remembered, rows, promise)
        except Exception:
            _engines.clear()  # one may have stopped half way
            raise
        for event in done.late:
            yield _late(job, event, promise)
        if before is None and done.state is None and not done.met:
            return
        due = None
        if done.timer is not None:
            # A timer fires when the watermark has passed it, and the watermark is one less than the promise. One set
            # to the watermark of this batch never fires, as the suite has shown.
            due = min(max(done.timer - 2, watermark + 1), last_watermark(self._disorder) - 1)
        if timer is not None and timer != due:
            self._handle.deleteTimer(timer)
        if due is not None and timer != due:
            self._handle.registerTimer(due)
        if done.state is not None:
            self._state.update((due, done.state))
        elif before is not None:
            self._state.clear()
        for match in done.matches:
            emits = [event.id for event in match.emits]
            yield _row("match", job, match.rule, match.to_json(), bindings=_bindings(match.bindings), emits=emits)
        for failure in done.failures:
            yield _row(
                "failure",
                job,
                failure.rule,
                failure_record(failure),
                bindings=_bindings(failure.bindings),
                emission=failure.position,
                without_value=list(failure.without_value) or None,  # the machine does not say
            )
        yield _row("state", job, entries=done.entries, waiting=done.waiting, bound=done.bound)

    def _engine(self, key: Key, made: Callable[[Job, int], Engine]) -> Engine:
        """The engine of a group in this worker, made if it is not there yet."""
        job, part, _ = key
        run = self._shared.run
        place = run, job, part
        if place not in _engines:
            for other in [known for known in _engines if known[0] != run]:
                del _engines[other]
            _engines[place] = made(self._shared.jobs()[job], part)
        found = _engines[place]
        return cast(Engine, found)


class ByMachine(Detector):
    """The sound machines of some jobs, one for each key."""

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        machine = self._engine(key, Job.machine)
        events = [(event_of(json.loads(row.event)), row.first) for row in rows]
        late = tuple(event for event, first in events if event.timestamp < promise and first)
        own = [event for event, _ in events if event.timestamp >= promise]
        if before is None and not own:
            return Done((), (), late, None, None, met=False)
        done = machine.run(key[2], before, own, promise)
        return Done(
            done.matches, done.failures, late, done.state, done.timer, done.entries, done.waiting, machine.bound
        )


class ByQueries(Detector):
    """The queries of some jobs, over all keys of a bucket at once."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state of a bucket: besides what the base class opens, its segments."""
        super().init(handle)
        self._segments: MapState = handle.getMapState("segments", "segment string, template string", "content binary")

    def read(self, segment: str, template: str) -> bytes:
        """The content of a segment. StateError if it is not there."""
        found = self._segments.getValue((segment, template))
        if found is None:
            raise StateError(f"the segment {segment} of {template} is not in the state")
        return bytes(found[0])

    def write(self, segment: str, template: str, content: bytes) -> None:
        """Keep the content of a segment."""
        self._segments.updateValue((segment, template), (content,))

    def remove(self, segment: str, template: str) -> None:
        """Forget it."""
        self._segments.removeKey((segment, template))

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        bucket = self._engine(key, Job.bucket)
        new, late = bucket.admitted([bytes(row.block) for row in rows], promise)
        if before is None and not new:
            return Done((), (), tuple(late), None, None, met=False)
        done = bucket.run(None if before is None else Retained.of_json(before), self, new, promise)
        state = None if done.retained is None else done.retained.to_json()
        entries = 0 if done.retained is None else done.retained.rows
        return Done(done.matches, done.failures, tuple(late), state, done.timer, entries)


def _row(
    kind: str,
    job: str,
    rule: str | None = None,
    record: str | None = None,
    *,
    bindings: list[Row] | None = None,
    emits: list[str] | None = None,
    emission: int | None = None,
    without_value: list[str] | None = None,
    entries: int | None = None,
    waiting: int | None = None,
    bound: int | None = None,
) -> Row:
    return Row(
        kind=kind,
        job=job,
        rule=rule,
        bindings=bindings,
        emits=emits,
        emission=emission,
        without_value=without_value,
        record=record,
        entries=entries,
        waiting=waiting,
        bound=bound,
    )


def _bindings(bindings: Iterable[tuple[str, str]]) -> list[Row]:
    return [Row(variable=variable, event=event) for variable, event in bindings]


def failure_record(failure: EmissionFailure) -> str:
    """An emission without a value as JSON: rule, position from 1, bindings."""
    return _json(failure.record())


def _late(job: str, event: Event, promise: int) -> Row:
    shown = {
        "id": event.id,
        "template": event.template,
        "timestamp": event.timestamp,
        "source": event.source,
        "attributes": dict(event.attributes),
    }
    return _row("late", job, None, _json({"event": shown, "promised": promise}))


def _rejected(job: str, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        if row.problem is not None:
            yield _row("rejected", job, None, _json({"line": row.event, "problem": row.problem}))


def _json(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
