"""What Spark calls for each key: `transformWithState` with rows, event time and timers.

Spark calls the methods with arguments by these very names. The watermark that it tells is that of the batch before:
every event with a timestamp above it is still welcome, one at or below it is late.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
    ValueState,
)

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.outcome import EmissionFailure
from parte.spark_adapter.stream.keyed import KeyedMachine
from parte.spark_adapter.stream.rows import ASIDE, END
from parte.spark_adapter.stream.shared import Sending, Shared
from parte.spark_adapter.stream.state import event_of

OUTPUT = "kind string, job string, rule string, record string, entries long, waiting long, bound long"
"""What comes out: for the kinds match, failure, late and rejected a record as JSON; for the kind state, which only the
metrics see, what a key holds after the batch and the most that its histories may hold."""

Key = tuple[str, int, str]

_machines: dict[tuple[str, str, int], KeyedMachine] = {}
"""The machines of this worker process, which outlives the batch, by run, job and group."""


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
    """The sound machines of some jobs."""

    def __init__(self, shared: Shared | Sending, disorder: int) -> None:
        self._shared = shared
        self._disorder = disorder

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state of a key: the timer that is set and what the machine remembers."""
        self._handle = handle
        self._state: ValueState = handle.getValueState("machine", "timer long, histories string")

    def handleInputRows(  # type: ignore[override] # rows, not data frames: what it is depends on the operator
        self, key: Key, rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        """The rows of a key in a batch, in no order."""
        if key[1] == ASIDE:
            yield from _rejected(key[0], rows)
            return
        watermark = timerValues.getCurrentWatermarkInMs()
        promise = promise_of(watermark, self._disorder)
        events: list[Event] = []
        for row in rows:
            if row.timestamp < promise:
                if row.first:
                    yield _late(key[0], event_of(json.loads(row.event)), promise)
            else:
                events.append(event_of(json.loads(row.event)))
        yield from self._step(key, events, watermark, promise)

    def handleExpiredTimer(
        self,
        key: Key,
        timerValues: TimerValues,
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002 - Spark passes it by name
    ) -> Iterator[Row]:
        """The watermark has passed the time at which a key has something to do without events."""
        watermark = timerValues.getCurrentWatermarkInMs()
        yield from self._step(key, (), watermark, promise_of(watermark, self._disorder))

    def close(self) -> None:
        """Nothing is held open."""

    def _step(self, key: Key, events: Sequence[Event], watermark: int, promise: int) -> Iterator[Row]:
        before: tuple[Any, ...] | None = self._state.get()
        if before is None and not events:
            return
        timer, histories = before or (None, None)
        job, part, value = key
        machine = self._machine(job, part)
        try:
            done = machine.run(value, histories, events, promise)
        except Exception:
            _machines.clear()  # it may have stopped half way
            raise
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
            yield _row("match", job, match.rule, match.to_json())
        for failure in done.failures:
            yield _row("failure", job, failure.rule, failure_record(failure))
        yield _row("state", job, entries=done.entries, waiting=done.waiting, bound=machine.bound)

    def _machine(self, job: str, part: int) -> KeyedMachine:
        run = self._shared.run
        place = run, job, part
        if place not in _machines:
            for other in [known for known in _machines if known[0] != run]:
                del _machines[other]
            _machines[place] = self._shared.jobs()[job].machine(part)
        return _machines[place]


def _row(
    kind: str,
    job: str,
    rule: str | None = None,
    record: str | None = None,
    *,
    entries: int | None = None,
    waiting: int | None = None,
    bound: int | None = None,
) -> Row:
    return Row(kind=kind, job=job, rule=rule, record=record, entries=entries, waiting=waiting, bound=bound)


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
