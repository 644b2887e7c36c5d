"""A campaign in several processes: each attacks every n-th case, so that together they attack those of one process.

An interrupt (Ctrl-C) ends all of them after the cases that they are at, and what they have counted by then is returned.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from queue import Empty
from typing import Any, Protocol

from parte.semantics.source.workers import end_with_parent
from tests.campaigns.running import INTERRUPTED, run

_POLL = 0.5
"""Seconds between two looks at the processes."""


class _Event(Protocol):
    def is_set(self) -> bool: ...


class _Results(Protocol):
    def put(self, item: tuple[list[str], Counter[str]]) -> None: ...


@dataclass(frozen=True, slots=True)
class Part:
    """What one process does: which campaign, which seed, for how long, and which cases."""

    name: str
    seed: int
    seconds: float
    first: int
    cases: int | None
    step: int


def run_apart(part: Part, processes: int, say: Callable[[str], None]) -> tuple[list[str], Counter[str]]:
    """Attack the cases in several processes. Return which failures there are, and the counts of all processes."""
    context = get_context("spawn")
    stop, results = context.Event(), context.Queue()
    workers = [
        context.Process(target=_work, args=(share, f"process {number + 1}", stop, results), daemon=False)
        for number, share in enumerate(_shares(part, processes))
    ]
    for worker in workers:
        worker.start()
    failures: list[str] = []
    counts: Counter[str] = Counter()
    ended = 0
    while ended < len(workers):
        try:
            named, more = results.get(timeout=_POLL)
        except KeyboardInterrupt:
            say("interrupted: each process ends after its case")
            counts[INTERRUPTED] = 1
            stop.set()
            continue
        except Empty:
            if lost := [worker for worker in workers if worker.exitcode]:
                stop.set()
                raise RuntimeError(f"a process ended with exit code {lost[0].exitcode}") from None
            continue
        ended += 1
        failures += [name for name in named if name not in failures]
        counts.update(more)
    for worker in workers:
        worker.join()
    return failures, counts


def _shares(part: Part, processes: int) -> list[Part]:
    shares = []
    for number in range(processes):
        cases = None if part.cases is None else len(range(number, part.cases, processes))
        shares.append(Part(part.name, part.seed, part.seconds, part.first + number, cases, processes))
    return shares


def _work(part: Part, title: str, stop: _Event, results: _Results) -> None:
    os.setpgid(
        0, 0
    )  # Ctrl-C is for the process that started this one, not for this one and the programs that it starts
    end_with_parent()
    campaign: Any = importlib.import_module("tests.campaigns.__main__").CAMPAIGNS[part.name]
    failures, counts = run(
        campaign,
        seed=part.seed,
        seconds=part.seconds,
        first=part.first,
        cases=part.cases,
        step=part.step,
        stopped=stop.is_set,
        say=lambda text: print(f"{title}: {text}", flush=True),
    )
    results.put(([failure.what for failure in failures], counts))
