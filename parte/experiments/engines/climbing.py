"""The number of transfers that an engine manages: it gets more and more, until it exceeds the time budget.

The engine runs in a separate process (`speed`), so that it can be stopped, and so that its remains, such as a virtual
machine, end with the process. It is started once, for all sizes.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from parte.conformance.runner import guard
from parte.experiments.engines import speed
from parte.experiments.engines.speed import data, started
from parte.experiments.experiment import Row

Json = Any

AGREES, DIFFERS = "agrees", "differs"
TRUTH = "indexed"
"""The engine with which the others are compared."""

CHEAPER = 4
"""The assumed speed-up of a transfer on a larger trace: code that runs longer is compiled."""

STARTING_SECONDS = 120.0
"""The time limit for starting an engine, and for preparing a trace."""

_ENDING_SECONDS = 10.0
_TOKEN = "PARTE_CLIMB_TOKEN"


@dataclass(frozen=True, slots=True)
class Climb:
    """A task for an engine: a scenario, with each of these numbers of transfers in turn, each in `budget` seconds."""

    engine: str
    scenario: str
    transfers: tuple[int, ...]
    per_account: int
    seed: int
    budget: float


@lru_cache(maxsize=4)
def truth(scenario: str, count: int, per_account: int, seed: int) -> tuple[str, ...]:
    """Return the matches of the indexed evaluator, sorted."""
    trace, domain = data(scenario, count, per_account, seed)
    return tuple(sorted(started(TRUTH)(scenario, trace, domain)()))


def expected_seconds(taken: Mapping[int, float], count: int) -> float:
    """Return the time of `count` transfers if each further one took a `CHEAPER`-th of the time of those measured last.

    0 if fewer than two sizes were measured: then the constant part of the time cannot be separated from the rest.
    """
    if len(taken) < 2:
        return 0.0
    (fewer, before), (more, last) = sorted(taken.items())[-2:]
    return last + max(0.0, last - before) / (more - fewer) * (count - more) / CHEAPER


def climbed(climb: Climb) -> list[Row]:
    """Return a row for each size, up to the first that the engine does not manage, whose row has the reason."""
    rows: list[Row] = []
    taken: dict[int, float] = {}
    with _started(climb) as engine:
        refusal = engine.wait(STARTING_SECONDS).get("refused")
        for count in climb.transfers:
            if refusal is None and expected_seconds(taken, count) > climb.budget:
                largest = max(taken)
                refusal = f"not tried: {largest:,} took {taken[largest]:.1f} s"
            row: Row = {"transfers": count, "status": refusal} if refusal else _measured(climb, engine, count)
            rows.append(row)
            if row["status"] != AGREES:
                break
            taken[count] = float(str(row["seconds"]))
    return rows


def _measured(climb: Climb, engine: _Process, count: int) -> Row:
    engine.ask(str(count))
    reply = engine.wait(STARTING_SECONDS)
    if "prepared" in reply:
        reply = engine.wait(climb.budget)
    if "refused" in reply:
        return {"transfers": count, "status": reply["refused"]}
    matches = sorted(reply["matches"])
    true = list(truth(climb.scenario, count, climb.per_account, climb.seed))
    return {
        "transfers": count,
        "status": AGREES if matches == true else DIFFERS,
        "matches": len(matches),
        "missing": len(set(true) - set(matches)),
        "spurious": len(matches) - len(set(matches) & set(true)),
        "seconds": reply["seconds"],
    }


# --- The process -----------------------------------------------------------------------------------------------------


class _Process:
    """A process of `speed`: it receives lines, and each of its replies has a time limit."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[str]) -> None:
        self._process, self._errors = process, errors
        self._replies: SimpleQueue[str] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._replies.put(line)
        self._replies.put("")

    def ask(self, line: str) -> None:
        """Send a line. If the process has ended, the next reply reports it."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def wait(self, seconds: float) -> Json:
        """Return the next reply; `refused` if none comes in time, or the process has ended."""
        try:
            line = self._replies.get(timeout=seconds)
        except Empty:
            return {"refused": f"not within {seconds:g} s"}
        if line:
            return json.loads(line)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_SECONDS)  # it writes the reason after it has closed its output
        self._errors.seek(0)
        last = (self._errors.read().strip().splitlines() or ["no message"])[-1]
        return {"refused": f"failed: {last[:200]}"}


@contextmanager
def _started(climb: Climb) -> Iterator[_Process]:
    """Start the process for an engine; at the end, kill it with all its children and remove its temporary files.

    An engine that needs an environment of its own, such as Flink, is run by the Python in the variable
    `PARTE_PYTHON_FLINK`, in which the project must be installed too.
    """
    token = secrets.token_hex(16)
    guard.watch(token)
    python = os.environ.get(f"PARTE_PYTHON_{climb.engine.upper().replace('-', '_')}", sys.executable)
    with (
        tempfile.TemporaryDirectory(prefix="parte-climb-", ignore_cleanup_errors=True) as folder,
        Path(folder, "errors").open("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            _command(python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**_environment(folder), _TOKEN: token},
            start_new_session=True,
        ) as process,
    ):
        guard.watch(token, process.pid)
        try:
            engine = _Process(process, errors)
            engine.ask(
                json.dumps(
                    {
                        "engine": climb.engine,
                        "scenario": climb.scenario,
                        "per_account": climb.per_account,
                        "seed": climb.seed,
                    }
                )
            )
            yield engine
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            guard.forget(token)


def _environment(folder: str) -> Mapping[str, str]:
    """Return the environment variables, with another folder for temporary files of Python and of virtual machines."""
    java = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Djava.io.tmpdir={folder}".strip()
    return os.environ | {"TMPDIR": folder, "JAVA_TOOL_OPTIONS": java}


def _command(python: str) -> Sequence[str]:
    return [python, "-m", speed.__name__]
