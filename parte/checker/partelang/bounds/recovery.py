"""The cost of crashes: the longest delay of a report while hosts crash at a rate (specification: recovery-delay).

All nodes are on one host, which takes the steps of a deployment one after the other. Times are exact, in milliseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from parte.checker.environment.deployment import Deployment, Failures
from parte.checker.partelang.bounds.report import BoundsReport
from parte.checker.report.contents import Json

_MOST = 10_000
"""The most rounds of a search for a delay; after that a bound without rounds takes its place."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The cost of crashes. Milliseconds, unless said otherwise.

    `crash` is the most time that one crash costs, `delay` the greatest delay of a report, `calm` the same without
    crashes; both are None if the worst steps of events leave no time. `load` is the share of time that arrivals take in
    the long run, crashes included; with more than 1 the machine never catches up. `worst` is the same by the worst
    steps of each event, `fails_at` the least number of crashes for which there is no `delay`. `best_checkpoint` is the
    period, in steps, at which checkpoints and replays cost least together. `entries` are those in durable storage, with
    the bytes of their events.
    """

    crash: Fraction
    delay: int | None
    calm: int | None
    load: Fraction
    worst: Fraction
    fails_at: int
    best_checkpoint: int
    entries: int
    bytes: int
    steps_per_event: Fraction

    def to_json(self) -> Mapping[str, Json]:
        """Return the numbers as JSON."""
        return {
            "crash_ms": ceil(self.crash),
            "delay_ms": self.delay,
            "delay_without_crashes_ms": self.calm,
            "steps_per_event": ceil(self.steps_per_event),
            "best_checkpoint": self.best_checkpoint,
            "fails_at": self.fails_at,
            "durable_entries": self.entries,
            "durable_bytes": self.bytes,
        }


def recovery(deployment: Deployment, failures: Failures, sizes: BoundsReport) -> Recovery | None:
    """Return the cost of crashes; None if a size or the steps of an event have no bound, or the speed is not known."""
    worst_steps, speed = sizes.worst_steps_per_event, deployment.steps_per_second
    if worst_steps is None or speed is None or not sizes.bounded:
        return None
    steps = Fraction(speed, 1000)
    stored: Counter[str] = Counter()
    widest = max((size.width for size in sizes.sizes), default=1)
    for size in sizes.sizes:
        stored[size.node] += (size.viable or 0) * size.slots
    nodes, entries, largest = len(stored) or 1, sum(stored.values()), max(stored.values(), default=0)
    period, per = failures.checkpoint, failures.per
    overhead = 1 + 2 * failures.log_steps + Fraction(failures.checkpoint_steps * largest, period)
    crash = failures.restart + Fraction(failures.checkpoint_steps * entries + period * nodes) / steps
    event = worst_steps * overhead
    rates = [emits.rate for source in deployment.sources for emits in source.emits]
    arriving = sum((rate.per_millisecond for rate in rates), Fraction())
    crashing = crash * failures.at_most / per
    long_run = Fraction(sizes.steps_per_second) / 1000

    def delay(crashes: int) -> int | None:
        """The least time in which all work that may arrive in it is done, after as many crashes as it may have."""

        def needed(time: Fraction) -> Fraction:
            events = sum(rate.events * ceil(time / rate.period) for rate in rates)
            return event * events / steps + crash * crashes * ceil(time / per)

        rest = 1 - event * arriving / steps - crash * crashes / per
        if rest <= 0:
            return None
        time = needed(Fraction(1, 10**9))
        for _ in range(_MOST):
            if (after := needed(time)) <= time:
                return ceil(time)
            time = after
        return ceil((event * sum(rate.events for rate in rates) / steps + crash * crashes) / rest)

    logged = 2 * entries + 2 * period * nodes + sum(size.slots for size in sizes.sizes if size.store == "inbox")
    return Recovery(
        crash,
        delay(failures.at_most),
        delay(0),
        long_run * overhead / steps + crashing,
        event * arriving / steps + crashing,
        max(0, ceil((1 - event * arriving / steps) * per / crash)),
        max(1, isqrt(int(long_run * failures.checkpoint_steps * largest * per / (nodes * failures.at_most)))),
        logged,
        2 * (sizes.memory or 0) + period * nodes * widest * sizes.event_bytes,
        event,
    )
