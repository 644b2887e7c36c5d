"""The cost of shares, and when they pay (docs/cel.md derives it; T §6.5 measures it).

Each of n processes with shares evaluates the whole stream, counts the paths of live nodes, skips the results of other
processes before its own, and enumerates its own. Only this last part is divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.languages.cel.semantics.enumeration import share


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a process on a stream, in any unit: node visits, or seconds.

    `results` has the number of results that end with each event; zeros may be left out. `evaluation` is for the whole
    stream, `result` for one enumerated result. The rest is only for several processes: `counting` once by each, for the
    whole stream, and `passing` for each skipped result.
    """

    results: Sequence[int]
    evaluation: float
    result: float
    counting: float
    passing: float


def alone(work: Work) -> float:
    """Return the cost of a single process."""
    return work.evaluation + work.result * sum(work.results)


def shared(work: Work, processes: int, index: int) -> float:
    """Return the cost of one of several processes."""
    if processes == 1:
        return alone(work)
    shares = [share(results, processes, index) for results in work.results]
    passed = sum(skipped for skipped, printed in shares if printed)
    return work.evaluation + work.counting + work.passing * passed + work.result * sum(printed for _, printed in shares)


def slowest(work: Work, processes: int) -> float:
    """Return the cost of the slowest of several processes."""
    return max(shared(work, processes, index) for index in range(processes))


def gain(work: Work, processes: int) -> float:
    """Return the speedup of several processes over one."""
    return alone(work) / slowest(work, processes)


def pays(work: Work, processes: int) -> bool:
    """Return whether several processes finish earlier than one."""
    return slowest(work, processes) < alone(work)


def least_results(processes: int, counting: float, result: float, passing: float) -> float:
    """Return the number of results at one event above which shares pay, if as many results per process end with each
    event.

    Infinite if no number of results suffices: where skipping a result takes as long as enumerating it.
    """
    if result <= passing:
        return float("inf")
    return counting * processes / ((processes - 1) * (result - passing))
