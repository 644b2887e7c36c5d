"""The artefact: every number of the documentation that a command makes, made again.

`python -m docs.artefact [--quick] [ID...]` runs the claims of `docs/claims.toml`, one command after the other, and
writes `build/artefact/artefact.md`, a page with a row for each claim, and `build/artefact/found.json`, the values by
`id.name`. Exit code 0 if every claim holds, 1 if one does not, 130 after Ctrl-C, which keeps what was run so far.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from docs.claims import FILE, Claim, read
from parte.semantics.events.files import make_directory, write_whole

ROOT: Final = Path(__file__).parents[1]
OUT: Final = ROOT / "build" / "artefact"
PATIENCE: Final = 5
"""A command may take so many times its minutes, and a minute more, before it is ended: other machines are slower."""

HOLDS, FAILS, NOT_RUN = VERDICTS = ("holds", "fails", "not run")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command wrote, the minutes that it took, and its exit code, which is None if it took too long."""

    output: str
    minutes: float
    code: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """A claim with its verdict, the values that were found, and what is wrong."""

    claim: Claim
    verdict: str
    minutes: float = 0.0
    numbers: Mapping[str, float | None] | None = None
    problem: str = ""


def run(command: str, seconds: float) -> Ran:
    """Run a command from the root of the repository, without a terminal, for at most so many seconds."""
    start = {"python": [sys.executable], "parte": [sys.executable, "-m", "parte"]}
    name, *arguments = shlex.split(command)
    began = time.monotonic()
    process = subprocess.Popen(
        [*start[name], *arguments],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "200", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    code = None
    with process:
        try:
            output, _ = process.communicate(timeout=seconds)
            code = process.returncode
        except BaseException as ended:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            if not isinstance(ended, subprocess.TimeoutExpired):
                raise
    return Ran(output, (time.monotonic() - began) / 60, code)


def judge(claim: Claim, ran: Ran) -> Result:
    """Return the verdict on a claim after its command has run."""
    numbers = {value.name: value.read_from(ran.output) for value in claim.expect}
    problems = []
    if ran.code is None:
        problems.append(f"ended after {ran.minutes:.1f} minutes, expected {claim.minutes:g}")
    elif ran.code != claim.exit:
        last = (ran.output.strip().splitlines() or ["no output"])[-1]
        problems.append(f"exit code {ran.code}, expected {claim.exit}: {last[:200]}")
    for value in claim.expect:
        number = numbers[value.name]
        if number is None:
            problems.append(f"{value.name} is not in the output")
        elif not value.accepts(number):
            problems.append(f"{value.name} is {number:,}, expected {value.expected}")
    return Result(claim, FAILS if problems else HOLDS, ran.minutes, numbers, "; ".join(problems))


def results(claims: Sequence[Claim], say: Callable[[str], None]) -> list[Result]:
    """Run claims, each command once, and return the verdicts; after Ctrl-C those of the commands that have ended."""
    ran: dict[str, Ran] = {}
    done: list[Result] = []
    try:
        for number, claim in enumerate(claims, 1):
            if claim.command and claim.command not in ran:
                say(f"{number} of {len(claims)}  {claim.id}: {claim.command} (about {claim.minutes:g} min)")
                ran[claim.command] = run(claim.command, (claim.minutes * PATIENCE + 1) * 60)
            result = judge(claim, ran[claim.command]) if claim.command else Result(claim, FAILS, problem="no command")
            say(f"{number} of {len(claims)}  {claim.id}: {result.verdict} {result.problem}".rstrip())
            done.append(result)
    except KeyboardInterrupt:
        say("interrupted")
    return done


def page(rows: Sequence[Result]) -> str:
    """Return the results as a page in Markdown."""
    counts = ", ".join(f"{sum(row.verdict == v for row in rows)} {v}" for v in VERDICTS)
    lines = [
        f"# Artefact\n\n{len(rows)} claims: {counts}. Python {platform.python_version()}, "
        f"{platform.platform(terse=True)} {platform.machine()}, {os.cpu_count()} cores.\n",
        "| claim | command | minutes | expected | found | verdict |\n|---|---|---:|---|---|---|",
    ]
    for row in rows:
        claim, numbers = row.claim, row.numbers or {}
        cells = (
            f"[{claim.id}](../../{claim.page}): " + " … ".join(claim.says or (claim.section,)),
            f"`{claim.command}`" + f" ({claim.scope})" * bool(claim.scope),
            f"{row.minutes:.1f}" if row.numbers else "",
            "; ".join(f"{value.name} {value.expected}" for value in claim.expect),
            "; ".join(f"{name} {'none' if number is None else f'{number:,}'}" for name, number in numbers.items()),
            f"**{row.verdict}**" + f": {row.problem}" * bool(row.problem),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None, file: Path = FILE, out: Path = OUT) -> int:
    """Run the claims that the arguments name, write page and values, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.artefact", description="Run the claims of the documentation.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="claims; all if none is given")
    parser.add_argument("--quick", action="store_true", help="only claims that are quick: under ten minutes together")
    options = parser.parse_args(arguments)
    claims = {claim.id: claim for claim in read(file).claim}
    for unknown in sorted(set(options.ids) - claims.keys()):
        parser.error(f"there is no claim called {unknown}; docs/claims.toml has them")
    chosen = [claims[id] for id in options.ids or claims if claims[id].quick or not options.quick]
    make_directory(out)
    done = results(chosen, partial(print, flush=True))
    write_whole(out / "artefact.md", page([*done, *(Result(claim, NOT_RUN) for claim in chosen[len(done) :])]))
    values = {f"{row.claim.id}.{name}": number for row in done for name, number in (row.numbers or {}).items()}
    write_whole(out / "found.json", json.dumps(values, indent=2) + "\n")
    failed = sum(row.verdict == FAILS for row in done)
    print(f"{len(done) - failed} hold, {failed} fail, {len(chosen) - len(done)} not run: {out / 'artefact.md'}")
    return 130 if len(done) < len(chosen) else int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
