"""The processor that Spark calls for each key: `transformWithState` with rows, event time and timers.

Spark passes arguments by these very names. The watermark that it passes is that of the batch before: an event with a
timestamp above it is still on time, one at or below it is late.
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
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission, Unemitted
from parte.spark_adapter.results import COLUMNS, schema
from parte.spark_adapter.stream.bucket import Bucket
from parte.spark_adapter.stream.job import Job
from parte.spark_adapter.stream.keyed import KeyedMachine
from parte.spark_adapter.stream.retained import Retained
from parte.spark_adapter.stream.rows import ASIDE, END
from parte.spark_adapter.stream.shared import Sending, Shared
from parte.spark_adapter.stream.state import StateError, event_of

OUTPUT = f"kind string, job string, {schema(*COLUMNS)}, record string, entries long, waiting long, bound long"
"""The output: for the kinds match, failure and suppressed the columns of results; for these, late and rejected a record
as JSON; for the kind state, which only the metrics read, the entries of a key after the batch and the most that its
histories may have."""

Key = tuple[str, int, str]

Engine = TypeVar("Engine", KeyedMachine, Bucket)

_engines: dict[tuple[str, str, int], KeyedMachine | Bucket] = {}
"""The engines of this worker process, which outlives the batch, by run, job and group."""


@dataclass(frozen=True, slots=True)
class Done:
    """The results of a batch for one key or bucket. `late` are the events below the promise, `state` is its new state
    (None: empty), `timer` the least promise that needs work even without events (None: there is none), `entries` the
    number of its entries and `bound` the most that are allowed, `waiting` the number of events that wait because they
    are too far ahead; `met` is true if an event or a state was processed."""

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    suppressed: tuple[SuppressedEmission, ...]
    late: tuple[Event, ...]
    state: str | None
    timer: int | None
    entries: int = 0
    waiting: int = 0
    bound: int | None = None
    met: bool = True


def promise_of(watermark: int, disorder: int) -> int:
    """Return the promise of a watermark (milliseconds): every later event has a timestamp >= it.

    Spark starts with the watermark 0, which promises nothing.
    """
    if watermark <= 0:
        return NEGATIVE_INFINITY
    return POSITIVE_INFINITY if watermark >= last_watermark(disorder) else watermark + 1


def last_watermark(disorder: int) -> int:
    """Return the watermark after the end of the stream."""
    return END - disorder - 1


class Detector(StatefulProcessor):
    """The common part of the engines: promises, timers, and results for lines that no engine gets."""

    def __init__(self, shared: Shared | Sending, disorder: int) -> None:
        self._shared = shared
        self._disorder = disorder

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state of a key: its timer and the state of the engine."""
        self._handle = handle
        self._state: ValueState = handle.getValueState("machine", "timer long, histories string")

    def handleInputRows(  # type: ignore[override] # rows, not data frames: what it is depends on the operator
        self, key: Key, rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        """Process the rows of a key in a batch, in no order."""
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
        """Process a key without events: the watermark has passed its timer."""
        yield from self._step(key, (), timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Do nothing: no resource is open."""

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        """Return the results of the rows of a key and a promise; `before` is the previous state of the engine."""
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
            _engines.clear()  # an engine may be in an inconsistent state
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
                unemitted_record(failure),
                bindings=_bindings(failure.bindings),
                emission=failure.position,
                without_value=list(failure.without_value) or None,  # the machine does not report it
            )
        for suppressed in done.suppressed:
            yield _row(
                "suppressed",
                job,
                suppressed.rule,
                unemitted_record(suppressed),
                bindings=_bindings(suppressed.bindings),
                emission=suppressed.position,
                event=suppressed.event,
                passed=suppressed.passed,
            )
        yield _row("state", job, entries=done.entries, waiting=done.waiting, bound=done.bound)

    def _engine(self, key: Key, create: Callable[[Job, int], Engine]) -> Engine:
        """Return the engine of a group in this worker, created on the first call."""
        job, part, _ = key
        run = self._shared.run
        place = run, job, part
        if place not in _engines:
            for outdated in [known for known in _engines if known[0] != run]:
                del _engines[outdated]
            _engines[place] = create(self._shared.jobs()[job], part)
        engine = _engines[place]
        return cast(Engine, engine)


class ByMachine(Detector):
    """The sound machines of some jobs, one for each key."""

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        machine = self._engine(key, Job.machine)
        events = [(event_of(json.loads(row.event)), row.first) for row in rows]
        late = tuple(event for event, first in events if event.timestamp < promise and first)
        own = [event for event, _ in events if event.timestamp >= promise]
        if before is None and not own:
            return Done((), (), (), late, None, None, met=False)
        done = machine.run(key[2], before, own, promise)
        return Done(
            done.matches,
            done.failures,
            done.suppressed,
            late,
            done.state,
            done.timer,
            done.entries,
            done.waiting,
            machine.bound,
        )


class ByQueries(Detector):
    """The queries of some jobs, over all keys of a bucket at once."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state of a bucket: its segments, besides the state that the base class opens."""
        super().init(handle)
        self._segments: MapState = handle.getMapState("segments", "segment string, template string", "content binary")

    def read(self, segment: str, template: str) -> bytes:
        """Return the content of a segment. StateError if it does not exist."""
        content = self._segments.getValue((segment, template))
        if content is None:
            raise StateError(f"the segment {segment} of {template} is not in the state")
        return bytes(content[0])

    def write(self, segment: str, template: str, content: bytes) -> None:
        """Store the content of a segment."""
        self._segments.updateValue((segment, template), (content,))

    def remove(self, segment: str, template: str) -> None:
        """Remove a segment."""
        self._segments.removeKey((segment, template))

    def _advance(self, key: Key, before: str | None, rows: Sequence[Row], promise: int) -> Done:
        bucket = self._engine(key, Job.bucket)
        new, late = bucket.admitted([bytes(row.block) for row in rows], promise)
        if before is None and not new:
            return Done((), (), (), tuple(late), None, None, met=False)
        done = bucket.run(None if before is None else Retained.of_json(before), self, new, promise)
        state = None if done.retained is None else done.retained.to_json()
        entries = 0 if done.retained is None else done.retained.rows
        return Done(done.matches, done.failures, (), tuple(late), state, done.timer, entries)


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
    event: str | None = None,
    passed: str | None = None,
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
        event=event,
        passed=passed,
        record=record,
        entries=entries,
        waiting=waiting,
        bound=bound,
    )


def _bindings(bindings: Iterable[tuple[str, str]]) -> list[Row]:
    return [Row(variable=variable, event=event) for variable, event in bindings]


def unemitted_record(emission: Unemitted) -> str:
    """Return an emission that emitted nothing as JSON: rule, position from 1, bindings; the id of the event that passed
    if it is suppressed."""
    return _json(emission.record())


def _late(job: str, event: Event, promise: int) -> Row:
    event_record = {
        "id": event.id,
        "template": event.template,
        "timestamp": event.timestamp,
        "source": event.source,
        "attributes": dict(event.attributes),
    }
    return _row("late", job, None, _json({"event": event_record, "promised": promise}))


def _rejected(job: str, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        if row.problem is not None:
            yield _row("rejected", job, None, _json({"line": row.event, "problem": row.problem}))


def _json(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
