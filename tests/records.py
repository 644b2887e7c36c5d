"""What became of each file of tests on this machine, for `make quick` to choose by: kept in the cache of pytest."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import pytest

CUT = "not finished in time"
UNREACHED = "not reached in time"
"""Why a test is skipped that is cut, or not begun."""

QUICK = "not exhaustive"
"""The tests that `make quick` and `make test` run, of which there are records."""

KEY = "parte/files"
"""The records in the cache of pytest: below `v`, a file of JSON."""


@dataclass(frozen=True, slots=True)
class Record:
    """A file of tests when it was last run: in seconds since 1970, the seconds that its tests took together, how many
    tests it has, how many of them were run to their end, and how many failed."""

    at: float
    seconds: float
    tests: int
    finished: int
    failed: int


class Records:
    """A plugin of pytest that writes down what becomes of each file.

    With several processes it belongs to the one that hears of all of them.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._cache = getattr(config, "cache", None)  # none with `-p no:cacheprovider`
        self._tests: dict[str, int] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._finished: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests of each file, in a run in one process."""
        self._collected(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Count the tests of each file, as a process collected them."""
        self._collected(ids)

    def _collected(self, ids: Iterable[str]) -> None:
        self._tests |= Counter(_file(identity) for identity in ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of a test."""
        file = _file(report.nodeid)
        self._seconds[file] += report.duration
        self._failed[file] += report.failed
        if report.when == "teardown":
            self._finished[file] += 1
        elif report.skipped and isinstance(report.longrepr, tuple):
            self._finished[file] -= report.longrepr[2].removeprefix("Skipped: ") in (CUT, UNREACHED)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write all of it, also when the run was interrupted."""
        if self._cache is None:
            return
        records = self._cache.get(KEY, {})
        for file, tests in self._tests.items():
            seconds, finished = self._seconds[file], self._finished[file]
            if finished < tests:  # it takes at least as long as it did
                seconds = max(seconds, records.get(file, {}).get("seconds", 0.0))
            records[file] = asdict(Record(time.time(), seconds, tests, finished, self._failed[file]))
        self._cache.set(KEY, records)


def _file(identity: str) -> str:
    return identity.split("::")[0]
