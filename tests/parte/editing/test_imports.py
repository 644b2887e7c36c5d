"""Imports in editors: files are read, errors in them stand at the import, and their declarations are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.editing.analysis import Analysis
from parte.editing.partelang.support import SUPPORT
from parte.editing.partelang.typing import type_at
from parte.semantics.partelang.syntax import core
from parte.semantics.source.spans import Position
from tests.parte.editing.editor import editor

MAIN = """level 2
import "b.parte"
import "d/c.parte"
predicate q(Integer)
rule R where use P(1) as p, a : A { k = 1, near(k) } when a in p.a [1 ms, 5 ms]
"""
FILES = {
    "b.parte": 'level 2\nimport "d/c.parte"\npattern P(x : Integer) exports a where a : A { k = x } end\n',
    "d/c.parte": "level 2\n// 𝄞 äöü\ntemplate A { k : Integer }\npredicate near(Integer)\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def analysis(folder: Path, text: str = MAIN) -> Analysis:
    return Analysis(SUPPORT, text, str(folder / "main.parte"))


def test_an_editor_reads_imported_files(folder: Path) -> None:
    assert [diagnostic.code for diagnostic in analysis(folder).diagnostics] == ["unused-predicate"]
    assert [diagnostic.code for diagnostic in Analysis(SUPPORT, MAIN).diagnostics] == ["import-without-file"] * 2


@pytest.mark.parametrize(
    ("word", "file", "declared"),
    [("A {", "d/c.parte", "A"), ("k = 1", "d/c.parte", "k"), ("P(", "b.parte", "P"), ("near(", "d/c.parte", "near")],
)
def test_declarations_are_found_in_imported_files(folder: Path, word: str, file: str, declared: str) -> None:
    of_main = analysis(folder)
    name = of_main.names.at(MAIN.index(word))
    assert name is not None
    ((path, text, definition),) = of_main.defined_in(name)
    assert Path(path) == folder / file
    assert text[slice(*definition.extent)] == declared
    assert definition.declares is not None


def test_errors_stand_at_the_import_that_leads_to_them(folder: Path) -> None:
    (folder / "d" / "c.parte").write_text("level 2\n  =", encoding="utf-8")
    (diagnostic,) = analysis(folder).diagnostics
    assert diagnostic.message.startswith(f"{folder}/d/c.parte:2:3: expected")
    assert (diagnostic.span.start.line, diagnostic.span.start.column, diagnostic.span.end.column) == (3, 8, 19)
    main = MAIN.replace('import "d/c.parte"\n', "")
    (diagnostic,) = analysis(folder, main).diagnostics
    assert diagnostic.span.start.line == 2


def test_types_are_those_of_the_text(folder: Path) -> None:
    """Expressions of imported files have places in these: they are not mixed up."""
    program = analysis(folder).program
    assert isinstance(program, core.Program)
    assert type_at(program, Position(5, MAIN.split("\n")[4].index("k = 1") + 1)) == "Integer"
    assert type_at(program, Position(3, FILES["b.parte"].split("\n")[2].index("k = x") + 1)) == ""


def test_the_server(folder: Path) -> None:
    with editor() as connected:
        uri = connected.opened(MAIN, ".parte", uri=(folder / "main.parte").as_uri())
        assert [diagnostic["code"] for diagnostic in connected.diagnostics(uri, 1)] == ["unused-predicate"]
        place = {"line": 4, "character": MAIN.split("\n")[4].index("A {")}
        (location,) = connected.ask("textDocument/definition", textDocument={"uri": uri}, position=place)
        assert location["uri"] == (folder / "d" / "c.parte").as_uri()
        assert location["range"]["start"] == {"line": 2, "character": 9}
        completed = connected.ask(
            "textDocument/completion", textDocument={"uri": uri}, position={"line": 1, "character": 0}
        )
        assert "import" in [item["label"] for item in completed["items"]]


@pytest.mark.parametrize("opened", [True, False])
def test_the_server_reads_files_in_the_folders_of_the_workspace(folder: Path, opened: bool) -> None:
    of_program = folder / "100% of it"
    of_program.mkdir()
    text = MAIN.replace('import "', 'import "../')
    with editor(folders=[folder.as_uri() if opened else of_program.as_uri()]) as connected:
        uri = connected.opened(text, ".parte", uri=(of_program / "main.parte").as_uri())
        codes = [diagnostic["code"] for diagnostic in connected.diagnostics(uri, 1)]
        assert codes == (["unused-predicate"] if opened else ["import-outside"] * 2)
