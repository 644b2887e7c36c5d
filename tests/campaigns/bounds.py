"""Sizes for wild programs and deployments: in time whatever is asked, and large enough wherever that can be run."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from parte.checker.environment.deployment import Cardinality, Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds, compiled, knowledge_of
from parte.checker.partelang.bounds.replay import run, schedules, skeleton, worst_arrivals
from parte.checker.partelang.bounds.report import BoundsReport
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.capacities import UNBOUNDED
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.streams import Stream
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns import wild
from tests.campaigns.checker import OVERRUN, peak, within_memory
from tests.campaigns.running import Broken
from tests.campaigns.wild import Wild

TIMEOUT = 1.5
"""Seconds for the sizes of one deployment."""

RUN = 60
"""Programs whose sizes are no larger are run with them."""

_PERIODS = (1, 1, 2, 3, 4)
_HUGE_PERIODS = (1, 7, 1000, 3_600_000, 2**53 + 1, 2**62, 2**63 - 1)

Sending = tuple[str, str, int, int]
"""A source, a template, and how many events in how many milliseconds."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """A program and what it is deployed against; keys are a template, an attribute, a rate and how many values."""

    program: Wild
    sending: tuple[Sending, ...]
    late: int
    keys: tuple[tuple[str, str, int, int, int | None], ...] = ()

    @property
    def deployment(self) -> Deployment:
        """The deployment."""
        sources = tuple(
            Source(name, tuple(Emits(t, Rate(n, p)) for s, t, n, p in self.sending if s == name), self.late)
            for name in dict.fromkeys(source for source, *_ in self.sending)
        )
        keys = tuple(Cardinality(t, (slot,), Rate(n, p), distinct) for t, slot, n, p, distinct in self.keys)
        return Deployment(sources, keys, steps_per_second=1000)


class Bounds:
    """The campaign."""

    name = "bounds"

    def draw(self, source: random.Random) -> Deployed:
        """A program with a deployment of one or two sources."""
        huge = source.random() < 0.4
        program = wild.wild(source, extreme=float(huge), traces=0)
        periods = _HUGE_PERIODS if huge else _PERIODS
        sending: list[Sending] = []
        for name in ("s", "t")[: source.choice((1, 1, 2))]:
            for template in wild.EXTERNAL:
                if name == "s" or source.random() < 0.5:
                    sending.append((name, template, source.choice((1, 1, 2)), source.choice(periods)))
        late = source.choice((0, 0, 1, 2, 2**62 if huge else 3))
        deployed = Deployed(program, tuple(sending), late)
        if source.random() >= 0.2:
            return deployed
        key = source.choice(wild.EXTERNAL), "k", 1, source.choice(periods), source.choice((None, 1, 3))
        return replace(deployed, keys=(key,))

    def smaller(self, case: Deployed) -> Iterator[Deployed]:
        """The case with less of the program, or of the deployment."""
        for program in wild.smaller(case.program):
            yield replace(case, program=program)
        for number, (source, template, events, period) in enumerate(case.sending):
            if len(case.sending) > 1:
                yield replace(case, sending=(*case.sending[:number], *case.sending[number + 1 :]))
            if (events, period) != (1, 1):
                plain = source, template, 1, 1
                yield replace(case, sending=(*case.sending[:number], plain, *case.sending[number + 1 :]))
        if case.late:
            yield replace(case, late=0)
        if case.keys:
            yield replace(case, keys=())

    def show(self, case: Deployed) -> str:
        """The program, and the deployment as a file."""
        lines = []
        for source in case.deployment.sources:
            lines += ["[[source]]", f'name = "{source.name}"', f'late = "{source.late} ms"']
            for emits in source.emits:
                rate = f'at_most = {emits.rate.events}\nper = "{emits.rate.period} ms"'
                lines += ["[[source.emits]]", f'template = "{emits.template}"', rate]
        return case.program.show() + "\n".join(lines) + (f"\nkeys: {case.keys}" if case.keys else "")

    def attack(self, case: Deployed, counts: Counter[str]) -> None:
        """Compute the sizes, and run the program with them."""
        try:
            program = parse(case.program.text)
        except ProgramError:
            counts["no program"] += 1
            return
        started, before = time.perf_counter(), peak()
        try:
            report: BoundsReport | None = bounds(program, case.deployment, timeout=TIMEOUT)
        except NotComputed as problem:
            counts[f"not computed: {str(problem).partition(': ')[2] or problem}"] += 1
            report = None
        if time.perf_counter() - started > TIMEOUT + OVERRUN:
            raise Broken("sizes take longer than they may", f"{time.perf_counter() - started:.1f} s")
        within_memory(before)
        if report is None:
            return
        counts["computed"] += 1
        report.render()
        json.dumps(report.to_json())
        _live(program, case, report, counts)
        if report.bounded and not case.keys and all((size.viable or 0) <= RUN for size in report.sizes):
            _run(program, case.deployment, report, counts)


def _run(program: core.Program, deployment: Deployment, report: BoundsReport, counts: Counter[str]) -> None:
    """The machine with these sizes finds what it finds with all the room there is, and never blocks."""
    bare = skeleton(program)
    for seed in range(2):
        arrivals = worst_arrivals(bare, deployment, seed, 4, together=not report.any_schedule)
        expected = run(bare, deployment, arrivals, UNBOUNDED, RoundRobin()).matches
        for schedule in schedules(seed) if report.any_schedule else (RoundRobin(),):
            counts["runs within sizes"] += 1
            outcome = run(bare, deployment, arrivals, report.capacities(), schedule)
            if outcome.blocked is not None:
                raise Broken("a size is too small", f"{schedule.name}: {outcome.blocked}")
            if outcome.matches != expected:
                raise Broken("matches within sizes differ", schedule.name)


def _live(program: core.Program, case: Deployed, report: BoundsReport, counts: Counter[str]) -> None:
    """No arrangement of events that the rates allow has more live partial matches than the report says."""
    source = random.Random(case.late)
    network = compiled(program, case.deployment)
    known = retention(network, case.deployment.supplies(), knowledge_of(program, case.deployment))
    for node in network.nodes:
        if not isinstance(node, TwoInputNode):
            continue
        left, live = known.inputs[node.name][0], report.size(node.name, "left").live
        partial = left.partial
        depths = [most + 1 for most in node.maxima]
        if live is None or any(stream.emissions or stream.keys for stream in partial.streams) or max(depths) > 30:
            continue
        if live.least > live.greatest:
            raise Broken("a least count beyond the greatest", node.name)
        for _ in range(4):
            sent = {id(stream): _times(source, stream, max(depths)) for stream in partial.streams}
            count = sum(
                all(-most <= time for time, most in zip(times, node.maxima, strict=True))
                and all(any(times[i] < -end for i, end in defeat.maxima) for defeat in left.defeats)
                and all(
                    partial.distances[i][j][0] <= times[j] - times[i] <= partial.distances[i][j][1]
                    for j in range(len(times))
                    for i in range(j)
                )
                for times in product(*(sent[id(stream)] for stream in partial.streams))
            )
            counts["arrangements counted"] += 1
            if count > live.greatest:
                raise Broken("more is live than can be", f"{node.name}: {count} of {live.greatest}")


def _times(source: random.Random, stream: Stream, depth: int) -> list[int]:
    """Times of events, none after 0, as dense as the rates allow, with gaps."""
    times: list[int] = []
    for supply in stream.supplies:
        moment = -source.choice((0, 0, 1, 2))
        while moment >= -depth and len(times) < 12:
            times.extend([moment] * supply.rate.events)
            moment -= supply.rate.period + (source.random() < 0.2)
    return times
