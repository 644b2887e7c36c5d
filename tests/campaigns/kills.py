"""Commands that are ended at a random moment, by signals or by a full disk: they end at once, leave no process and no
half file, and the same command then gives what it gives undisturbed.

A campaign of seconds hardly meets the commands on Spark, which take half a minute each: `--seconds 3600` does.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.campaigns.running import Broken
from tests.dispositions import not_inherited

ROOT = Path(__file__).parents[2]
MARK = "PARTE_CAMPAIGN_MARK"
LIMIT = 10.0
"""Seconds in which a command must have ended after a signal; the guard asks for so much patience at most."""
PATIENCE = 600.0
DISK = "full disk"

PROGRAM = """
template A { k : Integer }
template B { k : Integer }
template C { k : Integer }
template D { k : Integer }
rule Pair where a : A, b : B { k = a.k }, no c : C { k = a.k } when b in a [0 ms, 40 ms], no c in a [0 ms, 40 ms]
then emit D at b.timestamp with { k = a.k + 1 }
"""
HARD = """
template A { x : Float }
rule P where a : A,
b : A { x * x * x + a.x * x - x * 3.7 = 17.123456789, x * x - a.x / x = 3.3333333, a.x * x * a.x = 1.1 }
when b in a [0 ms, 1 ms]
"""
DOORS = """
template Opened { door: String }
template Badge { door: String }
template Forced { door: String }
rule Force where o: Opened, no b: Badge { door = o.door } when no b in o [-10 ms, 5 ms]
then emit Forced at o.timestamp with { door = o.door }
"""
ENGINE = f"{sys.executable} {ROOT / 'examples' / 'engines' / 'engine.py'}"


_MEASURED = re.compile(r'"milliseconds": [^,}]+')


@dataclass(frozen=True, slots=True)
class Command:
    """A command of PARTE, what it needs in its folder, and what it leaves there that a second run takes up."""

    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    result: Callable[[Path], object] | None = None
    weight: int = 8
    codes: tuple[int, ...] = (0,)
    """How it ends undisturbed."""
    kills: int = 1
    """How often it is ended before it may go on to its end: what takes long to start is ended several times."""


def _pairs(folder: Path) -> None:
    (folder / "p.parte").write_text(PROGRAM, encoding="utf-8")
    draw = random.Random(1)
    lines = [
        json.dumps({"template": draw.choice("AABBC"), "timestamp": 3 * n, "attributes": {"k": draw.randrange(5)}})
        for n in range(2000)
    ]
    (folder / "t.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _hard(folder: Path) -> None:
    (folder / "p.parte").write_text(HARD, encoding="utf-8")


def _ugly(folder: Path) -> None:
    (folder / "p.parte").write_text(PROGRAM.replace(" ", "  ") + "// a comment\n" * 200, encoding="utf-8")


def _doors(folder: Path) -> None:
    (folder / "p.parte").write_text(DOORS, encoding="utf-8")
    draw = random.Random(6)
    (folder / "in").mkdir()
    for number in range(2):
        lines = [
            {"id": f"{number}-{n}", "template": draw.choice(("Opened", "Badge")), "timestamp": 100 * number + 5 * n}
            | {"attributes": {"door": draw.choice("nsew")}}
            for n in range(20)
        ]
        path = folder / "in" / f"{number}.json"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        os.utime(path, (number, number))


def _nothing(_folder: Path) -> None:
    pass


def _report(folder: Path) -> object:
    lines = (folder / "report").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    return [(line.get("case"), line.get("verdict"), line.get("results")) for line in results[1:]]


def _files(*kinds: str) -> Callable[[Path], object]:
    def of(folder: Path) -> object:
        return {
            str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for kind in kinds
            for path in sorted(folder.rglob(kind))
        }

    return of


def _rows(folder: Path) -> object:
    """The rows of a table that Spark wrote, as those see it who read it: what is not committed does not count."""
    import pyarrow.parquet as parquet

    rows: list[str] = []
    log = folder / "out" / "_spark_metadata"
    committed = (
        "".join(path.read_text(encoding="utf-8") for path in log.iterdir() if path.name[0].isdigit())
        if (log.is_dir())
        else None
    )
    for path in sorted((folder / "out").rglob("*.parquet")):
        if any(part.startswith(("_", ".")) for part in path.relative_to(folder).parts):
            continue
        if committed is not None and path.name not in committed:
            continue
        for row in parquet.read_table(path, partitioning=None).to_pylist():
            rows.append(_MEASURED.sub("", json.dumps(row, sort_keys=True, default=str)))
    return sorted(rows)


COMMANDS = {
    "run": Command(("run", "p.parte", "t.jsonl"), _pairs),
    "fmt": Command(("fmt", "--write", "p.parte"), _ugly, _files("p.parte"), 2),
    "check": Command(("check", "p.parte", "--timeout", "2"), _hard, codes=(0, 1, 4)),
    "prove": Command(("prove", "frame-JOIN-*"), _nothing, weight=5),
    "conform": Command(
        ("conform", ENGINE, "--case", "windows", "--case", "ties", "--jobs", "2", "--report", "report"),
        _nothing,
        _report,
        codes=(0, 1),
    ),
    "fuzz": Command(
        ("fuzz", "model:published", "--time", "3", "--seed", "1", "--out", "findings"), _nothing, codes=(0, 1)
    ),
    "experiment": Command(
        ("experiment", "sizes", "--small", "--out", "out", "--jobs", "2"), _nothing, _files("README.md", "*.csv"), 4
    ),
    "replay": Command(
        ("spark", "replay", "--random", "6", "--slice", "2", "--out", "out", "--cores", "1", "--memory", "512m"),
        _nothing,
        _rows,
        3,
        kills=3,
    ),
    "stream": Command(
        (
            *("spark", "stream", "p.parte", "in", "--out", "out", "--checkpoint", "checkpoint", "--files", "1"),
            *("--end", "--cores", "1", "--memory", "512m", "--disorder", "20 ms"),
        ),
        _doors,
        _rows,
        3,
        kills=3,
    ),
}
WRITERS = ("fmt", "conform", "experiment")
"""Those that a limit on the size of files keeps from writing what they write."""


@dataclass(frozen=True, slots=True)
class Kill:
    """A command, how it is ended, and after which part of the time that it takes."""

    command: str
    how: str
    moments: tuple[float, ...]


@dataclass(slots=True)
class _Calm:
    """What a command does undisturbed."""

    seconds: float
    output: bytes
    result: object


@dataclass
class Kills:
    """The campaign."""

    commands: tuple[str, ...] = tuple(COMMANDS)
    name: str = "kills"
    slowest: dict[str, float] = field(default_factory=dict)
    _calm: dict[str, _Calm] = field(default_factory=dict)

    def draw(self, source: random.Random) -> Kill:
        """A command and its end."""
        command = source.choices(self.commands, [COMMANDS[name].weight for name in self.commands])[0]
        ways = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] + [DISK] * (command in WRITERS)
        # A third within the first moments, when most is still being imported or started.
        moments = [source.random() * source.choice((0.3, 1.0, 1.0)) for _ in range(COMMANDS[command].kills)]
        return Kill(command, source.choice(ways), tuple(round(moment, 4) for moment in moments))

    def attack(self, case: Kill, counts: Counter[str]) -> None:
        """End it, look at what is left, and run it again."""
        command = COMMANDS[case.command]
        calm = self._undisturbed(case.command)
        with tempfile.TemporaryDirectory(prefix="parte-kills-", ignore_cleanup_errors=True) as name:
            folder, mark = Path(name), uuid.uuid4().hex
            command.prepare(folder)
            if case.how == DISK:
                self._on_a_full_disk(command, folder, mark, counts)
            else:
                for moment in case.moments:
                    self._killed(case, command, moment, folder, mark, calm, counts)
            drafts = list(folder.rglob(".parte-*.draft"))
            if drafts and case.how != "SIGKILL":
                raise Broken("a draft is left behind", str(drafts))
            if command.result is None:
                return
            for _ in range(command.kills):  # on a busy machine a worker of Spark may not start in time
                code, _, errors, _ = _run(command, folder, mark)
                if code in command.codes:
                    break
            if code not in command.codes:
                raise Broken("it does not go on", f"exit code {code}: {_tail(errors)}")
            if (result := command.result(folder)) != calm.result:
                raise Broken("after a restart something is lost or doubled", _difference(calm.result, result))
            counts["restarts that gave what there is undisturbed"] += 1

    def smaller(self, case: Kill) -> Iterator[Kill]:
        """None: another moment is another case."""
        del case
        yield from ()

    def show(self, case: Kill) -> str:
        """What was ended, and when."""
        moments = ", ".join(f"{moment:.0%}" for moment in case.moments)
        return f"parte {' '.join(COMMANDS[case.command].arguments)}\n{case.how} after {moments} of its time"

    def _undisturbed(self, name: str) -> _Calm:
        if name not in self._calm:
            command = COMMANDS[name]
            with tempfile.TemporaryDirectory(prefix="parte-kills-", ignore_cleanup_errors=True) as folder:
                command.prepare(Path(folder))
                code, output, errors, seconds = _run(command, Path(folder), uuid.uuid4().hex)
                if code not in command.codes:
                    raise Broken(f"{name} fails undisturbed", f"exit code {code}: {_tail(errors)}")
                result = None if command.result is None else command.result(Path(folder))
            self._calm[name] = _Calm(seconds, output, result)
        return self._calm[name]

    def _killed(
        self, case: Kill, command: Command, moment: float, folder: Path, mark: str, calm: _Calm, counts: Counter[str]
    ) -> None:
        number = getattr(signal, case.how)
        with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
            process = _started(command, folder, mark, out, err)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moment * calm.seconds)
            sent = process.poll() is None
            began = time.monotonic()
            if sent:
                if number == signal.SIGINT:  # as a terminal does
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)
            try:
                code = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                _clear(mark)
                raise Broken("it does not end", f"{case.how}: still there after {LIMIT} s") from None
            took = time.monotonic() - began
        left = _left(mark)
        if left:
            _clear(mark)
            raise Broken("processes are left behind", "\n".join(left))
        gone = time.monotonic() - began
        errors = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
        if "KeyboardInterrupt" in errors and "parte" not in errors:
            counts["Python was interrupted before it came to PARTE"] += 1
            return
        if "Traceback" in errors:
            raise Broken("a traceback", _tail(errors))
        output = (folder / "stdout").read_bytes()
        if sent:
            counts[f"{case.how} to {case.command}"] += 1
            counts["kills"] += 1
            expected = {-9} if number == signal.SIGKILL else {128 + number, -number}
            if code not in expected and code not in command.codes:
                raise Broken("another exit code", f"{code} after {case.how}: {_tail(errors)}")
            self.slowest[case.command] = max(self.slowest.get(case.command, 0.0), took)
            self.slowest["last process gone"] = max(self.slowest.get("last process gone", 0.0), gone)
            counts["longest end, ms"] = max(counts["longest end, ms"], int(1000 * took))
            counts["longest until all processes were gone, ms"] = max(
                counts["longest until all processes were gone, ms"], int(1000 * gone)
            )
        if code in command.codes and case.command in ("run", "prove") and not _same(output, calm.output):
            raise Broken("it says that all is well, and has not done all", f"{len(output)} of {len(calm.output)} bytes")

    def _on_a_full_disk(self, command: Command, folder: Path, mark: str, counts: Counter[str]) -> None:
        counts[DISK] += 1
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        code, _, errors, _ = _run(command, folder, mark, blocks=1)
        if code in command.codes:
            raise Broken("a full disk is not noticed", _tail(errors))
        if "Traceback" in errors or code not in (2, 70, 71):
            raise Broken("a full disk is not told", f"exit code {code}: {_tail(errors)}")
        for path, content in before.items():
            if path.read_bytes() != content:
                raise Broken("a full disk spoils a file", str(path))
        if left := _left(mark):
            _clear(mark)
            raise Broken("processes are left behind", "\n".join(left))


def _started(
    command: Command, folder: Path, mark: str, out: IO[bytes] | int, err: IO[bytes] | int, blocks: int | None = None
) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-m", "parte", *command.arguments]
    if blocks is not None:
        arguments = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *arguments]
    not_inherited()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        MARK: mark,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLCONFIGDIR": tempfile.gettempdir(),
    }
    return subprocess.Popen(
        arguments,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env=environment,
        start_new_session=True,
    )


def _run(command: Command, folder: Path, mark: str, blocks: int | None = None) -> tuple[int, bytes, str, float]:
    """The exit code, standard output and error, and the seconds."""
    began = time.monotonic()
    process = _started(command, folder, mark, subprocess.PIPE, subprocess.PIPE, blocks)
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        _clear(mark)
        raise Broken("it hangs", " ".join(command.arguments)) from None
    return process.returncode, output, errors.decode("utf-8", "replace"), time.monotonic() - began


def _marked(mark: str) -> dict[int, str]:
    """The processes that carry the mark and have not ended."""
    wanted = f"{MARK}={mark}".encode()
    processes = {}
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and wanted in (path / "environ").read_bytes().split(b"\0"):
                command_line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                processes[int(path.name)] = f"{path.name}: {command_line[:300]}"
        except OSError:
            continue
    return processes


def _left(mark: str) -> list[str]:
    """What is left of a command some seconds later."""
    deadline = time.monotonic() + LIMIT
    while (left := _marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return list(left.values())


def _clear(mark: str) -> None:
    for pid in _marked(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _same(first: bytes, second: bytes) -> bool:
    """Whether two outputs are equal but for numbers: `prove` says how many seconds it took."""
    return len(first.splitlines()) == len(second.splitlines())


def _difference(expected: object, actual: object) -> str:
    if isinstance(expected, list) and isinstance(actual, list):
        lost, added = Counter(map(str, expected)), Counter(map(str, actual))
        return f"lost {list(lost - added)[:3]}, surplus {list(added - lost)[:3]}"
    return f"{str(expected)[:500]} became {str(actual)[:500]}"


def _tail(errors: str) -> str:
    return "\n".join(errors.strip().splitlines()[-12:])
