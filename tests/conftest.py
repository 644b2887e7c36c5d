"""Settings for every test."""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from functools import partial
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from typer.testing import CliRunner

from parte.cli import app
from parte.languages.registry import languages
from parte.spark_adapter.replay.budget import within
from tests.dispositions import not_inherited
from tests.parte.advice import advised_in_vain
from tests.parte.examples import PAIR, PAIR_TRACE, Command, Finished
from tests.records import CUT, QUICK, UNREACHED, Records

# `make test` takes "ci": the same examples on every run, and no time limits that a busy machine would break.
settings.register_profile(
    "ci", derandomize=True, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# `make quick` takes "quick": what fails is reported at once, for the time may end while an example is made smaller.
settings.register_profile("quick", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", deadline=None, max_examples=5000)
settings.load_profile("dev")


def pytest_configure(config: pytest.Config) -> None:
    """Once, in each process of a run."""
    not_inherited()
    # Commands that tests start, of which there are hundreds, would compile every module again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    part = config.option.keyword or any("::" in argument for argument in config.args)
    if not hasattr(config, "workerinput") and config.option.markexpr == QUICK and not part:
        config.pluginmanager.register(Records(config), "parte-records")


LONGEST = ("test_without.py", "test_fuzz.py", "test_conform_command.py", "test_lead.py", "test_etalis.py")
"""Files with tests of many seconds: they are first, so that at the end no process waits long for the others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first; all others keep their order."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.fixture(autouse=True)
def no_signal_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that sends itself a signal leaves none to the tests after it in the same process."""
    monkeypatch.setattr("parte.interruptions._first", None)


UNTIL = "PARTE_TESTS_UNTIL"
"""The environment variable that says when no further test is begun, in seconds since 1970 (`tests.quick` sets it)."""

_GRACE = 5.0
"""Seconds that a test has beyond that."""


def pytest_runtest_setup() -> None:
    """Before each test."""
    if time.time() > _until():
        pytest.skip(UNREACHED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Cut a test that began in time soon after.

    The cut is an exception at any place. Hypothesis may find that data are drawn differently now, a library may wrap
    what it caught: whatever a test ends with after the cut is no failure of it.
    """
    if _until() == inf:
        return (yield)
    end = _until() + _GRACE
    # On the item, for fixtures and the reports of pytest are not to be cut.
    item.runtest = partial(within, max(end - time.time(), 0.001), 0, item.runtest)  # type: ignore[method-assign]
    try:
        return (yield)
    except BaseException:
        if time.time() < end:
            raise
        pytest.skip(CUT)


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


@pytest.fixture
def command() -> Command:
    """Run the command with arguments, in this process. What its messages advise it must have."""

    def run(*arguments: object, stdin: str | bytes | None = None, **environment: str) -> Finished:
        runner = CliRunner(env={"FORCE_COLOR": None, "NO_COLOR": None, "COLUMNS": "80", **environment})
        result = runner.invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="parte")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        # What the commands of another language take is not asked of these.
        endings = {Path(str(argument)).suffix for argument in arguments} & {
            language.ending for language in languages()[1:]
        }
        if arguments and "--language" not in arguments and not endings:
            assert not advised_in_vain([str(argument) for argument in arguments], result.stderr), result.stderr
        return Finished(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The small program and its trace, as files."""
    program, trace = tmp_path / "pair.parte", tmp_path / "pair.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text(PAIR_TRACE, encoding="utf-8")
    return program, trace
