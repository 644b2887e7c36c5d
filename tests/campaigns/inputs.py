"""Every input of the command, mutated: it is used as it should be, or refused with its place and exit code 2.

What must not happen: a traceback, more than `SECONDS` or a GiB, an exit code that is none of the command's, an error
that does not say where, two evaluators that answer differently, one bad file that spoils another's cases.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from parte import api
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax.elaborate import parse
from tests.campaigns.direct import command, main
from tests.campaigns.forked import RAISED, Ended, Workers
from tests.campaigns.kinds import KINDS, files_of
from tests.campaigns.mutations import Content, Odd, bomb, hostile_parquet, mutated
from tests.campaigns.running import Broken
from tests.campaigns.specimens import (
    DOMAIN,
    PROGRAM,
    TRACE,
    Files,
)

SECONDS = 10.0
"""Of computing, for a machine may be busy with other things; of waiting, `PATIENCE`."""
PATIENCE = 40.0
KILOBYTES = 2**20


@dataclass(frozen=True, slots=True)
class Mutated:
    """Files, the one of them that was changed, and what is run with them: command lines, each in order.

    `same`: those that can be used give the same output. `codes` are those that a command may end with.
    """

    kind: str
    files: Files
    changed: str
    runs: tuple[tuple[str, ...], ...]
    same: bool = False
    codes: frozenset[int] = frozenset({0, 1, 2})


_LAZILY = (
    "duckdb",
    "rich.table",
    "typer.rich_utils",
    "parte.algebra.partelang.relational.duckdb",
    "parte.algebra.partelang.relational.logs",
    "parte.checker.partelang.check",
    "parte.checker.environment.deployment",
    "parte.checker.report.json_form",
    "parte.checker.report.text",
    "parte.conformance.lint",
    "parte.conformance.partelang.engines.table",
    "parte.conformance.reports.page",
)
"""What commands import when they need it: here before they are forked."""


class Inputs:
    """The campaign."""

    name = "inputs"

    def __init__(self) -> None:
        self._workers: Workers | None = None

    def draw(self, source: random.Random) -> Mutated:
        """An input, changed."""
        self._workers = self._workers or _prepared()
        name = source.choice([name for name, kind in KINDS.items() for _ in range(kind.weight)])
        kind, files = KINDS[name], files_of(name)
        content: Content
        if kind.odd and source.random() < 0.03:
            # A trace may come through a pipe, for whose writer is waited.
            content = source.choice([odd for odd in Odd if odd is not Odd.FIFO or kind.changed != "t.jsonl"])
        elif kind.parquet is None:
            original = files[kind.changed]
            assert isinstance(original, bytes)
            content = mutated(source, original)
        elif kind.changed in files:
            content = hostile_parquet(
                source, pyarrow.parquet.read_table(_opened(files[kind.changed]), use_threads=False)
            )
        else:
            content = bomb(10**9) if source.random() < 0.005 else hostile_parquet(source, kind.parquet())
        runs = source.choice(kind.runs)
        same = kind.same and runs[0][0] == "run"
        return Mutated(name, {**files, kind.changed: content}, kind.changed, runs, same, kind.codes)

    def smaller(self, case: Mutated) -> Iterator[Mutated]:
        """The changed file with less in it."""
        content = case.files[case.changed]
        if isinstance(content, Odd) or KINDS[case.kind].parquet is not None:
            return
        for less in itertools.chain(_less(content, b"\n"), _less(content, b"")):
            yield replace(case, files={**case.files, case.changed: less})

    def show(self, case: Mutated) -> str:
        """The command lines and the changed file."""
        content = case.files[case.changed]
        lines = [f"parte {shlex.join(run)}" for run in case.runs]
        description = content.value if isinstance(content, Odd) else repr(content[:3000])
        return "\n".join([*lines, f"{case.changed} is {description}"])

    def attack(self, case: Mutated, counts: Counter[str]) -> None:
        """Run the commands on the files, and judge how they end; what breaks must break in a fresh process too."""
        workers = self._workers
        assert workers is not None  # there is a case
        counts[case.kind] += 1
        try:
            _attack(case, workers, counts)
        except Broken:
            workers.renew()
            _attack(case, workers, Counter())
            workers.renew()
            raise


def _attack(case: Mutated, workers: Workers, counts: Counter[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="parte-") as name:
        directory = Path(name)
        for path, content in case.files.items():
            _write(directory / path, content)
        ends = []
        for run in case.runs:
            end = workers.run(run, directory, PATIENCE)
            _judge(case, run, end, counts)
            ends.append(end)
        if case.same:
            _compare(case, ends)


def _prepared() -> Workers:
    """Workers that are forked when all is there that commands import or make when they first need it."""
    for module in _LAZILY:
        import_module(module)
    program = parse(PROGRAM.decode())
    relations = bind_domain(program, read_domain(DOMAIN.decode()))
    for model in ("sound", "indexed"):
        api.execute(program, read_trace(TRACE.decode()), model=model, domain=relations)
    import_module("parte.algebra.partelang.relational.duckdb").planned(program, relations)
    command()
    return Workers(main)


def _opened(content: Content) -> Any:

    assert isinstance(content, bytes)
    return pa.BufferReader(content)


def _less(content: bytes, separator: bytes) -> Iterator[bytes]:
    """The content with fewer and fewer parts left out."""
    parts = content.split(separator) if separator else [bytes([byte]) for byte in content[:20_000]]
    size = len(parts) // 2
    while size:
        for start in range(0, len(parts), size):
            yield separator.join(parts[:start] + parts[start + size :])
        size //= 2


def _write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match content:
        case bytes():
            path.write_bytes(content)
        case Odd.FIFO:
            os.mkfifo(path)
        case Odd.DIRECTORY:
            path.mkdir()
        case Odd.LOOP:
            path.symlink_to(path.name)
        case Odd.ENDLESS:
            path.symlink_to("/dev/zero")
        case Odd.FAILING:
            path.symlink_to("/proc/self/mem")
        case Odd.HUGE:
            with path.open("wb") as file:
                file.truncate(2**33)


# --- Judging ----------------------------------------------------------------------------------------------------------

_FRAME = re.compile(r'File "[^"]*?/(\w+\.py)", line \d+, in (\w+)')


def _judge(case: Mutated, run: tuple[str, ...], end: Ended, counts: Counter[str]) -> None:
    where = f"{case.kind}, {run[0]}" + (f" {run[-1]}" if run[0] in ("report", "run") else "")
    counts[f"exit code {end.code}"] += 1
    if end.code is None or end.seconds > SECONDS:
        raise Broken(f"{where}: takes longer than {SECONDS:.0f} s", end.errors[-3000:])
    if "Traceback (most recent call last)" in end.errors or end.code == RAISED:
        frames = _FRAME.findall(end.errors) or [("?", "?")]
        last = next((line for line in reversed(end.errors.split("\n")) if line and line[0].isalpha()), "?")
        raise Broken(f"{where}: {last.partition(':')[0]} in {':'.join(frames[-1])}", end.errors[-3000:])
    if end.kilobytes > KILOBYTES:
        raise Broken(f"{where}: more than 1 GiB of memory", f"{end.kilobytes} kB")
    if end.code not in case.codes:
        raise Broken(f"{where}: exit code {end.code}", end.errors[-2000:])
    for character in "\x1b\x00\x9b":
        if character in end.errors:
            raise Broken(f"{where}: the error holds {character!r}", repr(end.errors[:500]))
    if end.code == 2:
        named = (*case.files, *map(_last, case.files), *KINDS[case.kind].places)
        if not any(name in end.errors for name in named):
            raise Broken(f"{where}: an error without its place", end.errors[:2000] or "nothing is said")
        if len(end.errors) > 2**20:
            raise Broken(f"{where}: an error of {len(end.errors)} characters")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _compare(case: Mutated, ends: list[Ended]) -> None:
    """All give one answer; those that read the same files all refuse them or none does.

    But DuckDB takes a log whose rows, which mean nothing by their order there, come too late.
    """
    excused = ("Unsupported", "without recursion", "run a machine", "below the promise in force", "and comes after it")
    alike = "--capacities" not in case.runs[0] and not any(word in end.errors for end in ends for word in excused)
    if alike and len({end.code for end in ends if end.code != 3}) > 1:
        endings = "\n".join(f"{end.code}: {end.errors[:500]}" for end in ends)
        raise Broken(f"{case.kind}: one evaluator accepts what another refuses", endings)
    outputs = [end.output for end in ends if end.code == 0]
    if len(set(outputs)) > 1:
        raise Broken(f"{case.kind}: evaluators differ", "\n---\n".join(output[:1000] for output in outputs))
