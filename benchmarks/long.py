"""Long traces in files: `python -m benchmarks.long [MOST_TRANSFERS]`.

`parte run` as a separate process on scenario B at a fixed rate of arrival, 200 transfers a day: from a file, from
standard input, and by an evaluator that reads the whole trace first. The memory of the machine must not grow with the
trace; the peak memory is that of the process, and the ratio of seconds is to reading the whole trace.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Measured, apart, show, up_to
from parte.experiments.scenarios import scenario, transfers
from parte.semantics.events.trace import trace_lines

LENGTHS = (10_000, 100_000, 1_000_000)
SMALLEST = ("1000",)
A_DAY = 200
ACCOUNTS = 1_000
WAYS = {
    "whole, indexed": ("--model", "indexed"),
    "from a file": (),
    "from standard input": (),
}


def write(path: Path, count: int) -> Measured:
    """Write a trace to a file."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in trace_lines(transfers(count, ACCOUNTS, count / A_DAY)))
    return Measured(0, 0, count)


def run(program: Path, trace: Path, way: str) -> Measured:
    """Measure the command, which counts matches; time and memory are those that the system reports for its process."""
    live = way == "from standard input"
    command = [sys.executable, "-m", "parte", "run", str(program), "-" if live else str(trace), *WAYS[way]]
    command += ["--domain", str(program.with_name("domain.json"))]
    out = program.with_name("out")
    with trace.open("rb") as trace_file, out.open("w+b") as results:
        started = time.perf_counter()
        running = subprocess.Popen(
            command, stdin=trace_file if live else None, stdout=results, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        assert running.returncode == 0
        results.seek(0)
        return Measured(seconds, used.ru_maxrss / 2**10, sum(1 for _ in results))


def main(most: int = max(LENGTHS)) -> None:
    """Print the table, of traces up to `most` transfers."""
    rows = []
    with TemporaryDirectory() as folder:
        program, trace = Path(folder, "b.parte"), Path(folder, "trace.jsonl")
        program.write_text(scenario("B diffusion"), encoding="utf-8")
        Path(folder, "domain.json").write_text('{"uncommon_route": {"false_for": []}}', encoding="utf-8")
        for count in up_to(most, LENGTHS):
            apart(write, trace, count)
            measured = {way: run(program, trace, way) for way in WAYS}
            whole = measured["whole, indexed"]
            assert len({figures.counted for figures in measured.values()}) == 1
            for way, figures in measured.items():
                ratio = f"{figures.seconds / whole.seconds:.2f}"
                rows.append(
                    (
                        way,
                        f"{count:,}",
                        f"{figures.seconds:.1f}",
                        ratio,
                        f"{figures.peak_mebibytes:.0f}",
                        f"{figures.counted:,}",
                    )
                )
    columns = ("read", "transfers", "seconds", "times whole", "peak MiB", "matches")
    show("Long traces: scenario B, 200 transfers a day", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
