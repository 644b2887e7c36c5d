"""Settings for every test."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator
from math import inf
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

from tests.dispositions import not_inherited

# `make test` takes "ci": the same examples on every run, and no time limits that a busy machine would break.
settings.register_profile(
    "ci", derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", deadline=None, max_examples=5000)
settings.load_profile("dev")


def pytest_configure() -> None:
    """Once, in each process of a run."""
    not_inherited()


UNTIL = "PARTE_TESTS_UNTIL"
"""The environment variable that says when no further test is begun, in seconds since 1970 (`tests.quick` sets it)."""

_GRACE = 5.0
"""Seconds that a test has beyond that."""


def pytest_runtest_setup() -> None:
    """Before each test."""
    if time.time() > _until():
        pytest.skip("not reached in time")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """A test that began in time is cut soon after."""
    if _until() == inf:
        return (yield)
    signal.signal(signal.SIGALRM, _cut)
    signal.setitimer(signal.ITIMER_REAL, max(_until() - time.time(), 0.0) + _GRACE)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


UNTESTED = "NOT TESTED: "
"""How the reason for a skip begins that is told at the end, however quiet the run."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """At the end of a run: what could not be tested here, and what to do about it."""
    skipped = [report.longrepr for report in terminalreporter.stats.get("skipped", ())]
    reasons = {reason[2].removeprefix("Skipped: ") for reason in skipped if isinstance(reason, tuple)}
    for reason in sorted(reason for reason in reasons if reason.startswith(UNTESTED)):
        terminalreporter.write_line(reason, red=True, bold=True)


def _until() -> float:
    return float(os.environ.get(UNTIL, inf))


def _cut(_signal: int, _frame: FrameType | None) -> None:
    pytest.skip("not finished in time")
