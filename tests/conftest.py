"""Settings for every test."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, settings

# `make test` takes "ci": the same examples on every run, and no time limits that a busy machine would break.
settings.register_profile(
    "ci", derandomize=True, max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", deadline=None, max_examples=5000)
settings.load_profile("dev")

UNTIL = "PARTE_TESTS_UNTIL"
"""The environment variable that says when no further test is begun, in seconds since 1970 (`tests.quick` sets it)."""


def pytest_runtest_setup() -> None:
    """Before each test."""
    if time.time() > float(os.environ.get(UNTIL, "inf")):
        pytest.skip("not reached in time")
