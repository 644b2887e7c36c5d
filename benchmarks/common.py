"""A rule that all languages can express, a log for it, and PARTElang's machine on it, for comparison with guests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.measuring import Measured, timed
from parte.semantics.events.event import Event
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import parse

COMMON = """
template Login { user : Integer }
template Order { user : Integer }
template Refund { user : Integer }
template View { user : Integer }

rule Hasty where
    login : Login,
    order : Order { user = login.user },
    refund : Refund { user = login.user },
when
    order in login [1 ms, 1 minute],
    refund in order [1 ms, 1 minute],
    refund in login [1 ms, 1 minute],
"""
TEMPLATES = ("Login", "Order", "Refund", "View", "View")
A_SECOND = 50
"""Events a second, of a thousand users."""
USERS = 1_000


def log(count: int) -> Iterator[Event]:
    """Yield a log for the rule; timestamps rise strictly."""
    rng = Random(1)
    for position in range(count):
        timestamp = position * 1_000 // A_SECOND
        yield Event(f"e{position}", rng.choice(TEMPLATES), timestamp, {"user": rng.randrange(USERS)})


def machine_of_parte(count: int) -> Measured:
    """Measure the sound machine of PARTElang on the log."""
    scenario = Scenario.of(parse(COMMON), log(count), {})
    return timed(lambda: len(execute(scenario).matches))
