"""A foreign engine is a folder with a manifest: the list of engines, `parte doctor` and the page of engines find it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from docs import engines_page
from parte.commands import doctor
from parte.conformance.engines.registry import engine_called, foreign, found_engines
from parte.conformance.engines.summary import KNOWN, REPORTS
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages
from parte.semantics.source.packages import PackageMissing
from tests.parte.examples import Command

MANIFEST = """
from parte.conformance.engines.registry import Listed, calling

MAKE = "shelf.engines.abacus.manifest:make"
ENGINES = {
    "abacus": Listed(calling(MAKE), "beads", "beads_that_nobody_has", needed_by="conform abacus"),
    "sundial": Listed(calling(MAKE), "sundial"),
}

def make():
    return "an engine"
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package of engines with one folder that has a manifest, and one that has none."""
    for folder in ("", "engines", "engines/abacus", "engines/shared"):
        (tmp_path / "shelf" / folder).mkdir()
        (tmp_path / "shelf" / folder / "__init__.py").touch()
    (tmp_path / "shelf/engines/abacus/manifest.py").write_text(MANIFEST, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "shelf.engines"
    for name in [name for name in sys.modules if name.split(".")[0] == "shelf"]:
        del sys.modules[name]


def test_the_list_of_engines_has_what_a_folder_says(shelf: str) -> None:
    engines = found_engines(shelf)
    assert foreign(engines) == ("abacus", "sundial")
    assert str(engine_called(engines, "sundial")) == "an engine"
    with pytest.raises(PackageMissing, match="the engine abacus needs the module beads_that_nobody_has"):
        engine_called(engines, "abacus")


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_every_folder_with_an_adapter_has_a_manifest(language: Language) -> None:
    folder = language[KIT].recorded
    adapters = {path.parent for path in [*folder.glob("engines/*/adapter.py"), *folder.glob("*/adapter.py")]}
    assert {path for path in adapters if not (path / "manifest.py").is_file()} == set()
    assert bool(adapters) == bool(foreign(language[KIT].engines()))


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_what_is_recorded_is_of_engines_that_are_found(language: Language) -> None:
    recorded = {path.stem for path in (language[KIT].recorded / REPORTS).glob("*.json")}
    assert recorded == set(foreign(language[KIT].engines()))


def test_the_page_of_engines_finds_what_is_recorded(tmp_path: Path) -> None:
    recorded = PARTELANG[KIT].recorded
    for folder, ending in ((REPORTS, "json"), (KNOWN, "json"), (KNOWN, "jsonl")):
        (tmp_path / folder).mkdir(exist_ok=True)
        text = (recorded / folder / f"sqlite.{ending}").read_text(encoding="utf-8")
        text = text.replace('"engine": "sqlite"', '"engine": "abacus"')
        (tmp_path / folder / f"abacus.{ending}").write_text(text, encoding="utf-8")
    assert [engine.label for engine in engines_page.engines(tmp_path)] == ["abacus"]
    assert "abacus" in engines_page.part(PARTELANG.having(KIT, replace(PARTELANG[KIT], recorded=tmp_path)), _table)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(" ".join(row) for row in (head, *rows))


def test_doctor_says_what_the_engine_needs(shelf: str, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = PARTELANG[KIT]
    engines = {**kit.engines(), **found_engines(shelf)}
    language = PARTELANG.having(KIT, replace(kit, engines=lambda: engines))
    monkeypatch.setattr(doctor, "languages", lambda: (language,))
    monkeypatch.setattr(doctor, "requirements", lambda: iter([("beads", "beads_of_wood>=1")]))
    assert doctor.purposes()["beads"] == "conform abacus"
    rows = {" ".join(line.split()) for line in command("doctor", "--all", COLUMNS="200").out.splitlines()}
    assert "beads conform abacus missing: beads_of_wood" in rows
    assert "engine sundial conform, fuzz (PARTElang) ready" in rows
    assert any(row.startswith("engine abacus conform, fuzz (PARTElang) missing: the engine abacus") for row in rows)
