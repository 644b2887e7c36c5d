"""Commands where nothing can be written, with names that are no plain words, and after Ctrl-C."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import parte
from parte.algebra.partelang.relational.parquet import write_log
from parte.commands.general import names_of
from parte.conformance.kit import KIT
from parte.languages.registry import language_called, languages
from tests.parte.examples import Command
from tests.parte.inventory import inventory, words_of
from tests.parte.test_standard_input import line_of
from tests.parte.test_writers import DIRECTORIES, EMPTY, FILES, WRITERS, arguments, called, general
from tests.sampling import sampled

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals and permissions")

ELSE = {
    "fmt": "{program}",
    "prove": "{lemma}",
    "conform": "{engine} --case {case}",
    "fuzz": "{engine} --max-cases 3 --out {out}",
    "report": "{report}",
    "translate": "{translated} --to {other}",
    "log": "{mapping} {raw}",
    "import": "{format} {rule} --out {out}",
    "test": "{tests}",
    "experiment": "schedules --small --out {out}",
    "examples": "engines --out {out}",
    "playground": "--port 0",
    "suite export": "{out}",
    "spark replay": "--random 1 --out {out}",
    "spark convert": "--out {out}",
    "spark generate": "1 --out {out}",
}
"""How to ask for what does not take a program and a trace."""
ALONE = {"suite list", "suite lint", "suite coverage", "suite mutants", "rules", "demo", "doctor", "lsp", "engine"}
NAMES = [
    *("a\nb", "é ☃ 𝔘 \u202e", 'it\'s "q" $(x) `y` %s {0} \\', "-dash", "--help"),
    *(" sp ", "\udcff", "*?[a]", "#x;y&z"),
]
"""Names of files, one of which is not UTF-8."""


READY = """\
import parte.__main__ as command
import parte.interruptions as signals
install = signals.install
signals.install = lambda: (install(), print("ready", flush=True))
command.main()
"""
"""The command, which says when signals are its own."""


def usual(name: str, folder: Path) -> list[str]:
    """A command with what it takes."""
    if general(name) in ALONE:
        return words_of(name)
    if name == "suite admit":
        shutil.copytree(language_called("PARTElang")[KIT].suite, folder / "suite")
        return [*words_of(name), "--all", "--suite", str(folder / "suite")]
    if name == "spark match":
        words = arguments(name, "{program} {trace}", folder / "out", folder)
        log = folder / "log.parquet"
        write_log(parte.parse(Path(words[-2]).read_text("utf-8")), parte.load_trace(words[-1]), log)
        return [*words[:-1], str(log), "--out", str(folder / "out")]
    if general(name) in ELSE:
        return arguments(name, ELSE[general(name)], folder / "out", folder)
    return line_of(name, "", folder)


def interrupted(name: str, moment: float, folder: Path) -> tuple[int, str]:
    """How a command ends after Ctrl-C, and what it says. The moment is in seconds after its own code begins, for in the
    first tenths of a second all is Python's."""
    folder.mkdir()
    command = [sys.executable, "-c", READY, *usual(name, folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=folder) as run:
        try:
            assert run.stdout is not None
            assert run.stdout.readline() == "ready\n"
            time.sleep(moment)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=30)
        finally:
            run.kill()
    return run.returncode, errors


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=sampled(number, usual=4)) for number, name in enumerate(inventory())]
)
def test_ctrl_c_ends_every_command(tmp_path: Path, name: str) -> None:
    moments = (0.0, 0.3, 1.5)
    with ThreadPoolExecutor() as pool:
        ends = list(pool.map(lambda moment: interrupted(name, moment, tmp_path / str(moment)), moments))
    for code, errors in ends:
        # It may have ended by itself, or was about to: at the very end Python gives signals back to the system.
        without_page = name == "playground" and "no page of the playground" in errors
        assert without_page or code in (130, 0, -signal.SIGINT), errors
        assert "Traceback" not in errors
        assert "a fault in PARTE" not in errors
    assert not list(tmp_path.rglob(".parte-*"))


@pytest.mark.parametrize("writer", WRITERS, ids=called)
def test_where_nothing_can_be_written_it_is_told(command: Command, tmp_path: Path, writer: tuple[str, str]) -> None:
    name, option = writer
    key = f"{general(name)} {option}"
    if option in ("--write", "--suite"):
        return  # these name what is read first
    (tmp_path / "plain").write_text("", encoding="utf-8")
    template = FILES.get(key) or EMPTY.get(key) or DIRECTORIES[key][0]
    done = command(*arguments(name, template, tmp_path / "plain" / "x.svg", tmp_path))
    assert done.code == 2, done
    assert "plain" in done.err
    assert (tmp_path / "plain").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "template",
    [
        *("run", "step", "fmt", "graph", "examples"),
        *(
            f"{language.name} {name}"
            for language in languages()[1:]
            for name in ("run", "graph", "timeline", "compare")
            if name in names_of(language)
        ),
    ],
)
def test_names_of_files_are_taken_as_they_are(command: Command, tmp_path: Path, template: str, name: str) -> None:
    words = usual(template, tmp_path)
    plain = command(*words)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    odd = []
    for word in words:
        path = Path(word)
        if path.is_file():
            path = path.rename(tmp_path / f"{name}{path.suffix}")
        path = path.with_name(f"{name}.d") if path == tmp_path / "out" else path
        odd.append(str(path) if path.is_absolute() else word)
    result = command(*odd)
    assert result.code == plain.code == 0, result
    broken = [*odd[:1], str(tmp_path / f"{name}.gone"), *odd[2:]]
    if template != "examples":
        assert command(*broken).code == 2
