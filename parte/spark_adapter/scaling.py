"""The cost of replay, match and stream on a cluster of a given size, and the resource that limits them first
(docs/scaling.md).

A paper model. Events have keys, some more frequent than others; keys are hashed to partitions, and one core does the
work for the events of a partition. Reading is divided evenly. A job lasts as long as the scarcest of four resources
needs: all cores together, the one core with the fullest partition, the network, the disks. Times are seconds, sizes
bytes. No cluster was measured: the cost of an event is measured on one core (`python -m benchmarks.spark.scaling`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import ceil, inf
from typing import Final

import numpy
from numpy.typing import NDArray

PARTITIONS_PER_CORE: Final = 4
"""Of a replay and a match (`session.TASKS_PER_CORE`)."""
HOT: Final = 1_000
"""Events of a key from which on `match` divides it (`match.look.EVENTS`)."""


class Wall(Enum):
    """The resource that limits a job: more of it would make it faster."""

    CORES = "cores"
    FULLEST = "the fullest partition"
    NETWORK = "network"
    DISK = "disks"


@dataclass(frozen=True, slots=True)
class Load:
    """Events, the number of their keys, and the skew: key number k is k ** -skew times as frequent as the first.

    A key of `HOT` events or more is divided into `slices` of time: as many as windows fit into the log if `match` joins
    by them, else 1.
    """

    events: float
    keys: int
    skew: float = 0.0
    slices: int = 1


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a job: once, for reading and routing an event, and for processing it in its partition.

    `pair` is for each two events of one key (of one part of it, if it is divided), which a join compares. `shuffled`
    are the bytes of an event on the way to its partition: written, sent and read once.
    """

    once: float
    reading: float
    event: float
    shuffled: float
    pair: float = 0.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """The number of cores, the cores of each machine, and the bytes a second of each machine's network and disks."""

    cores: int
    of_machine: int = 16
    network: float = 1.25e9
    disk: float = 1e9

    @property
    def machines(self) -> int:
        """The number of machines; the last may have fewer cores."""
        return ceil(self.cores / self.of_machine)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time of a job, and the time that each resource alone would need."""

    seconds: float
    of: dict[Wall, float]
    shuffled: float

    @property
    def wall(self) -> Wall:
        """The resource that limits the job first."""
        return max(self.of, key=lambda wall: self.of[wall])


# --- Keys and partitions ---------------------------------------------------------------------------------------------


def frequencies(load: Load) -> NDArray[numpy.float64]:
    """Return the share of the events of each key, the most frequent first; they add up to 1."""
    weights: NDArray[numpy.float64] = numpy.arange(1, load.keys + 1, dtype=numpy.float64) ** -load.skew
    shares: NDArray[numpy.float64] = weights / weights.sum()
    return shares


def parts(load: Load) -> NDArray[numpy.float64]:
    """Return the share of the events in each indivisible part: a key, or a slice of a hot one."""
    shares = frequencies(load)
    if load.slices == 1:
        return shares
    pieces = numpy.where(shares * load.events >= HOT, load.slices, 1)
    divided: NDArray[numpy.float64] = numpy.repeat(shares / pieces, pieces)
    return divided


def fullest(work: NDArray[numpy.float64], partitions: int, seed: int = 0) -> float:
    """Return the work in the fullest partition, when a hash assigns parts with this much work to partitions.

    The draws are the same for each number of partitions, so that twice as many divide each in two.
    """
    hashes = numpy.random.default_rng(seed).integers(0, 2**62, len(work))
    return float(numpy.bincount(hashes % partitions, work, partitions).max())


# --- Jobs ------------------------------------------------------------------------------------------------------------


def estimate(load: Load, costs: Costs, cluster: Cluster, seed: int = 0) -> Estimate:
    """Return the time of a replay or a match: events are read evenly, sent to the partitions of their keys and
    processed there."""
    reading, shuffled = load.events * costs.reading, load.events * costs.shuffled
    events = load.events * parts(load)
    done = costs.event * events + costs.pair * events**2
    of = {
        Wall.CORES: (reading + float(done.sum())) / cluster.cores,
        Wall.FULLEST: reading / cluster.cores + fullest(done, PARTITIONS_PER_CORE * cluster.cores, seed),
        Wall.NETWORK: shuffled * _abroad(cluster) / (cluster.machines * cluster.network),
        Wall.DISK: 2 * shuffled / (cluster.machines * cluster.disk),
    }
    return Estimate(costs.once + max(of.values()), of, shuffled)


def _abroad(cluster: Cluster) -> float:
    """Return the share of shuffled bytes that leave their machine."""
    return 1 - 1 / cluster.machines


@dataclass(frozen=True, slots=True)
class Streaming:
    """The costs of a batch of a stream: once, for an event that arrives (read and routed, then processed in its
    partition), and for a retained event, which each batch reads again. `stored` are the bytes of a retained event."""

    once: float
    reading: float
    event: float
    retained: float
    shuffled: float
    stored: float


@dataclass(frozen=True, slots=True)
class Capacity:
    """The most events a second that a stream sustains, the limiting resource, and the bytes of its state then."""

    rate: float
    wall: Wall
    state: float
    fullest_state: float


def capacity(load: Load, costs: Streaming, cluster: Cluster, batch: float, reach: float, seed: int = 0) -> Capacity:
    """Return the rate at which processing a batch takes as long as the batch lasts, `batch` seconds. Events are
    retained for `reach` seconds.

    There is one partition for each core; `load.events` is ignored. The rate is 0 if the fixed cost of a batch takes as
    long as it may last.
    """
    share = fullest(parts(load), cluster.cores, seed)
    done = batch * costs.event + (batch + reach) * costs.retained
    of = {
        Wall.CORES: (batch * costs.reading + done) / cluster.cores,
        Wall.FULLEST: batch * costs.reading / cluster.cores + done * share,
        Wall.NETWORK: batch * costs.shuffled * _abroad(cluster) / (cluster.machines * cluster.network),
        Wall.DISK: 2 * batch * costs.shuffled / (cluster.machines * cluster.disk),
    }
    wall = max(of, key=lambda resource: of[resource])
    left = max(0.0, batch - costs.once)
    rate = left / of[wall] if of[wall] else inf
    state = rate * (batch + reach) * costs.stored
    return Capacity(rate, wall, state, state * share)
