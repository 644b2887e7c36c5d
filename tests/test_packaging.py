"""The packaging, the type checker and the import rules know every package there is (SPEC §1)."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OURS = ("semantics", "algebra", "checker", "conformance", "spark_adapter", "proofs", "parte")
"""The packages of SPEC §1 that are distributed; the directories beside them hold no package to import."""

PRESENT = tuple(name for name in OURS if any((ROOT / name).rglob("*.py")))
CONTRACTS: list[dict[str, Any]] = CONFIGURATION["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize("name", PRESENT)
def test_a_package_is_distributed(name: str) -> None:
    patterns = CONFIGURATION["tool"]["setuptools"]["packages"]["find"]["include"]
    assert any(fnmatch(name, pattern) for pattern in patterns)
    for directory in {path.parent for path in (ROOT / name).rglob("*.py")}:
        assert (directory / "__init__.py").exists(), f"{directory} has modules but no __init__.py: it is not packaged"


@pytest.mark.parametrize("name", PRESENT)
def test_a_package_has_import_rules(name: str) -> None:
    assert name in CONFIGURATION["tool"]["importlinter"]["root_packages"]
    named = {module.split(".")[0] for contract in CONTRACTS for module in contract["forbidden_modules"]}
    assert name in named, f"no import rule mentions {name}: add it to the contracts below it in pyproject.toml"
    if name != "parte":  # the top of the stack may import everything
        sources = {module for contract in CONTRACTS for module in contract["source_modules"]}
        assert name in sources, f"{name} has no import rule of its own in pyproject.toml"


@pytest.mark.parametrize(
    "name",
    sorted(
        path.name
        for path in ROOT.iterdir()
        if path.is_dir()
        and not path.name.startswith(".")
        and path.name not in {"build", "dist", "docs", "examples"}
        and any(path.rglob("*.py"))
    ),
)
def test_python_is_type_checked(name: str) -> None:
    assert name in CONFIGURATION["tool"]["mypy"]["files"]


def test_every_module_of_semantics_is_closed_to_the_algebra() -> None:
    """The contract uses a wildcard, so it must exempt exactly the two packages that the algebra may know."""
    (contract,) = (contract for contract in CONTRACTS if contract["source_modules"] == ["algebra"])
    assert "semantics.*" in contract["forbidden_modules"]
    exempt = {ignored.split(" -> ")[1].removesuffix(".**") for ignored in contract["ignore_imports"]}
    assert exempt == {"semantics.syntax", "semantics.events"}


@pytest.mark.parametrize("name", ["semantics", "algebra"])
def test_importing_one_part_does_not_import_the_rest(name: str) -> None:
    """`import semantics.syntax` runs `semantics/__init__.py`, which the import rules do not see as an import."""
    tree = ast.parse((ROOT / name / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert all(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in imports)


BREACHES = [
    ("semantics/syntax/breach.py", "import semantics.events.event"),
    ("semantics/syntax/breach.py", "import semantics.planted"),
    ("semantics/syntax/breach.py", "import parte"),
    ("semantics/events/breach.py", "import semantics.planted"),
    ("semantics/events/breach.py", "import algebra"),
    ("semantics/breach.py", "import algebra"),
    ("semantics/breach.py", "import conformance"),
    ("algebra/breach.py", "import semantics.planted"),
    ("algebra/breach.py", "from semantics import planted"),
    ("algebra/breach.py", "import conformance"),
    ("conformance/breach.py", "import parte"),
]
ALLOWED = [
    ("semantics/events/fine.py", "import semantics.syntax.core"),
    ("semantics/fine.py", "import semantics.events.event, semantics.syntax.core"),
    ("algebra/fine.py", "import semantics.events.event, semantics.syntax.core, semantics.syntax"),
    ("conformance/fine.py", "import semantics.planted, algebra"),
    ("parte/fine.py", "import semantics.planted, algebra, conformance"),
]


def _lint_imports(tmp_path: Path, additions: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run the import rules over empty packages that hold nothing but `additions`."""
    for directory in [*PRESENT, "semantics/syntax", "semantics/events"]:
        (tmp_path / directory).mkdir(exist_ok=True)
        (tmp_path / directory / "__init__.py").touch()
    for module in ("semantics/planted.py", "semantics/syntax/core.py", "semantics/events/event.py"):
        (tmp_path / module).touch()
    for path, text in additions:
        (tmp_path / path).write_text(text + "\n", encoding="utf-8")
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


def test_test_directories_are_not_packages() -> None:
    """Otherwise `tests/semantics` would answer to the name `semantics`."""
    assert not [str(path) for path in (ROOT / "tests").rglob("__init__.py")]


def test_the_lock_names_no_host_and_no_path() -> None:
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.startswith(("-", "/", "."))]
