"""A master that evaluates a query and sends each result to one of several workers (specification: cel-master; T §4.2).

The master knows only what it sent to its workers: they report nothing before the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Generic, TypeVar

from parte.languages.cel.semantics.rulebook import rule

C = TypeVar("C")

Choice = Callable[[Sequence[int], int], int]
"""The choice of the next worker, from the load of each so far, and the number of messages sent."""


@dataclass(frozen=True, slots=True)
class Message(Generic[C]):
    """A message to a worker; the first worker is 0."""

    worker: int
    content: C


@rule("DCERE", "RR, PoTC, ES", "4.2")
def dcere(contents: Iterable[C], workers: int, choose: Choice, weight: Callable[[C], int]) -> Iterator[Message[C]]:
    """Each content goes to one worker, in one message, and adds its weight to the load of that worker."""
    loads = [0] * workers
    for sent, content in enumerate(contents):
        worker = choose(loads, sent)
        loads[worker] += weight(content)
        yield Message(worker, content)


def round_robin(loads: Sequence[int], sent: int) -> int:
    """RR: return the workers in turn."""
    return sent % len(loads)


def exact_search(loads: Sequence[int], _: int) -> int:
    """ES: return the worker with the least load, the first of these."""
    return loads.index(min(loads))


def power_of_choices(drawn: int, rng: Random, *, distinct: bool = True) -> Choice:
    """PoTC: return the choice of the worker with the least load among `drawn` random ones, the first of these.

    It equals exact search when it draws all workers, but only with `distinct` draws (the repair `distinct-choices`).
    """

    def choose(loads: Sequence[int], _: int) -> int:
        workers = range(len(loads))
        some = rng.sample(workers, min(drawn, len(loads))) if distinct else rng.choices(workers, k=drawn)
        return min(some, key=lambda worker: (loads[worker], worker))

    return choose


def weight_of_runs(types: Iterable[str]) -> int:
    """Return the weight that T's program gives a result with events of these types, in order: 2^k - 1 for k events of
    one type in a row, summed."""
    return sum(2 ** len(list(run)) - 1 for _, run in groupby(types))
