"""What shares cost, and when they pay (docs/cel.md derives it; T §6.5 measures it).

Of n processes with shares each evaluates the whole stream, counts the paths of what is live, passes by the results of
the others that come before its own, and enumerates its own. Only this last part is divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.languages.cel.semantics.enumeration import share


@dataclass(frozen=True, slots=True)
class Work:
    """What a stream asks of a process, in any unit: node visits, or seconds.

    `results` has how many end with each event; zeros may be left out. `evaluation` is for the whole stream, `result`
    for one result that is enumerated. The rest is done only where there are several processes: `counting` once by
    each, for the whole stream, and `passing` for each result that it passes by.
    """

    results: Sequence[int]
    evaluation: float
    result: float
    counting: float
    passing: float


def alone(work: Work) -> float:
    """What one process takes that shares with nobody."""
    return work.evaluation + work.result * sum(work.results)


def shared(work: Work, processes: int, index: int) -> float:
    """What one of several processes takes."""
    if processes == 1:
        return alone(work)
    shares = [share(results, processes, index) for results in work.results]
    passed = sum(skipped for skipped, printed in shares if printed)
    return work.evaluation + work.counting + work.passing * passed + work.result * sum(printed for _, printed in shares)


def slowest(work: Work, processes: int) -> float:
    """What the last of several processes to end takes."""
    return max(shared(work, processes, index) for index in range(processes))


def gain(work: Work, processes: int) -> float:
    """How many times sooner so many processes are done than one."""
    return alone(work) / slowest(work, processes)


def pays(work: Work, processes: int) -> bool:
    """Whether so many processes are done sooner than one."""
    return slowest(work, processes) < alone(work)


def least_results(processes: int, counting: float, result: float, passing: float) -> float:
    """Shares pay iff more results than these end with one event, of which there are as many for each process.

    Infinite if no number of results suffices: where passing by a result takes as long as enumerating it.
    """
    if result <= passing:
        return float("inf")
    return counting * processes / ((processes - 1) * (result - passing))
