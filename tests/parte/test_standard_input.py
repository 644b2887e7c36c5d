"""Standard input that was closed, or cannot be read: every command that wants it says so, and no other minds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parte.languages.registry import languages
from tests.parte.inventory import inventory, parameters
from tests.parte.test_writers import arguments, language_of
from tests.sampling import sampled

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closes descriptors")

SERVERS = {"engine", "lsp"}
"""Commands that answer what comes on standard input."""


def reading() -> Iterator[tuple[str, str]]:
    """Each command that reads standard input, and how: by an argument that is `-`, or always."""
    for name in inventory():
        taken = [argument for argument, _ in parameters(name) if argument in ("PROGRAM", "TRACE", "EVENTS", "LOG")]
        if name.split()[-1] in SERVERS:
            yield name, ""
        yield from ((name, argument) for argument in taken if argument in ("PROGRAM", "TRACE"))


def shell(command: list[str], redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "parte", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
    )


def line_of(name: str, argument: str, folder: Path) -> list[str]:
    """A command with `-` as one argument, and files as the others."""
    files = {
        "PROGRAM": "{program}",
        "TRACE": "{trace}",
        "P": "Pair",
        "Q": "Pair",
        "SOURCE": "{source} --out {new} --checkpoint {new}2 --once",
        "EVENTS": "{trace} --out {new}",
        "LOG": "{trace}",
    }
    words = [("-" if taken == argument else files[taken]) for taken, _ in parameters(name) if taken in files]
    extra = {"translate": "--to {other}", "step": "--output {new}", "spark log": "--out {new}"}
    more = extra.get(name.removeprefix(f"{language_of(name)} "), "")
    return arguments(name, " ".join([*words, more]), folder / "unused", folder)


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param(reader, marks=sampled(number, usual=3, quick=9), id=" ".join(reader).strip())
        for number, reader in enumerate(reading())
    ],
)
def test_standard_input_that_is_closed_is_told(tmp_path: Path, reader: tuple[str, str]) -> None:
    done = shell(line_of(*reader, tmp_path), "<&-", tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "cannot read standard input: it is closed\n  hint: do not close it" in done.stderr


@pytest.mark.parametrize(
    "reader", [("run", "TRACE"), *((f"{language.name} fmt", "PROGRAM") for language in languages()[1:]), ("engine", "")]
)
def test_standard_input_that_is_open_for_writing_only_is_told(tmp_path: Path, reader: tuple[str, str]) -> None:
    done = shell(line_of(*reader, tmp_path), "0>/dev/null", tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "cannot read standard input: Bad file descriptor\n" in done.stderr


@pytest.mark.parametrize(
    "name", ["run", *(f"{language.name} run" for language in languages()[1:]), "compare", "doctor", "suite list"]
)
def test_who_does_not_read_it_does_not_mind(tmp_path: Path, name: str) -> None:
    command = line_of(name, "", tmp_path)
    closed, open_ = shell(command, "<&-", tmp_path), shell(command, "</dev/null", tmp_path)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, open_.stdout, "")
