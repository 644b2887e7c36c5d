"""The packaging, the type checker and the import rules know every package there is (docs/architecture.md)."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from parte.languages.registry import missing
from tests.without import GUESTS

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROLES = ("algebra", "checker", "conformance", "proofs", "semantics", "spark_adapter")
"""The folders of the top level that are links into `parte`, for who looks for a role; nothing imports through them."""

CONTRACTS: list[dict[str, Any]] = CONFIGURATION["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize("name", ROLES)
def test_a_role_at_the_top_is_a_link_that_nothing_imports_through(name: str) -> None:
    link = ROOT / name
    assert link.is_symlink()
    assert link.resolve() == ROOT / "parte" / name
    run = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert f"ImportError: import parte.{name}" in run.stderr


def test_the_package_holds_real_files() -> None:
    assert [path for path in (ROOT / "parte").rglob("*") if path.is_symlink()] == []
    links = {path.name for path in ROOT.iterdir() if path.is_symlink()}
    assert links == {*ROLES, "examples"}


def test_every_directory_with_modules_is_packaged() -> None:
    for directory in {path.parent for path in (ROOT / "parte").rglob("*.py")} - TEMPLATES:
        assert (directory / "__init__.py").exists(), f"{directory} has modules but no __init__.py: it is not packaged"


TEMPLATES = {ROOT / "parte" / "examples" / "engines"}
"""Modules that are data: to be copied, not imported."""


@pytest.mark.parametrize("name", ["parte", "benchmarks", "docs", "playground", "release", "tests"])
def test_python_is_type_checked(name: str) -> None:
    assert name in CONFIGURATION["tool"]["mypy"]["files"]


def test_modules_are_imported_below_parte_only() -> None:
    """A second name for a module would make a second copy of it."""
    for path in (
        path
        for folder in ("parte", "tests", "benchmarks", "docs", "playground", "release")
        for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            assert not [name for name in names if name.split(".")[0] in ROLES], f"{path} imports {names}"


def test_importing_one_part_does_not_import_the_rest() -> None:
    """Whoever asks for the events of the ground floor gets no machine, no solver and no command line."""
    code = "import sys, parte.semantics.events.trace; print(*sorted(n for n in sys.modules if n.startswith('parte.')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(name.startswith("parte.semantics.events") or name == "parte.semantics" for name in run.stdout.split())


BREACHES = [
    ("checker/report/breach.py", "import parte.checker.partelang"),
    ("proofs/symbolic/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/events/breach.py", "import parte.semantics.source.spans"),
    ("semantics/events/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/events/breach.py", "import parte.algebra"),
    ("semantics/source/breach.py", "import parte.semantics.rulebook"),
    ("semantics/rulebook/breach.py", "import parte.semantics.partelang.planted"),
    ("semantics/partelang/breach.py", "import parte.algebra"),
    ("semantics/partelang/breach.py", "import parte.conformance"),
    ("algebra/partelang/breach.py", "import parte.semantics.partelang.planted"),
    ("algebra/partelang/breach.py", "from parte.semantics.partelang import planted"),
    ("algebra/partelang/breach.py", "import parte.conformance"),
    ("proofs/breach.py", "import parte.conformance"),
    ("proofs/certificates/breach.py", "import parte.checker"),
    ("conformance/breach.py", "import parte.api"),
    ("conformance/fuzz/breach.py", "import parte.semantics.partelang.planted"),
    ("conformance/protocol/breach.py", "import parte.conformance.partelang.kit"),
    ("conformance/breach.py", "import parte.spark_adapter"),
    ("languages/language/breach.py", "import parte.semantics.events"),
    *(
        (f"{place}/breach.py", f"import parte.languages.{guest}")
        for guest in GUESTS
        for place in ("commands", "editing")
    ),
    *((f"{place}.py", f"import parte.languages.{guest}.semantics.machine") for guest in GUESTS for place in ("api",)),
    *(
        (f"languages/{guest}/{role}/breach.py", f"import parte.{role}.partelang")
        for guest in GUESTS
        for role in ("algebra", "checker", "conformance", "proofs", "semantics")
    ),
    *(
        (f"languages/{guest}/algebra/breach.py", f"import parte.languages.{guest}.semantics.machine")
        for guest in GUESTS
    ),
    ("languages/registry/breach.py", f"import parte.languages.{GUESTS[0]}.semantics"),
    *(
        (f"languages/{guest}/conformance/breach.py", f"import parte.languages.{neighbour}.semantics.machine")
        for guest, neighbour in pairwise([*GUESTS, GUESTS[0]])
    ),
]
ALLOWED = [
    *(
        (f"languages/translations/{guest}/fine.py", f"import parte.languages.{guest}, parte.semantics.partelang")
        for guest in GUESTS
    ),
    ("commands/translate.py", "import parte.languages.translations.table"),
    ("semantics/source/fine.py", "import parte.semantics.events.event"),
    ("semantics/partelang/fine.py", "import parte.semantics.events.event, parte.semantics.rulebook"),
    ("algebra/partelang/fine.py", "import parte.semantics.events.event, parte.semantics.partelang.syntax.core"),
    ("conformance/partelang/fine.py", "import parte.conformance.protocol, parte.semantics.partelang.planted"),
    ("conformance/fine.py", "import parte.semantics.partelang.planted, parte.algebra, parte.proofs"),
    ("api.py", "import parte.semantics.partelang.planted, parte.algebra, parte.conformance"),
    *(
        (f"languages/{guest}/conformance/fine.py", f"import parte.languages.{guest}.semantics.machine")
        for guest in GUESTS
    ),
    *(
        (f"languages/{guest}/algebra/fine.py", f"import parte.languages.{guest}.semantics.syntax.tree")
        for guest in GUESTS
    ),
]


def _lint_imports(tmp_path: Path, additions: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run the import rules over empty packages that hold nothing but `additions`."""
    root = tmp_path / "parte"
    packages = {
        "semantics/events",
        "semantics/source",
        "semantics/rulebook",
        "semantics/partelang/syntax",
        *(
            f"languages/{guest}/{part}"
            for guest in GUESTS
            for part in ("semantics/syntax", "algebra", "checker", "conformance", "proofs")
        ),
        "languages/language",
        "languages/partelang",
        "languages/registry",
        "languages/translations/table",
    }
    for contract in CONTRACTS:
        for module in (*contract.get("source_modules", ()), *contract.get("forbidden_modules", ())):
            path = module.removeprefix("parte").removeprefix(".").removesuffix(".*").replace(".", "/")
            if "*" not in path:
                packages.add(path)
    for path in (ROOT / "parte").glob("*.py"):
        packages.discard(path.stem)
    for package in packages:
        for folder in (root / package, *(root / package).parents):
            if folder.is_relative_to(root):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "__init__.py").touch()
    for path in (ROOT / "parte").iterdir():
        if path.suffix == ".py":
            (root / path.name).touch()
        elif (path / "__init__.py").exists():
            (root / path.name).mkdir(exist_ok=True)
            (root / path.name / "__init__.py").touch()
    for module in ("semantics/partelang/planted", "semantics/partelang/syntax/core", "semantics/events/event"):
        (root / f"{module}.py").touch()
    for guest in GUESTS:
        (root / f"languages/{guest}/semantics/machine.py").touch()
        (root / f"languages/{guest}/semantics/syntax/tree.py").touch()
    (root / "proofs/partelang/catalogue.py").touch()
    (root / "proofs/prove/__init__.py").write_text("import parte.proofs.partelang.catalogue\n", encoding="utf-8")
    for path_, text in additions:
        (root / path_).parent.mkdir(parents=True, exist_ok=True)
        (root / path_).write_text(text + "\n", encoding="utf-8")
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
    assert path.removesuffix(".py").replace("/", ".") in "".join(result.stdout.split())


def test_every_guest_is_registered() -> None:
    places = CONFIGURATION["project"]["entry-points"]["parte.languages"]
    assert {place.partition(":")[0] for name, place in places.items() if name not in missing()} == {
        f"parte.languages.{guest}" for guest in GUESTS
    }


def test_test_directories_are_not_packages() -> None:
    """Otherwise a folder of tests would answer to the name of a package."""
    assert not [str(path) for path in (ROOT / "tests").rglob("__init__.py")]


def test_the_lock_names_no_host_and_no_path() -> None:
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith(("-", "/", "."))]
