"""Every benchmark of the package runs, and every table of measured figures in the documentation names its command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.measuring import UNMEASURABLE
from benchmarks.spark import scaling
from tests.guests import is_absent
from tests.sampling import EXHAUSTIVE, WHOLE

ROOT = Path(__file__).parents[1]

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""The smallest sizes are over before Java has compiled anything well."""

LIMIT = 1200
"""Seconds; against a hang."""

WITHOUT_TABLES = {"benchmarks.__main__", "benchmarks.common", "benchmarks.measuring", "benchmarks.scenarios"}
"""What the benchmarks share, and what runs them all."""


def modules() -> Iterator[str]:
    """Every module of the package."""
    folder = ROOT / "benchmarks"
    for path in sorted(folder.rglob("*.py")):
        yield ".".join(["benchmarks", *path.relative_to(folder).with_suffix("").parts])


PRINTED = re.compile(r"^┡.*\n((?:.*\n)*?)└", re.MULTILINE)
"""The body of a table as it is printed."""

NAMES = [name for name in modules() if name not in WITHOUT_TABLES]


LONGEST = {
    *(f"benchmarks.spark.{name}" for name in ("hot", "replay", "scaling", "soak", "stream")),
    "benchmarks.languages.cel.spark",
}
"""They take most of the time of all; others of the same kind stay in `make test-all`."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=WHOLE if name in LONGEST else EXHAUSTIVE) for name in NAMES])
def test_a_benchmark_runs_at_its_smallest_size(name: str, tmp_path: Path) -> None:
    arguments: tuple[str, ...] = import_module(name).SMALLEST
    command = [sys.executable, "-m", name, *arguments]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "JDK_JAVA_OPTIONS": JAVA},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    # How long something took cannot fail a test: a benchmark that needs a quieter machine has its own exit status.
    assert done.returncode in (0, UNMEASURABLE), done.stderr[-2000:]
    if done.returncode == 0:
        assert tables_without_figures(done.stdout) == [], done.stdout


@pytest.mark.parametrize("per_event", [5e-6, 0.0])
def test_the_scaling_benchmark_predicts_times_that_follow_its_model(
    per_event: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs that take a second and a constant time for each event have the ratio 1; without the latter no table."""

    def job(events: int, cores: int) -> scaling.Measured:
        work = events * per_event / cores
        return scaling.Measured(1.0 + work, 50 * events, before=work / 4, after=3 * work / 4, fullest=1 / 4)

    def jobs(_: object) -> list[list[scaling.Measured]]:
        return [[job(events, cores) for events in (250_000, 1_000_000, 250_000)] for cores in (1, 2)]

    monkeypatch.setattr(scaling, "on_one_and_two", jobs)
    if not per_event:
        with pytest.raises(SystemExit) as ended:
            scaling.main("match", 1_000_000)
        assert ended.value.code == UNMEASURABLE
        assert "more events took no longer" in capsys.readouterr().err
        return
    scaling.main("match", 1_000_000)
    ratios = dict(re.findall(r"^│ match, (bytes|seconds).*│ +([\d.]+) │$", capsys.readouterr().out, re.MULTILINE))
    assert ratios["bytes"] == "1.00"
    assert float(ratios["seconds"]) == pytest.approx(1, abs=0.05)


def tables_without_figures(output: str) -> list[str]:
    """The bodies of printed tables that have no digit; all of the output where no table is printed."""
    return [body for body in PRINTED.findall(output) or [output] if not re.search(r"\d", body)]


def test_a_printed_table_without_figures_is_found() -> None:
    head = "Title of 2\n┏━━━┓\n┃ s ┃\n┡━━━┩\n"
    assert tables_without_figures(f"{head}│ 1 │\n└───┘\nnote\n") == []
    assert tables_without_figures(f"{head}│ 1 │\n└───┘\n{head}│   │\n└───┘\n") == ["│   │\n"]
    assert tables_without_figures(f"{head}└───┘\n") == [""]
    assert tables_without_figures("1 event") == []
    assert tables_without_figures("none") == ["none"]


def test_every_benchmark_says_what_its_smallest_size_is() -> None:
    """So that a new one cannot be left out of the test above."""
    assert {"benchmarks.spark.match", "benchmarks.rates"} <= set(NAMES)
    for name in NAMES:
        module = import_module(name)
        assert all(isinstance(argument, str) for argument in module.SMALLEST), name
        assert f"python -m {name}" in (module.__doc__ or ""), name
    for name in WITHOUT_TABLES - {"benchmarks.__main__"}:
        assert not hasattr(import_module(name), "main"), name


# --- What the documentation measured ---------------------------------------------------------------------------------

FIGURES = re.compile(r"\w/s\b|\w, s\b|\b(seconds|ratio|times faster)\b|µs|\bms (a|of|per)\b|MiB|by hand|gain")
"""What the head of a table says whose figures were measured: a rate, a time, memory, or one thing by another."""

COMMANDS = re.compile(r"python -m (benchmarks|tests)\.[\w.]+|parte experiment \w+")

TABLE = re.compile(r"(?:^\|.*\n)+|^```text\n(?:(?!```).*\n)+```\n", re.MULTILINE)


def heads(table: str) -> str:
    """The first line of a table of Markdown, or the lines without figures of one in text."""
    lines = table.removeprefix("```text\n").splitlines()
    return lines[0] if table.startswith("|") else "\n".join(line for line in lines if not re.search(r"\d", line))


def without_command(page: str) -> list[str]:
    """The heads of the tables of measured figures for which their section, up to the next table, names no command."""
    titles = []
    for table in TABLE.finditer(page):
        if FIGURES.search(heads(table[0])) and re.search(r"\d", table[0]):
            begins = max(page.rfind(f"\n{level} ", 0, table.start()) for level in ("#", "##"))
            ends = TABLE.search(page, table.end())
            around = page[max(begins, 0) : len(page) if ends is None else ends.start()]
            heading = re.search(r"^#", page[table.end() :], re.MULTILINE)
            if heading is not None:
                around = around[: table.end() - max(begins, 0) + heading.start()]
            if not COMMANDS.search(around):
                titles.append(heads(table[0]).strip())
    return titles


HAND_WRITTEN = [
    path for path in sorted((ROOT / "docs").glob("*.md")) if "Generated by" not in path.read_text("utf-8")[:400]
]


def test_every_table_of_figures_names_the_command_that_makes_it() -> None:
    wrong = {path.name: titles for path in HAND_WRITTEN if (titles := without_command(path.read_text("utf-8")))}
    assert wrong == {}


def test_every_command_of_a_benchmark_in_the_documentation_is_one() -> None:
    pages = [path.read_text("utf-8") for path in [*HAND_WRITTEN, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]]
    named = {name.rstrip(".") for page in pages for name in re.findall(r"python -m (benchmarks\.[\w.]+)", page)}
    assert {name for name in named if not is_absent(name)} <= set(NAMES)
    # And what measures something is worth a table.
    assert set(NAMES) - named == set()


def test_a_table_without_a_command_is_found() -> None:
    table = "| engine | events/s |\n|---|---:|\n| machine | 2,625 |\n"
    text = "```text\nengine   events/s\nmachine     2,625\n```\n"
    command = "`python -m benchmarks.spark.stream` prints:\n\n"
    for figures in (table, text):
        assert len(without_command(f"# Page\n{command}## Part\n{figures}")) == 1
        assert len(without_command(f"# Page\n## Part\n{figures}\n## Other\n{command}")) == 1
        assert without_command(f"# Page\n## Part\n{command}{figures}") == []
        assert without_command(f"# Page\n## Part\n{figures}\nMade by {command}") == []
        assert without_command(f"# Page\n## Part\n{command}### Figures\n{figures}") == []
    assert without_command("# Page\n| source | column |\n|---|---|\n| a | 1 |\n") == []
