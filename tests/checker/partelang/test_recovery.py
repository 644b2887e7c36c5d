"""The delay of reports while hosts crash: the formula against a simulated host, and the guarantee `recovers`."""

from __future__ import annotations

import heapq
from fractions import Fraction
from math import ceil
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.checker.environment.deployment import (
    Deployment,
    DeploymentError,
    Emits,
    Failures,
    Source,
    read_deployment,
)
from parte.checker.partelang.bounds.recovery import Recovery, recovery
from parte.checker.partelang.bounds.report import BoundsReport, Size, Tightness
from parte.checker.partelang.check import check
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.rates import Rate

PROGRAM = "template A {} template B {} rule R where a : A, b : B, when b in a [0 ms, 5 seconds], then"
DEPLOYED = """
event_bytes = 100
steps_per_second = 100_000
[failures]
at_most = 1
per = "{per}"
restart = "1 seconds"
checkpoint = 100
[[source]]
name = "s"
every = "1 seconds"
[[source.emits]]
template = "A"
[[source.emits]]
template = "B"
"""


def cost(
    failures: Failures, *, events: int = 1, period: int = 10, steps: int = 4, entries: int = 3, speed: int = 10_000
) -> Recovery:
    """That of one source and one node."""
    deployment = Deployment(
        (Source("s", (Emits("A", Rate(events, period)),)),), steps_per_second=speed, failures=failures
    )
    size = Size("n", "left", 1, None, None, entries, 0, Tightness.TIGHT, "")
    rate = 1000.0 * events / period
    report = BoundsReport((size,), (), (), {"A": steps}, rate * steps, rate, speed, 100, True, 0, {})
    result = recovery(deployment, failures, report)
    assert result is not None
    return result


class Host:
    """A host that works whenever it may: the longest time from an arrival until its work is done."""

    def __init__(self, work: Fraction, crash: Fraction) -> None:
        self.work, self.crash = work, crash

    def longest(self, arrivals: list[int], crashes: list[int]) -> Fraction:
        """A crash comes first, and again takes its whole time; work is done in the order of arrival."""
        moments = sorted([(time, 0) for time in crashes] + [(time, 1) for time in arrivals])
        now, longest = Fraction(0), Fraction(0)
        waiting: list[tuple[int, Fraction]] = []
        down = Fraction(0)
        for time, kind in [*moments, (10**9, 2)]:
            idle = Fraction(time) - now
            while idle > 0 and (down > 0 or waiting):
                if down > 0:
                    spent = min(idle, down)
                    down -= spent
                else:
                    came, left = heapq.heappop(waiting)
                    spent = min(idle, left)
                    if left > spent:
                        heapq.heappush(waiting, (came, left - spent))
                    else:
                        longest = max(longest, now + spent - came)
                idle -= spent
                now += spent
            now = Fraction(time)
            if kind == 0:
                down += self.crash
            elif kind == 1:
                heapq.heappush(waiting, (time, self.work))
        assert not waiting
        return longest


parameters = st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(1, 9), st.integers(0, 4), st.integers(1, 3))
rates = st.builds(
    Failures, st.integers(1, 3), st.integers(5, 60), st.integers(0, 5), st.integers(1, 9), st.integers(0, 2)
)


@settings(max_examples=200)
@given(parameters, rates, st.randoms(use_true_random=False))
def test_no_simulated_delay_exceeds_the_bound(
    drawn: tuple[int, int, int, int, int], failures: Failures, draw: Random
) -> None:
    """Arrivals and crashes as dense as the rates allow attain it, but for the last millisecond; no others exceed it."""
    events, period, steps, entries, _ = drawn
    bound = cost(failures, events=events, period=period, steps=steps, entries=entries)
    if bound.delay is None or bound.delay > 2_000:
        return
    host = Host(bound.steps_per_event / 10, bound.crash)
    horizon = bound.delay + 3 * period + failures.per
    dense = [time for time in range(0, horizon, period) for _ in range(events)]
    crashes = [time for time in range(0, horizon, failures.per) for _ in range(failures.at_most)]
    assert host.longest(dense, crashes) <= bound.delay
    shifted = [time + draw.randrange(period) for time in range(0, horizon, 2 * period) for _ in range(events)]
    late = [time + draw.randrange(failures.per) for time in range(0, horizon, 2 * failures.per)]
    assert host.longest(shifted, late) <= bound.delay


def test_the_bound_is_attained() -> None:
    """An event and a crash at once: one work of 0.4 ms · 3 logs, one recovery."""
    bound = cost(Failures(1, 1000, 2, 10, 1, 0), steps=4)
    assert (bound.crash, bound.steps_per_event) == (Fraction(3), Fraction(12))
    assert bound.delay == ceil(Host(Fraction(12, 10), bound.crash).longest([0], [0])) == 5
    assert bound.calm == 2


@settings(max_examples=100)
@given(parameters, rates)
def test_the_number_of_crashes_at_which_it_fails(drawn: tuple[int, int, int, int, int], failures: Failures) -> None:
    events, period, steps, entries, _ = drawn

    def of(at_most: int) -> Recovery:
        changed = Failures(at_most, *(getattr(failures, name) for name in Failures.__slots__[1:]))
        return cost(changed, events=events, period=period, steps=steps, entries=entries)

    fails_at = of(1).fails_at
    assert of(max(1, fails_at)).delay is None
    assert fails_at <= 1 or of(fails_at - 1).delay is not None


def test_more_crashes_delay_more() -> None:
    delays = [cost(Failures(crashes, 100, 5, 10)).delay for crashes in range(1, 5)]
    assert delays == sorted(set(map(int, filter(None, delays))))


# --- The guarantee ----------------------------------------------------------------------------------------------------


def test_a_deployment_that_recovers() -> None:
    report = check(PROGRAM, read_deployment(DEPLOYED.format(per="1 hours")))
    assert report.verdict("recovers") is Verdict.PROVED
    (guarantee,) = (guarantee for guarantee in report.guarantees if guarantee.name == "recovers")
    assert guarantee.evidence["delay_ms"] == 1008
    assert "a report is at most 1,008 ms late, 1 ms without crashes" in guarantee.detail


def test_a_rate_at_which_the_machine_never_catches_up() -> None:
    report = check(PROGRAM, read_deployment(DEPLOYED.format(per="1 seconds")))
    (finding,) = report.of("never-recovers")
    assert finding.message == "at this rate of crashes, 1 in 1 second, the machine never catches up"
    assert finding.reason == (
        "a crash costs up to 1,007 ms, so that 1 in 1 second and the arrivals take 101% of the time in the long run",
    )
    assert report.exit_code == 1


def test_the_worst_steps_may_leave_a_delay_open() -> None:
    text = DEPLOYED.replace("100_000", "50").replace("checkpoint = 100", "checkpoint = 1_000_000\ncheckpoint_steps = 0")
    report = check(PROGRAM, read_deployment(text.format(per="1000000000 seconds")))
    (finding,) = report.of("never-recovers")
    assert (finding.verdict, report.exit_code) == (Verdict.NOT_PROVED, 4)
    assert finding.message.startswith("no bound on the delay of reports was found")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("steps_per_second = 100_000", ""), "failures: a recovery takes a time that depends on the machine"),
        (("checkpoint = 100", "checkpoint = 0"), "failures.checkpoint: expected a whole number from 1, found 0"),
        (("checkpoint = 100", ""), "failures: the key 'checkpoint' is missing"),
        (("checkpoint = 100", "checkpoint = 1\nlog_steps = -1"), "log_steps: expected a whole number from 0, found -1"),
        (('restart = "1 seconds"', "restart = 1"), "failures.restart: expected a duration"),
        (("at_most = 1", "at_mots = 1"), "failures.at_mots: this key is unknown"),
    ],
)
def test_what_is_wrong_with_failures_is_reported(change: tuple[str, str], message: str) -> None:
    with pytest.raises(DeploymentError) as caught:
        read_deployment(DEPLOYED.format(per="1 hours").replace(*change))
    assert any(message in str(problem) for problem in caught.value.problems)


def test_failures_are_a_table() -> None:
    with pytest.raises(DeploymentError) as caught:
        read_deployment("failures = 3\n" + DEPLOYED.replace("[failures]", "").partition("at_most")[0])
    assert any("expected a table, as in [failures], found 3" in str(problem) for problem in caught.value.problems)
