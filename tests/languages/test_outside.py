"""A language in a package of its own, which no file of this project names: once installed, the commands have it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOY = Path(__file__).parents[1] / "conformance" / "toy"
PROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "pairs"
version = "1"

[project.entry-points."parte.languages"]
PAIRS = "pairs.language:PAIRS"

[tool.setuptools]
packages = ["pairs"]

[tool.setuptools.package-data]
pairs = ["suite/**/*", "mutants/*"]
"""
TRACE = '{"id": "a1", "template": "A"}\n{"id": "b2", "template": "B"}\n'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the installed wheel of the language."""
    sources = tmp_path_factory.mktemp("sources")
    (sources / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    for path in sorted(TOY.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.name not in ("test_toy.py", "serve.py"):
            copy = sources / "pairs" / path.relative_to(TOY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8").replace("tests.conformance.toy", "pairs")
            copy.write_text(text.replace("tests/conformance/toy", "pairs"), encoding="utf-8")
    (sources / "pairs" / "__init__.py").touch()
    wheels, installed = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*command, str(wheels), str(sources)], check=True)
    (wheel,) = wheels.glob("pairs-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    return installed


def _parte(site: Path, where: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "120"}
    return subprocess.run(
        [sys.executable, "-P", "-m", "parte", *arguments],
        cwd=where,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """A directory with a program and a trace."""
    (tmp_path / "ab.pairs").write_text("pair  A B", encoding="utf-8")
    (tmp_path / "trace.jsonl").write_text(TRACE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (("run", "ab.pairs", "trace.jsonl"), '{"first": "a1", "then": "b2"}\n'),
        (("compare", "ab.pairs", "trace.jsonl"), "sound agrees with definition (1 match)\n"),
        (("fmt", "ab.pairs"), "pair A B\n"),
        (("ast", "ab.pairs"), '"first"'),
        (("check", "ab.pairs"), "different"),
        (("prove", "--language", "PAIRS"), "1 proved, all as expected"),
        (("rules", "--language", "PAIRS"), "PAIRS/MATCH"),
        (("conform", "model:sound", "--language", "PAIRS"), "pass"),
        (("fuzz", "model:sound", "--language", "PAIRS", "--max-cases", "5"), "5 cases"),
        (("graph", "ab.pairs"), "digraph { A -> B }\n"),
        (("suite", "list", "--language", "PAIRS"), "pairs"),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else "",
)
def test_the_commands_have_it(site: Path, where: Path, arguments: tuple[str, ...], printed: str) -> None:
    run = _parte(site, where, *arguments)
    assert run.returncode == 0, run.stdout + run.stderr
    assert printed in run.stdout


def test_what_it_lacks_is_an_error_that_says_so(site: Path, where: Path) -> None:
    run = _parte(site, where, "why", "ab.pairs", "trace.jsonl")
    assert (run.returncode, run.stdout) == (2, "")
    assert "PAIRS has no why" in run.stderr


def test_the_playground_has_it(site: Path, where: Path) -> None:
    request = json.dumps({"task": "run", "language": "PAIRS", "program": "pair A B\n", "trace": TRACE})
    code = f"from parte.playground.answers import answer; print(answer({request!r}))"
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-P", "-c", code]
    run = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout)["matches"] == [{"first": "a1", "then": "b2"}]


def test_a_second_language_of_a_name_is_refused(site: Path, where: Path, tmp_path: Path) -> None:
    path = tmp_path / "other" / "twice-1.dist-info"
    path.mkdir(parents=True)
    (path / "METADATA").write_text("Metadata-Version: 2.1\nName: twice\nVersion: 1\n", encoding="utf-8")
    (path / "entry_points.txt").write_text("[parte.languages]\nTwice = pairs.language:PAIRS\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{path.parent}"}
    command = [sys.executable, "-P", "-m", "parte", "run", "ab.pairs", "trace.jsonl"]
    run = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "registers PAIRS once more" in run.stderr
