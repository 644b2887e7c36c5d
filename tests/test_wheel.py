"""What `pip install parte` puts on a machine: one package, which works in any directory without the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from parte.languages.registry import languages

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the sources as they are."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        copy = sources / name
        if path.is_symlink():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(os.readlink(path))
        elif path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*command, str(folder), str(sources)], check=True)
    (built,) = folder.glob("parte-*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and what it requires, and nothing else."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    site = next(home.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for distribution in _required(metadata.distribution("parte"), set()):
        for top in {str(path).split("/")[0] for path in distribution.files or () if not str(path).startswith("..")}:
            if not (site / top).exists() and top != "__pycache__":
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return home / "bin" / "python"


def _required(of: metadata.Distribution, known: set[str]) -> list[metadata.Distribution]:
    required = []
    for requirement in map(Requirement, of.requires or ()):
        if requirement.name not in known and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            known.add(requirement.name)
            distribution = metadata.distribution(requirement.name)
            required += [distribution, *_required(distribution, known)]
    return required


def _run(python: Path, where: Path, *arguments: str) -> str:
    """What the command prints in a directory; it must succeed."""
    environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "LANG": "C.UTF-8"}
    run = subprocess.run(
        [str(python), *arguments], cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_one_name_goes_to_the_top(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"parte", next(top for top in tops if top.endswith(".dist-info"))}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name]


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "parte"], cwd=ROOT, text=True)
    present = {name for name in listed.splitlines() if (ROOT / name).is_file()}
    assert present
    assert not present - packed


@pytest.mark.parametrize(
    ("language", "expected"),
    [("PARTElang", "FraudPassThrough"), *((language.name, "Both agree") for language in languages()[1:])],
)
def test_the_demo_runs_in_an_empty_directory(python: Path, tmp_path: Path, language: str, expected: str) -> None:
    printed = _run(python, tmp_path, "-m", "parte", "demo", language)
    assert expected in printed
    assert not list(tmp_path.iterdir())


def test_a_rule_is_shown_with_what_the_theorem_has_of_it(python: Path, tmp_path: Path) -> None:
    output = _run(python, tmp_path, "-m", "parte", "rules", "JOIN-LEFT")
    assert "\nlemmas: not listed without z3 (pip install 'parte[z3]')\n" in output
    assert "\n  join_left   parte/proofs/rocq/Nodes.v:" in output


def test_an_example_is_copied_and_runs(python: Path, tmp_path: Path) -> None:
    _run(python, tmp_path, "-m", "parte", "examples", "fraud", "--out", "mine")
    files = ("mine/scenarios.parte", "mine/trace.jsonl", "--domain", "mine/domain.json")
    printed = _run(python, tmp_path, "-m", "parte", "run", *files)
    assert printed == (ROOT / "examples" / "fraud" / "expected.jsonl").read_text(encoding="utf-8")


def test_the_template_of_an_adapter_is_copied_and_judged_by_the_suite(python: Path, tmp_path: Path) -> None:
    _run(python, tmp_path, "-m", "parte", "examples", "engines", "--out", ".")
    case = "conditions/all-hold"
    printed = _run(python, tmp_path, "-m", "parte", "conform", f"{python} engine.py", "--case", case)
    assert printed.endswith("engine (template 1): 1 pass\n")


@pytest.mark.parametrize("name", ["checker", "proofs", "semantics", "conformance", "algebra"])
def test_a_folder_of_the_user_that_is_called_like_ours_breaks_nothing(python: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise RuntimeError('mine')\n", encoding="utf-8")
    code = "import parte; print(len(parte.run(parte.parse('template A {} rule R where a : A'), ())))"
    assert _run(python, tmp_path, "-c", code) == "0\n"
