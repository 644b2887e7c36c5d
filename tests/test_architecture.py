"""The pages that say where things are name what is there, and the tables of docs/architecture.md miss nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs import architecture_page
from parte.languages.registry import languages
from tests.guests import is_absent

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "adding-a-language.md",
    ROOT / "docs" / "architecture.md",
]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GUESTS = sorted(path.parent for path in (ROOT / "parte" / "languages").glob("*/semantics"))

PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
SUFFIXES = (".py", ".md", ".toml", ".json", ".lark", ".cases", ".csv")
NAME = re.compile(r"(?:parte|docs|tests)(?:\.\w+)+")
BUILT = ("build/", ".venv/")
"""What commands make lies there."""


def words(text: str) -> Iterator[str]:
    """The words between backquotes, outside of examples."""
    for code in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)):
        yield from code.split()


def paths(text: str) -> list[str]:
    candidates = [word for word in words(text) if PATH.fullmatch(word) and not word.startswith("PARTE/")]
    return [word for word in candidates if ("/" in word or word.endswith(SUFFIXES)) and not word.startswith(BUILT)]


def is_there(path: str) -> bool:
    """Return whether a path exists, at the top or in the folder of every guest; GUEST stands for any guest."""
    if "GUEST" in path:
        return any((ROOT / path.replace("GUEST", guest.name)).exists() for guest in GUESTS)
    if "*" in path:
        return any((ROOT / "parte").rglob(path))
    exists = (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).exists()
    return exists or all((guest / path).exists() for guest in GUESTS) or is_absent(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    named = paths(page.read_text(encoding="utf-8"))
    assert named
    assert [path for path in named if not is_there(path)] == []


def test_a_path_that_is_not_there_is_found() -> None:
    text = "Write `parte/absent/rule.py` and run `parte run --out docs/absent`; `absent.py` and `a.b` are `PARTE/JOIN`."
    assert paths(text) == ["parte/absent/rule.py", "docs/absent", "absent.py"]
    assert not any(map(is_there, paths(text)))
    assert not is_there("parte/languages/GUEST/spark_adapter/absent/")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_every_module_and_name_that_a_page_names_exists(page: Path) -> None:
    for word in filter(NAME.fullmatch, words(page.read_text(encoding="utf-8"))):
        module, _, attribute = word.rpartition(".")
        if find_spec(module) is None or not hasattr(import_module(module), attribute):
            assert find_spec(word) is not None, word


DOTTED = re.compile(
    r"`((?:parte\.)?(?:algebra|checker|conformance|proofs|semantics|spark_adapter|languages)(?:\.\w+)+)(?:\(\))?`"
)


def named(text: str) -> Iterator[str]:
    """The modules, and names in them, that a text names between backquotes."""
    return (word for word in DOTTED.findall(text) if not word.endswith((".py", ".md", ".toml", ".json")))


def is_defined(word: str) -> bool:
    """Return whether a dotted name is that of a module, or of something in one."""
    module, names = word, list[str]()
    while "." in module:
        try:
            if find_spec(module) is not None:
                break
        except ModuleNotFoundError:
            pass
        module, _, name = module.rpartition(".")
        names.insert(0, name)
    value: object = import_module(module)
    for name in names:
        if not hasattr(value, name):
            return name in getattr(value, "__annotations__", {})
        value = getattr(value, name)
    return True


def unknown_names() -> list[str]:
    """Return the names between backquotes in all modules that nothing defines."""
    files = [path for folder in ("parte", "docs", "benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 1_000
    return [
        f"{path.relative_to(ROOT)}: {word}"
        for path in files
        if path.name != "test_architecture.py"  # its examples are wrong
        for word in named(path.read_text(encoding="utf-8"))
        if not word.startswith("parte.") or not is_defined(word)
    ]


def test_every_module_that_a_docstring_names_exists() -> None:
    """In a process of its own, for it imports most of the project."""
    code = "from tests.test_architecture import unknown_names; print(*unknown_names(), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_module_that_is_not_there_is_found() -> None:
    assert [*named("`semantics.events.event` and `parte.algebra.absent.NAME()`, `b.c`")] == [
        "semantics.events.event",
        "parte.algebra.absent.NAME",
    ]
    assert is_defined("parte.algebra.partelang.evaluate.holds")
    assert not is_defined("parte.algebra.partelang.absent")


def test_the_tables_have_every_language_and_guest() -> None:
    shelf = TEXT.partition("<!-- tree: languages -->")[2].partition("<!-- end -->")[0]
    assert all(f"| `parte/languages/{guest.name}/` |" in shelf for guest in GUESTS)
    assert all(f"| {language.name} | `{language.ending}` |" in shelf for language in languages())


def test_the_tables_have_every_package() -> None:
    """That their rows are what the tree says is for tests/test_docs.py."""
    packages = TEXT.partition("<!-- tree: packages -->")[2].partition("<!-- end -->")[0]
    there = {path.parent for pattern in ("*/__init__.py", "*/*/__init__.py") for path in (ROOT / "parte").glob(pattern)}
    missing = [path for path in there - {*GUESTS} if f"| `{path.relative_to(ROOT)}/` |" not in packages]
    assert missing == []


def test_every_facet_is_listed() -> None:
    paths = [path for path in (ROOT / "parte").rglob("*.py") for _ in re.findall(r"= Facet\(", path.read_text("utf-8"))]
    assert sorted(paths) == sorted(facet.module for facet in architecture_page.facet_keys())


def test_a_place_for_a_table_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "architecture.md"
    page.write_text(TEXT.replace("<!-- tree: facets -->", ""), encoding="utf-8")
    monkeypatch.setattr(architecture_page, "PAGE", page)
    with pytest.raises(ValueError, match=r"architecture\.md has 0 places for the facets; expected 1"):
        architecture_page.architecture(lambda *_: "")


def test_a_package_says_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architecture_page, "ROOT", tmp_path)
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "__init__.py").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=r"room/__init__\.py has no docstring"):
        architecture_page.docstring(tmp_path / "room")


def test_no_command_lacks_a_language_without_a_reason() -> None:
    rows = architecture_page.commands(lambda _, rows: "\n".join("|".join(row) for row in rows)).splitlines()
    assert len(rows) > 25
    assert [row for row in rows if "||" in row.rpartition("|")[0] + "|" and not row.rpartition("|")[2]] == []
