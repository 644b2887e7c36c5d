"""How many transfers an engine manages: it is given more and more, until it takes longer than the budget.

The engine runs in a process of its own (`speed`), so that what it leaves behind, a virtual machine for example, is gone
with it, and so that it can be stopped. It is started once, and climbs.
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
"""The engine that the others are compared with."""

CHEAPER = 4
"""How much less a transfer may take on a larger trace: code that runs longer is compiled."""

STARTING_SECONDS = 120.0
"""For starting an engine, and for preparing a trace."""

_ENDING_SECONDS = 10.0
_TOKEN = "PARTE_CLIMB_TOKEN"


@dataclass(frozen=True, slots=True)
class Climb:
    """What is asked of an engine: a scenario, with so many transfers one after the other, each in `budget` seconds."""

    engine: str
    scenario: str
    transfers: tuple[int, ...]
    per_account: int
    seed: int
    budget: float


@lru_cache(maxsize=4)
def truth(scenario: str, count: int, per_account: int, seed: int) -> tuple[str, ...]:
    """The matches of the indexed evaluator, sorted."""
    trace, domain = data(scenario, count, per_account, seed)
    return tuple(sorted(started(TRUTH)(scenario, trace, domain)()))


def expected_seconds(taken: Mapping[int, float], count: int) -> float:
    """What `count` transfers would take if each further one took a `CHEAPER`-th of what those measured last took.

    0 if less than two sizes were measured: what an engine takes whatever the size cannot be told from the rest then.
    """
    if len(taken) < 2:
        return 0.0
    (fewer, before), (more, last) = sorted(taken.items())[-2:]
    return last + max(0.0, last - before) / (more - fewer) * (count - more) / CHEAPER


def climbed(asked: Climb) -> list[Row]:
    """A row for each size up to the first that the engine does not manage, which says why."""
    rows: list[Row] = []
    taken: dict[int, float] = {}
    with _started(asked) as engine:
        refusal = engine.wait(STARTING_SECONDS).get("refused")
        for count in asked.transfers:
            if refusal is None and expected_seconds(taken, count) > asked.budget:
                largest = max(taken)
                refusal = f"not tried: {largest:,} took {taken[largest]:.1f} s"
            row: Row = {"transfers": count, "status": refusal} if refusal else _measured(asked, engine, count)
            rows.append(row)
            if row["status"] != AGREES:
                break
            taken[count] = float(str(row["seconds"]))
    return rows


def _measured(asked: Climb, engine: _Process, count: int) -> Row:
    engine.ask(str(count))
    reply = engine.wait(STARTING_SECONDS)
    if "prepared" in reply:
        reply = engine.wait(asked.budget)
    if "refused" in reply:
        return {"transfers": count, "status": reply["refused"]}
    found = sorted(reply["matches"])
    true = list(truth(asked.scenario, count, asked.per_account, asked.seed))
    return {
        "transfers": count,
        "status": AGREES if found == true else DIFFERS,
        "matches": len(found),
        "missing": len(set(true) - set(found)),
        "spurious": len(found) - len(set(found) & set(true)),
        "seconds": reply["seconds"],
    }


# --- The process -----------------------------------------------------------------------------------------------------


class _Process:
    """A process of `speed`: lines to it, and replies from it, each waited for only so long."""

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
        """Send a line. A process that has ended is told of by the next reply."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def wait(self, seconds: float) -> Json:
        """The next reply; `refused` if none comes in time, or the process has ended."""
        try:
            line = self._replies.get(timeout=seconds)
        except Empty:
            return {"refused": f"not within {seconds:g} s"}
        if line:
            return json.loads(line)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_SECONDS)  # it says why after it has closed its output
        self._errors.seek(0)
        last = (self._errors.read().strip().splitlines() or ["no message"])[-1]
        return {"refused": f"failed: {last[:200]}"}


@contextmanager
def _started(asked: Climb) -> Iterator[_Process]:
    """The process for an engine, which is ended with all its children, and whose temporary files are removed.

    An engine that needs an environment of its own, as Flink does, is run by the Python that the variable
    `PARTE_PYTHON_FLINK` names, which has the project installed too.
    """
    token = secrets.token_hex(16)
    guard.watch(token)
    python = os.environ.get(f"PARTE_PYTHON_{asked.engine.upper().replace('-', '_')}", sys.executable)
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
                        "engine": asked.engine,
                        "scenario": asked.scenario,
                        "per_account": asked.per_account,
                        "seed": asked.seed,
                    }
                )
            )
            yield engine
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            guard.forget(token)


def _environment(folder: str) -> Mapping[str, str]:
    """The variables of this process, with another place for temporary files: of Python, and of virtual machines."""
    java = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Djava.io.tmpdir={folder}".strip()
    return os.environ | {"TMPDIR": folder, "JAVA_TOOL_OPTIONS": java}


def _command(python: str) -> Sequence[str]:
    return [python, "-m", speed.__name__]
