"""A master that evaluates a query and sends each result to one of several workers (specification: cel-master; T §4.2).

It knows its workers by what it sent to them: nothing comes back before the end.
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
"""Which worker comes next: from the load of each so far, and how many messages were sent."""


@dataclass(frozen=True, slots=True)
class Message(Generic[C]):
    """What is sent to a worker; the first is 0."""

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
    """RR: the workers in turn."""
    return sent % len(loads)


def exact_search(loads: Sequence[int], _: int) -> int:
    """ES: the worker with the least load, the first of those."""
    return loads.index(min(loads))


def power_of_choices(drawn: int, rng: Random, *, distinct: bool = True) -> Choice:
    """PoTC: the worker with the least load of so many that are drawn, the first of those.

    Only with `distinct` draws is it exact search where as many are drawn as there are (the repair `distinct-choices`).
    """

    def choose(loads: Sequence[int], _: int) -> int:
        workers = range(len(loads))
        some = rng.sample(workers, min(drawn, len(loads))) if distinct else rng.choices(workers, k=drawn)
        return min(some, key=lambda worker: (loads[worker], worker))

    return choose


def weight_of_runs(types: Iterable[str]) -> int:
    """The weight that T's program gives a result with events of these types, in order: 2^k - 1 for k of one type in a
    row, summed."""
    return sum(2 ** len(list(run)) - 1 for _, run in groupby(types))
