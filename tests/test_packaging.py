"""The packaging, the type checker and the import rules know every package there is (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LINKED = tuple(
    sorted(path.name for path in (ROOT / "parte").iterdir() if path.is_symlink() and (path / "__init__.py").exists())
)
"""The folders of the top level that are packages of `parte`; a link to one without modules holds data."""

CONTRACTS: list[dict[str, Any]] = CONFIGURATION["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize(
    "name",
    sorted(
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and not path.name.startswith(".") and (path / "__init__.py").is_file() and path.name != "parte"
    ),
)
def test_a_folder_with_modules_is_a_package_of_parte(name: str) -> None:
    link = ROOT / "parte" / name
    assert link.resolve() == ROOT / name, f"link it: ln -s ../{name} parte/{name}"


@pytest.mark.parametrize("name", [*LINKED, "parte"])
def test_every_directory_with_modules_is_packaged(name: str) -> None:
    for directory in {path.parent for path in (ROOT / name).rglob("*.py")}:
        assert (directory / "__init__.py").exists(), f"{directory} has modules but no __init__.py: it is not packaged"


@pytest.mark.parametrize("name", ["parte", "benchmarks", "docs", "playground", "tests"])
def test_python_is_type_checked(name: str) -> None:
    assert name in CONFIGURATION["tool"]["mypy"]["files"]


def test_modules_are_imported_below_parte_only() -> None:
    """A second name for a module would make a second copy of it."""
    for path in (
        path
        for folder in (*LINKED, "parte", "tests", "benchmarks", "docs", "playground")
        for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            assert not [name for name in names if name.split(".")[0] in LINKED], f"{path} imports {names}"


def test_importing_one_part_does_not_import_the_rest() -> None:
    """Whoever asks for the events of the ground floor gets no machine, no solver and no command line."""
    code = "import sys, parte.semantics.events.trace; print(*sorted(n for n in sys.modules if n.startswith('parte.')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(name.startswith("parte.semantics.events") or name == "parte.semantics" for name in run.stdout.split())


LANGUAGES = sorted(
    path.name
    for path in (ROOT / "semantics").iterdir()
    if (path / "__init__.py").exists() and path.name not in ("events", "source", "rulebook")
)
"""The languages that there are, by their rooms."""

LANGUAGE_MODULES = (
    "parte/languages/cel/semantics/machine.py",
    "parte/languages/etalis/semantics/machine.py",
    "parte/languages/lead/semantics/machine.py",
    "semantics/parte/planted.py",
    "parte/semantics/partelang/syntax/core.py",
    "parte/semantics/events/event.py",
)
CATALOGUE = "proofs/parte/catalogue"
BREACHES = [
    ("checker/report/breach.py", "import parte.checker.partelang"),
    ("proofs/symbolic/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/events/breach.py", "import parte.semantics.source.spans"),
    ("semantics/events/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/events/breach.py", "import parte.algebra"),
    ("semantics/source/breach.py", "import parte.semantics.rulebook"),
    ("semantics/rulebook/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/parte/breach.py", "import parte.algebra"),
    ("semantics/parte/breach.py", "import parte.conformance"),
    ("algebra/parte/breach.py", "import parte.semantics.partelang.planted"),
    ("algebra/parte/breach.py", "from parte.semantics.partelang import planted"),
    ("algebra/parte/breach.py", "import parte.conformance"),
    ("proofs/breach.py", "import parte.conformance"),
    ("proofs/certificates/breach.py", "import parte.checker"),
    ("conformance/breach.py", "import parte.api"),
    ("conformance/fuzz/breach.py", "import parte.semantics.partelang.planted"),
    ("conformance/protocol/breach.py", "import parte.conformance.partelang.language"),
    ("conformance/breach.py", "import parte.spark_adapter"),
    ("semantics/cel/breach.py", "import parte.semantics.partelang.planted"),
    ("algebra/cel/breach.py", "import parte.languages.cel.semantics.machine"),
    ("algebra/cel/breach.py", "import parte.algebra.partelang"),
    ("conformance/cel/breach.py", "import parte.conformance.partelang.language"),
    ("semantics/etalis/breach.py", "import parte.languages.cel.semantics.machine"),
    ("algebra/etalis/breach.py", "import parte.languages.etalis.semantics.machine"),
    ("algebra/etalis/breach.py", "import parte.algebra.partelang"),
    ("conformance/etalis/breach.py", "import parte.languages.cel.conformance.language"),
    ("algebra/lead/breach.py", "import parte.languages.lead.semantics.machine"),
]
ALLOWED = [
    ("semantics/source/fine.py", "import parte.semantics.events.event"),
    ("semantics/parte/fine.py", "import parte.semantics.events.event, parte.semantics.rulebook"),
    ("algebra/parte/fine.py", "import parte.semantics.events.event, parte.semantics.partelang.syntax.core"),
    ("conformance/parte/fine.py", "import parte.conformance.protocol, parte.semantics.partelang.planted"),
    ("conformance/fine.py", "import parte.semantics.partelang.planted, parte.algebra, parte.proofs"),
    ("parte/api.py", "import parte.semantics.partelang.planted, parte.algebra, parte.conformance"),
]


def _lint_imports(tmp_path: Path, additions: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run the import rules over empty packages that hold nothing but `additions`."""
    rooms = ["semantics/events", "parte/semantics/source", "semantics/rulebook"]
    rooms += ["parte/commands", "parte/editing", "parte/playground"]
    of_languages = ["semantics/{}", "semantics/{}/syntax", "algebra/{}", "conformance/{}"]
    rooms += [room.format(language) for language in LANGUAGES for room in of_languages]
    for directory in ["parte", *LINKED, *rooms]:
        (tmp_path / directory).mkdir(exist_ok=True)
        (tmp_path / directory / "__init__.py").touch()
    for contract in CONTRACTS:
        for module in (*contract.get("source_modules", ()), *contract.get("forbidden_modules", ())):
            path = tmp_path / module.removeprefix("parte.").removesuffix(".*").replace(".", "/")
            path.mkdir(parents=True, exist_ok=True)
            (path / "__init__.py").touch()
    records = [f"conformance/{language}/language" for language in LANGUAGES]
    for module, defaults in (("conformance/languages", records), ("proofs/prove", [CATALOGUE])):
        for default in defaults:
            (tmp_path / f"{default}.py").touch()
        text = "".join(f"import parte.{default.replace('/', '.')}\n" for default in defaults)
        (tmp_path / module / "__init__.py").write_text(text, encoding="utf-8")
    for name in LINKED:
        (tmp_path / "parte" / name).symlink_to(f"../{name}")
    for path in (ROOT / "parte").glob("*.py"):
        (tmp_path / "parte" / path.name).touch()
    for module in LANGUAGE_MODULES:
        (tmp_path / module).touch()
    for path_, text in additions:
        (tmp_path / path_).write_text(text + "\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    # -P keeps the packages of the checkout from shadowing those under test.
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as run; run()"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, "--no-cache"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_import_rules_allow_what_is_meant(tmp_path: Path) -> None:
    result = _lint_imports(tmp_path, ALLOWED)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(("path", "text"), BREACHES)
def test_the_import_rules_catch(tmp_path: Path, path: str, text: str) -> None:
    result = _lint_imports(tmp_path, [(path, text)])
    assert result.returncode == 1, result.stdout + result.stderr
    assert path.removesuffix(".py").replace("/", ".") in result.stdout


def _unnamed(languages: list[str], contracts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The contracts that name rooms of PARTElang, and not those of another language that has such rooms too."""
    found = []
    for contract in contracts:
        keys = ("layers", "modules", "forbidden_modules", "ignore_imports")
        text = repr({key: contract.get(key, ()) for key in keys})
        roles = set(re.findall(r"\bparte\.(\w+)\.parte\b", text))
        for language in languages:
            if roles and language in LANGUAGES and not any((ROOT / role / language).is_dir() for role in roles):
                continue
            if re.search(r"\bparte\.\w+\.parte\b|'parte\b(?!\.)", text) and not re.search(rf"\b{language}\b", text):
                found.append((contract["name"], language))
    return found


def test_the_import_rules_name_every_language() -> None:
    assert "parte" in LANGUAGES
    assert not _unnamed(LANGUAGES, CONTRACTS)
    assert len(_unnamed(["another"], CONTRACTS)) == 6


def test_test_directories_are_not_packages() -> None:
    """Otherwise a folder of tests would answer to the name of a package."""
    assert not [str(path) for path in (ROOT / "tests").rglob("__init__.py")]


def test_the_lock_names_no_host_and_no_path() -> None:
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith(("-", "/", "."))]
