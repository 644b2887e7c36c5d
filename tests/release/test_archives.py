"""Archives of a release are the same each time, and their readers agree and notice a damaged file."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

from parte.conformance.suites import load_suite
from parte.languages.registry import languages
from release.__main__ import READERS
from release.archives import packed, repacked, suite_archive
from tests.conftest import UNTESTED

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def tar(time: int, names: tuple[str, ...]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(f"top/{name}")
            member.size, member.mtime, member.uid = len(name), time, time
            archive.addfile(member, io.BytesIO(name.encode()))
    return file.getvalue()


def test_an_archive_depends_on_its_files_alone() -> None:
    first, second = tar(1, ("a", "b/c")), tar(2, ("b/c", "a"))
    assert first != second
    assert repacked(first) == repacked(second) == packed({"b/c": b"b/c", "a": b"a"}, "top")
    assert repacked(first) != packed({"b/c": b"b/d", "a": b"a"}, "top")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the last language, unpacked."""
    folder = tmp_path_factory.mktemp("suite")
    name, archive = suite_archive(languages()[-1], folder / "work")
    with tarfile.open(fileobj=io.BytesIO(archive)) as unpacked:
        unpacked.extractall(folder, filter="data")
    return folder / name.removesuffix(".tar.gz")


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_counts_the_cases_and_notices_another_byte(suite: Path, reader: str) -> None:
    command = [*READERS[reader], str(suite / reader), str(suite)]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{UNTESTED}{reader}, for there is no {command[0]}")
    loaded = load_suite(languages()[-1])
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.startswith(f"suite {loaded.version} ({loaded.digest}): {len(loaded.cases)} cases, ")
    python = subprocess.run([sys.executable, suite / "read.py", suite], capture_output=True, text=True, check=True)
    assert run.stdout == python.stdout
    case = next(path for path in (suite / "cases").rglob("*.json"))
    whole = case.read_bytes()
    try:
        case.write_bytes(whole + b"\n")
        broken = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        case.write_bytes(whole)
    assert broken.returncode == 1
    assert f"{case.relative_to(suite).as_posix()}: the digest is another one" in broken.stderr


# --- What states a version or the dependencies once more --------------------------------------------------------------


def test_the_change_log_begins_with_the_version_of_the_package() -> None:
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[0] == PROJECT["version"]
    assert len(sections) == len(set(sections))


def test_the_conda_recipe_requires_what_the_package_requires() -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8"))
    required = [line.replace(" ", "").replace("python-tzdata", "tzdata") for line in recipe["requirements"]["run"]]
    assert recipe["context"]["version"] == PROJECT["version"]
    assert required == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]


def test_every_python_from_the_oldest_is_in_continuous_integration() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    versions = [tuple(map(int, version.split("."))) for version in job["strategy"]["matrix"]["python"]]
    assert f">={'.'.join(map(str, versions[0]))}" == PROJECT["requires-python"]
    assert versions == [(3, minor) for minor in range(versions[0][1], versions[-1][1] + 1)]
    assert sys.version_info[:2] in versions
    assert ".ci/run" in job["steps"][-1]["run"]


def test_the_forms_are_read() -> None:
    """Each question has an id of its own and a label."""
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        ids = [question["id"] for question in form["body"]]
        assert {*form} == {"name", "description", "labels", "body"}
        assert len(ids) == len(set(ids)) > 0
        assert all(question["attributes"]["label"] for question in form["body"])
