"""The experiment on public corpora, with small corpora of our own: which files and commit, errors, counts."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from parte.experiments import catalogue
from parte.experiments.detections import events
from parte.experiments.detections.corpora import EQLLIB, PANTHER, SIGMA, commit_of, files_of
from parte.experiments.detections.events import matched
from parte.experiments.detections.experiment import DETECTIONS, Parameters
from parte.experiments.detections.imported import grouped, measured, refer_to_each_other
from parte.experiments.detections.spans import scheduled
from parte.experiments.parameters import ParametersError
from parte.experiments.running import run_experiment
from tests.parte.examples import Command
from tests.parte.experiments.recording import CORPORA


def git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of rules of Panther."""
    folder = tmp_path / "a clone"
    shutil.copytree(CORPORA / PANTHER, folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "rules")
    return folder


# --- Folders ---------------------------------------------------------------------------------------------------------


def test_the_commit_of_a_clone(clone: Path) -> None:
    commit = git(clone, "rev-parse", "HEAD")
    assert commit_of(str(clone)) == commit
    git(clone, "pack-refs", "--all")
    assert commit_of(str(clone)) == commit
    git(clone, "commit", "-q", "--allow-empty", "-m", "again")
    git(clone, "checkout", "-q", "--detach")
    assert commit_of(str(clone)) == git(clone, "rev-parse", "HEAD") != commit


@pytest.mark.parametrize("head", ["ref: refs/../../secret", "ref: refs/heads/none", "0000", "", "\0"])
def test_a_clone_without_a_commit(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    (tmp_path / "secret").write_text("a" * 40)
    assert commit_of(str(tmp_path)) == commit_of(str(CORPORA / SIGMA)) == commit_of(str(tmp_path / "none")) == ""


def test_the_files_of_a_corpus(clone: Path) -> None:
    names = ["badge.yml", "broken.yml", "capped.yml", "wrong.yml"]
    (clone / "rules").mkdir()
    (clone / "rules" / "single.yml").touch()
    assert [Path(file).name for file in files_of(PANTHER, str(clone), 9)] == names
    # A folder of rules is read as well as a whole clone.
    assert [Path(file).name for file in files_of(PANTHER, str(clone / "correlation_rules"), 9)] == names
    assert [Path(file).name for file in files_of(PANTHER, str(clone), 2)] == ["badge.yml", "capped.yml"]


def test_a_unit_has_the_commit(clone: Path) -> None:
    parameters = Parameters(panther=str(clone))
    commit = git(clone, "rev-parse", "HEAD")
    assert DETECTIONS.units(parameters) == [{"corpus": PANTHER, "commit": commit, "first": 0, "files": 4}]


def test_rules_that_refer_to_each_other_are_read_together(tmp_path: Path) -> None:
    for number in range(70):
        shutil.copy(CORPORA / SIGMA / "rules" / "copy.yml", tmp_path / f"{number}.yml")
    parameters = Parameters(sigma=str(tmp_path))
    assert [unit["files"] for unit in DETECTIONS.units(parameters)] == [60, 10]
    (tmp_path / "7.yml").write_text("title: Often\ncorrelation: {type: event_count}\n")
    assert refer_to_each_other(SIGMA, files_of(SIGMA, str(tmp_path), 99))
    assert [unit["files"] for unit in DETECTIONS.units(parameters)] == [70]


# --- Counts ----------------------------------------------------------------------------------------------------------


def test_equal_reasons_are_equal_texts() -> None:
    reasons = {grouped("no %rule% 'a b' has `x` 3 times"), grouped("no %other rule% 'c' has `y` 12 times")}
    assert reasons == {"no … … has … N times"}


def test_a_share_of_the_rules_is_checked() -> None:
    files = files_of(SIGMA, str(CORPORA / SIGMA), 9)
    counts = {
        every: {row["what"]: row["number"] for row in measured(SIGMA, str(CORPORA / SIGMA), files, every, 10)}
        for every in (1, 10**9)
    }
    assert counts[1]["check holds"] == counts[1]["check fails"] == 1
    assert counts[10**9] == {"refused": 1, "rules": 4, "test agrees": 1, "written": 2}


@pytest.mark.parametrize(
    ("log", "what"),
    [
        ('{"Event": {"EventData": {"Image": "C:\\\\copy.exe", "CommandLine": "secrets"}}}', "test disagrees"),
        ('{"Event": {"System": {"TimeCreated": 1, "Provider": []}}}', "test disagrees"),
        ('{"Event": 1}', "test disagrees"),
        ("[1]", "test unreadable"),
        ("{", "test unreadable"),
    ],
)
def test_the_log_of_an_attack_that_does_not_show_it(tmp_path: Path, log: str, what: str) -> None:
    """The first has no time, so it is no event."""
    shutil.copytree(CORPORA / SIGMA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "regression_data" / "attack" / "11111111.json").write_text(log)
    rows = measured(SIGMA, str(tmp_path), [str(tmp_path / "rules" / "copy.yml")], 10**9, 10)
    assert {row["what"] for row in rows} == {"rules", "written", what}


@pytest.mark.parametrize(
    "data",
    [
        {"EventData": {"Image": "C:\\copy.exe", "Command Line": "secrets"}},
        {"UserData": {"Copied": {"Image": "C:\\copy.exe", "CommandLine": "secrets"}}},
    ],
)
def test_fields_of_windows_as_sigma_calls_them(tmp_path: Path, data: dict[str, object]) -> None:
    shutil.copytree(CORPORA / SIGMA, tmp_path, dirs_exist_ok=True)
    created = {"#attributes": {"SystemTime": "2026-03-02T09:00:01Z"}}
    log = json.dumps({"Event": {"System": {"TimeCreated": created}, **data}})
    (tmp_path / "regression_data" / "attack" / "11111111.json").write_text(log)
    rows = measured(SIGMA, str(tmp_path), [str(tmp_path / "rules" / "copy.yml")], 10**9, 10)
    assert {row["what"] for row in rows} == {"rules", "written", "test agrees"}


def test_the_log_of_an_attack_lies_in_the_clone(tmp_path: Path) -> None:
    rule = (CORPORA / SIGMA / "rules" / "copy.yml").read_text()
    shutil.copytree(CORPORA / SIGMA / "regression_data", tmp_path / "regression_data")
    inside = tmp_path / "inside"
    inside.mkdir()
    for name, place in (("up", "../regression_data"), ("root", f"{tmp_path}/regression_data"), ("none", "nothing")):
        (inside / f"{name}.yml").write_text(rule.replace("regression_data", place))
        rows = measured(SIGMA, str(inside), [str(inside / f"{name}.yml")], 10**9, 10)
        assert {row["what"] for row in rows} == {"rules", "written"}


def test_files_that_are_no_rules_of_elastic(tmp_path: Path) -> None:
    texts = ["rule = 1", "metadata = {}", "[metadata]\n[rule]\nlanguage = 'eql'\nquery = 1", "[metadata]\n[rule]"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.toml").write_text(text)
    rows = scheduled([str(tmp_path / f"{number}.toml") for number in range(4)], 10)
    assert rows == [{"what": "schedule", "detail": "not read: no rule in TOML", "number": 2}]


def test_a_rule_of_elastic_that_runs_all_the_time(tmp_path: Path) -> None:
    text = (CORPORA / "elastic" / "rules" / "covered.toml").read_text().replace("[rule]", '[rule]\ninterval = "0m"')
    (tmp_path / "a.toml").write_text(text)
    assert scheduled([str(tmp_path / "a.toml")], 10) == [
        {"what": "schedule", "detail": "not read: other durations", "number": 1}
    ]


@pytest.mark.parametrize("content", [b"{}", b"[1, ", b"\xff", b"[" * 100_000, b"[]" + b" " * 10**6])
def test_a_log_that_is_no_list_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(events, "MAX_LOG", 10**6)
    log = tmp_path / "normalized-a.json.gz"
    log.write_bytes(gzip.compress(content, 1))
    (row,) = matched(str(log))
    assert row["what"] == "log unreadable"


def test_records_that_are_no_events(tmp_path: Path) -> None:
    log = tmp_path / "normalized-a.json.gz"
    records = [1, {}, {"event_type": "registry", "pid": "x", "timestamp": 1}, {"event_type": "registry", "pid": 1}]
    log.write_bytes(gzip.compress(json.dumps(records).encode()))
    counts = {(row["what"], row["detail"]): row["number"] for row in matched(str(log))}
    assert counts["records", ""] == 3
    assert counts["matches", "EveryChoice"] == 0
    assert sum(int(number or 0) for (what, _), number in counts.items() if what == "rejected") == 2


# --- Runs ------------------------------------------------------------------------------------------------------------


def test_the_page_names_commit_and_command(clone: Path, tmp_path: Path) -> None:
    parameters = replace(Parameters(), panther=str(clone))
    result = run_experiment(DETECTIONS, parameters, tmp_path / "out", jobs=1)
    assert f"parte experiment detections --panther '{clone}'\n" in result.markdown
    assert list(result.tables) == ["What was read", "Imported rules", "Reasons of refusals", "Findings"]
    assert list(result.tables["What was read"]["commit"]) == [git(clone, "rev-parse", "HEAD")[:12]]
    assert result.presentation.answer == (
        "Of 4 rules of panther 2 are written and 2 refused; of 2 checks 2 hold, 0 fail and 0 are open; 3 of 4 tests "
        "agree."
    )
    # Rows of an earlier commit are not mixed with those of another one.
    git(clone, "commit", "-q", "--allow-empty", "-m", "again")
    with pytest.raises(ParametersError, match=r"which is no unit of this experiment.*--fresh begins anew"):
        run_experiment(DETECTIONS, parameters, tmp_path / "out", jobs=1)


def test_the_command(command: Command, tmp_path: Path) -> None:
    result = command(
        "experiment", "detections", "--eqllib", str(CORPORA / EQLLIB), "--jobs", "1", "--out", str(tmp_path)
    )
    assert (result.code, result.err) == (0, "")
    assert "Matches on normalized-own.json.gz: EveryChoice 9, FirstOfEach 2, OfAStart 2." in result.out
    assert (tmp_path / "detections" / "README.md").exists()


def test_all_reads_corpora_only_if_one_is_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "EXPERIMENTS", (catalogue.BY_NAME["aggregation"], DETECTIONS))
    words = ["experiment", "all", "--small", "--jobs", "1", "--out", str(tmp_path)]
    assert command(*words).code == 0
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["aggregation"]
    assert command(*words, "--eqllib", str(CORPORA / EQLLIB)).code == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["aggregation", "detections"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["detections"], "expected at least one of --panther, --sigma, --elastic, --eqllib, each with a folder"),
        (["detections", "--sigma", "nowhere"], "sigma: there is no folder nowhere; clone github.com/SigmaHQ/sigma"),
        (["detections", "--elastic", "{empty}"], "has no files *.toml; clone github.com/elastic/detection-rules"),
        (["detections", "--eqllib", "{panther}"], "has no files normalized-*.json.gz; clone"),
        (["detections", "--panther", ""], "expected a folder, found an empty text"),
        (["sizes", "--panther", "{panther}"], "the experiment sizes reads no such folder; detections does"),
        (["detections", "--panther", "{panther}", "--seed", "1"], "the experiment detections draws nothing"),
        (["detections", "--panther", "{panther}", "--variant", "no-expiry"], "changes nothing of it"),
    ],
)
def test_what_cannot_be_read_is_explained(command: Command, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "empty").mkdir()
    folders = {"{empty}": str(tmp_path / "empty"), "{panther}": str(CORPORA / PANTHER)}
    words = [folders.get(argument, argument) for argument in arguments]
    result = command("experiment", *words, "--out", str(tmp_path / "out"))
    assert result.code == 2
    assert message in " ".join(result.err.replace("│", " ").split())
