"""The cell magics, and the notebook of the documentation: run anew, it shows what it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import parte
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.notebook import Misused
from tests.parte.examples import PAIR, PAIR_TRACE

formats: Any = nbformat  # which is not typed throughout
NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


class Shell:
    """What the magics ask of IPython."""

    def __init__(self) -> None:
        self.user_ns: dict[str, object] = {}
        self.magics: dict[str, Callable[[str, str], None]] = {}
        parte.load_ipython_extension(self)

    def register_magic_function(self, func: Callable[[str, str], None], magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = func


def test_the_notebook_shows_what_happens() -> None:
    stored = formats.read(NOTEBOOK, as_version=4)
    again = formats.read(NOTEBOOK, as_version=4)
    NotebookClient(again, timeout=120, kernel_name="python3", allow_errors=True).execute()
    assert any(cell.get("outputs") for cell in stored.cells)
    assert [outputs_of(cell) for cell in again.cells] == [outputs_of(cell) for cell in stored.cells]


def outputs_of(cell: Any) -> list[dict[str, object]]:
    """The outputs of a cell, without their numbers."""
    return [
        {name: value for name, value in output.items() if name != "execution_count"}
        for output in cell.get("outputs", ())
    ]


def test_a_cell_is_a_program_and_another_a_trace() -> None:
    shell = Shell()
    shell.magics["parte"]("pair", PAIR)
    shell.magics["trace"]("events", PAIR_TRACE)
    assert shell.user_ns == {"pair": parte.parse(PAIR), "events": parte.read_trace(PAIR_TRACE)}


@pytest.mark.parametrize("language", languages(), ids=lambda language: str(language.name))
def test_programs_of_every_language(language: Language) -> None:
    shell = Shell()
    shell.magics["parte"](f"p {language.name}", language[KIT].example.program)
    read = parte if language.name == "PARTElang" else getattr(parte, language.name.lower())
    assert shell.user_ns["p"] == read.parse(language[KIT].example.program)
    with pytest.raises(parte.ProgramError, match=r"^p:1:"):
        shell.magics["parte"](f"p {language.name}", language[KIT].example.invalid)


def test_warnings_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    shell.magics["parte"]("p", "template A {}")
    assert "p" in shell.user_ns
    assert capsys.readouterr().err.startswith("p:1:1: warning[no-rules]")


@pytest.mark.parametrize(
    ("magic", "line", "message"),
    [
        ("parte", "", "expected %%parte NAME [LANGUAGE], where NAME is that of a variable, found ''"),
        ("parte", "1x", "found '1x'"),
        ("parte", "p PARTElang more", "found 'p PARTElang more'"),
        ("parte", "p PARTElan", "no language is called 'PARTElan'; did you mean PARTElang?"),
        ("trace", "t PARTElang", "expected %%trace NAME"),
    ],
)
def test_a_first_line_that_says_something_else(magic: str, line: str, message: str) -> None:
    with pytest.raises(Misused) as raised:
        Shell().magics[magic](line, "")
    assert message in str(raised.value)
    assert raised.value._render_traceback_() == [f"error: {raised.value}"]


def test_what_is_wrong_with_a_trace_has_its_place() -> None:
    with pytest.raises(parte.TraceError, match="events:1"):
        Shell().magics["trace"]("events", "[]")
