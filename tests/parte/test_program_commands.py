"""`parte fmt`, `parte ast`, `parte graph`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import parte
from parte.languages.registry import language_called, languages
from parte.semantics.partelang.syntax.json_form import program_from_json
from parte.semantics.source.text import TEXT, LayoutBug
from tests.parte.examples import FRAUD, PAIR, Command
from tests.parte.guest import GUESTS

UGLY = PAIR.replace("\n", "  \n").replace(" {", "{") + "// the end\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.parte"
    path.write_text(PAIR, encoding="utf-8")
    return path


# --- fmt --------------------------------------------------------------------------------------------------------------


def test_fmt_prints_the_canonical_layout(command: Command, program: Path) -> None:
    assert command("fmt", program).out == PAIR
    program.write_text(UGLY, encoding="utf-8")
    result = command("fmt", program)
    assert (result.code, result.err) == (0, "")
    assert result.out == parte.format_program(UGLY)
    assert "// the end" in result.out
    assert program.read_text(encoding="utf-8") == UGLY


def test_fmt_is_idempotent(command: Command) -> None:
    once = command("fmt", FRAUD / "scenarios.parte").out
    assert command("fmt", "-", stdin=once).out == once


def test_fmt_check(command: Command, program: Path) -> None:
    clean = command("fmt", "--check", program)
    assert (clean.code, clean.out, clean.err) == (0, "", "")
    program.write_text(UGLY, encoding="utf-8")
    dirty = command("fmt", "--check", program)
    assert (dirty.code, dirty.out) == (1, "")
    assert f"{program} is not in canonical layout" in dirty.err
    assert f"parte fmt --write {program}" in dirty.err
    assert program.read_text(encoding="utf-8") == UGLY


def test_fmt_write(command: Command, program: Path) -> None:
    program.write_text(UGLY, encoding="utf-8")
    result = command("fmt", "--write", program)
    assert (result.code, result.out) == (0, "")
    assert program.read_text(encoding="utf-8") == parte.format_program(UGLY)
    assert command("fmt", "--check", program).code == 0


def test_fmt_formats_what_does_not_mean_anything_yet(command: Command) -> None:
    result = command("fmt", "-", stdin="rule R where a:Unknown")
    assert (result.code, result.out) == (0, "rule R where\n    a : Unknown {},\n".replace(" {},", ","))


def test_fmt_of_what_is_no_program(command: Command, program: Path) -> None:
    program.write_text("rule where", encoding="utf-8")
    for option in ("--check", "--write"):
        result = command("fmt", option, program)
        assert (result.code, result.out) == (2, "")
        assert "error[syntax-error]" in result.err
    assert program.read_text(encoding="utf-8") == "rule where"


def test_fmt_options_that_make_no_sense(command: Command, program: Path) -> None:
    assert command("fmt", "--check", "--write", program).code == 2
    assert command("fmt", "--write", "-", stdin=PAIR).code == 2


def test_fmt_of_a_file_that_cannot_be_written(command: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program.write_text(UGLY, encoding="utf-8")

    def refuse(*_arguments: object, **_options: object) -> bool:
        return False

    monkeypatch.setattr(os, "access", refuse)
    result = command("fmt", "--write", program)
    assert result.code == 2
    assert f"error: cannot write {program}: Permission denied" in result.err
    assert program.read_text(encoding="utf-8") == UGLY


OTHERS = {
    "PARTElang": (PAIR, PAIR.replace("a.k + 1", "a.k - 1")),
    **{name: guest.different for name, guest in GUESTS.items()},
}


@pytest.mark.parametrize("options", [(), ("--write",), ("--check",)], ids=" ".join)
@pytest.mark.parametrize("name", OTHERS)
def test_fmt_writes_nothing_that_is_read_as_another_program(
    name: str, options: tuple[str, ...], command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A printer that errs, in every language: what it prints is another program, or none."""
    language = language_called(name)
    text, wrong_text = OTHERS[name]
    assert text != wrong_text
    program = tmp_path / f"p{language.ending}"
    program.write_text(text, encoding="utf-8")
    erring = replace(language[TEXT], layout=lambda _: wrong_text)
    monkeypatch.setitem(cast(dict[str, object], language.facets), "text", lambda: erring)
    with pytest.raises(LayoutBug):
        command("fmt", *options, program)
    assert program.read_text(encoding="utf-8") == text


def test_every_language_has_its_layout_read_back() -> None:
    assert OTHERS.keys() == {language.name for language in languages()}


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_a_full_disk_leaves_the_program_as_it_was(program: Path) -> None:
    program.write_text(UGLY + "// a comment\n" * 200, encoding="utf-8")
    before = program.read_bytes()
    command = 'ulimit -f 1; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "parte", "fmt", "--write", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert (done.returncode, done.stderr) == (2, f"error: cannot write {program}: File too large\n")
    assert program.read_bytes() == before
    assert list(program.parent.iterdir()) == [program]


# --- ast --------------------------------------------------------------------------------------------------------------


def test_ast_is_the_elaborated_program(command: Command) -> None:
    path = FRAUD / "scenarios.parte"
    result = command("ast", path)
    assert (result.code, result.err) == (0, "")
    record = json.loads(result.out)
    schema = Path(__file__).parents[2] / "parte" / "semantics" / "partelang" / "syntax" / "program.schema.json"
    Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(record)
    assert program_from_json(record) == parte.parse(path.read_text(encoding="utf-8"))


def test_ast_of_what_is_no_program(command: Command) -> None:
    result = command("ast", "-", stdin="rule R where a : A")
    assert (result.code, result.out) == (2, "")
    assert "-:1:18: error[unknown-template]" in result.err


# --- graph ------------------------------------------------------------------------------------------------------------


def test_graph_is_svg(command: Command, program: Path) -> None:
    result = command("graph", program)
    assert (result.code, result.err) == (0, "")
    assert ElementTree.fromstring(result.out).tag == "{http://www.w3.org/2000/svg}svg"


def test_graph_as_dot(command: Command, program: Path) -> None:
    result = command("graph", program, "--format", "dot")
    assert result.out.startswith("digraph parte {")


def test_graph_to_a_file(command: Command, program: Path, tmp_path: Path) -> None:
    for name, options, start in (
        ("n.svg", (), "<svg"),
        ("n.dot", (), "digraph"),
        ("n.gv", (), "digraph"),
        ("n.txt", ("--format", "svg"), "<svg"),
        ("m.dot", ("--format", "svg"), "<svg"),
    ):
        result = command("graph", program, "--output", tmp_path / name, *options)
        assert (result.code, result.out, result.err) == (0, "", "")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_graph_needs_no_domain(command: Command) -> None:
    assert command("graph", FRAUD / "scenarios.parte").code == 0


def test_graph_errors(command: Command, program: Path, tmp_path: Path) -> None:
    assert "expected svg or dot, found 'png'" in command("graph", program, "--format", "png").err
    for ending in ("png", "pdf", "txt"):
        result = command("graph", program, "--output", tmp_path / f"n.{ending}")
        assert result.code == 2
        assert f"expected svg or dot, found '{ending}'" in result.err
        assert not (tmp_path / f"n.{ending}").exists()
    result = command("graph", program, "--output", tmp_path / "none" / "n.svg")
    assert result.code == 2
    assert "error: cannot write" in result.err


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz, which nothing else does")
def test_graphviz_reads_the_dot_text(command: Command) -> None:
    text = command("graph", FRAUD / "scenarios.parte", "--format", "dot").out
    done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
