"""The cost model of clusters: what must hold whatever the figures are."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.relational import skew
from parte.spark_adapter import session
from parte.spark_adapter.scaling import (
    HOT,
    PARTITIONS_PER_CORE,
    Capacity,
    Cluster,
    Costs,
    Load,
    Streaming,
    Wall,
    capacity,
    estimate,
    frequencies,
    fullest,
    parts,
)

WITHOUT_SPARK = True

LOADS = st.builds(
    Load,
    events=st.sampled_from([1e3, 1e6, 1e9]),
    keys=st.integers(1, 2_000),
    skew=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    slices=st.sampled_from([1, 10, 1_000]),
)
SECONDS = st.sampled_from([0.0, 1e-7, 1e-5])
COSTS = st.builds(
    Costs, once=st.sampled_from([0.0, 3.0]), reading=SECONDS, event=SECONDS, shuffled=st.just(80.0), pair=st.just(1e-9)
)
STREAMS = st.builds(
    Streaming,
    once=st.sampled_from([0.0, 0.5]),
    reading=SECONDS,
    event=st.just(1e-6),
    retained=st.sampled_from([0.0, 1e-8]),
    shuffled=st.just(80.0),
    stored=st.just(100.0),
)
SEEDS = st.integers(0, 10)


def close(left: float, right: float) -> bool:
    return left == pytest.approx(right)


def at_most(left: float, right: float) -> bool:
    return left <= right * (1 + 1e-9)


@given(LOADS)
def test_parts_are_all_events_and_slices_divide_what_is_hot(load: Load) -> None:
    shares, cut = frequencies(load), parts(load)
    assert close(float(shares.sum()), 1.0)
    assert close(float(cut.sum()), 1.0)
    assert list(shares) == sorted(shares, reverse=True)
    hot = int((shares * load.events >= HOT).sum())
    assert len(cut) == load.keys + hot * (load.slices - 1)
    assert load.slices == 1 or not hot or cut[0] == shares[0] / load.slices


@given(LOADS, COSTS, SEEDS)
def test_one_core_takes_the_sum(load: Load, costs: Costs, seed: int) -> None:
    free = replace(costs, shuffled=0.0)
    events = load.events * parts(load)
    whole = load.events * (costs.reading + costs.event) + costs.pair * float((events**2).sum())
    estimated = estimate(load, free, Cluster(1), seed)
    assert close(estimated.seconds, costs.once + whole)


@settings(max_examples=60)
@given(LOADS, COSTS, SEEDS, st.integers(0, 5))
def test_twice_the_cores_are_never_slower(load: Load, costs: Costs, seed: int, doubled: int) -> None:
    """Of one machine, or of two and more: the second machine brings the network in."""
    for of_machine in (64, 1):
        some, more = (Cluster(cores, of_machine) for cores in (2 * 2**doubled, 4 * 2**doubled))
        assert at_most(estimate(load, costs, more, seed).seconds, estimate(load, costs, some, seed).seconds)
        if of_machine == 64:
            assert at_most(estimate(load, costs, some, seed).seconds, estimate(load, costs, Cluster(1), seed).seconds)


@given(LOADS, COSTS, st.sampled_from([1, 2, 8, 32]), SEEDS)
def test_skew_never_helps(load: Load, costs: Costs, cores: int, seed: int) -> None:
    """No load takes less than one that is divided evenly, over keys and over cores."""
    of_keys = load.events**2 / len(parts(load))
    least = costs.once + (load.events * (costs.reading + costs.event) + costs.pair * of_keys) / cores
    assert at_most(least, estimate(load, costs, Cluster(cores), seed).seconds)


def test_a_hot_key_is_a_wall_that_cores_do_not_move_and_slices_do() -> None:
    costs = Costs(once=0.0, reading=0.0, event=1e-6, shuffled=0.0)
    hot = Load(events=1e9, keys=10_000_000, skew=1.2)
    first = float(frequencies(hot)[0])
    estimated = estimate(hot, costs, Cluster(256))
    assert estimated.wall is Wall.FULLEST
    assert estimated.seconds == pytest.approx(1000 * first, rel=0.1)
    cut = estimate(replace(hot, slices=100), costs, Cluster(256))
    assert cut.seconds < estimated.seconds / 10


def test_the_model_divides_what_match_divides() -> None:
    assert (HOT, PARTITIONS_PER_CORE) == (skew.EVENTS, session.TASKS_PER_CORE)


def test_a_partition_has_what_hashing_puts_there() -> None:
    even = numpy.full(100_000, 1e-5)
    assert fullest(even, 1) == pytest.approx(1.0)
    assert 0.25 < fullest(even, 4) < 0.26
    assert fullest(numpy.array([0.5, 0.5]), 1_000_000) == 0.5


@given(LOADS, STREAMS, SEEDS, st.integers(0, 5))
def test_twice_the_cores_sustain_no_less(load: Load, costs: Streaming, seed: int, doubled: int) -> None:
    def capacity_of(cores: int) -> Capacity:
        return capacity(load, costs, Cluster(cores, 64), 5.0, 3600.0, seed)

    assert at_most(capacity_of(2**doubled).rate, capacity_of(2 * 2**doubled).rate)


@given(LOADS, STREAMS, st.sampled_from([1, 4, 64]), SEEDS)
def test_a_batch_at_capacity_lasts_as_long_as_it_may(load: Load, costs: Streaming, cores: int, seed: int) -> None:
    batch, reach = 5.0, 600.0
    sustained = capacity(load, costs, Cluster(cores, cores), batch, reach, seed)
    share = fullest(parts(load), cores, seed)
    done = batch * costs.event + (batch + reach) * costs.retained
    busiest = costs.once + sustained.rate * (batch * costs.reading / cores + share * done)
    every = costs.once + sustained.rate * (batch * costs.reading + done) / cores
    disks = costs.once + sustained.rate * 2 * batch * costs.shuffled / Cluster(cores).disk
    assert close(max(busiest, every, disks), batch)
    assert close(sustained.state, sustained.rate * (batch + reach) * costs.stored)


def test_a_stream_whose_batches_cost_more_than_they_last_sustains_nothing() -> None:
    costs = Streaming(once=5.0, reading=0.0, event=1e-6, retained=0.0, shuffled=0.0, stored=0.0)
    assert capacity(Load(0.0, 10), costs, Cluster(4), 5.0, 60.0).rate == 0.0


def test_longer_reach_costs_a_stream_rate_and_state() -> None:
    costs = Streaming(once=0.5, reading=1e-5, event=1e-5, retained=1e-8, shuffled=80.0, stored=100.0)
    load = Load(0.0, 1_000_000, 0.5)
    hour, day = (capacity(load, costs, Cluster(16), 10.0, reach) for reach in (3_600.0, 86_400.0))
    assert hour.rate > day.rate
    assert hour.state < day.state


def test_machines_bring_the_network() -> None:
    load = Load(1e9, 1_000_000)
    costs = Costs(once=0.0, reading=0.0, event=1e-9, shuffled=100.0)
    slow = Cluster(32, network=1e8, disk=1e12)
    assert estimate(load, costs, replace(slow, cores=16)).of[Wall.NETWORK] == 0.0
    assert estimate(load, costs, slow).wall is Wall.NETWORK
    assert estimate(load, costs, Cluster(32, network=1e12, disk=1e6)).wall is Wall.DISK
