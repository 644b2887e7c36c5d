"""`parte conform`, `parte engine`, `parte suite` and `parte report`, as people type them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from parte.conformance.exchange import fixture_text
from parte.conformance.kit import KIT
from parte.conformance.partelang.engines import table
from parte.conformance.results import CaseVerdict, read_report
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from tests.parte.advice import options_of
from tests.parte.examples import Command

ENGINES = Path(__file__).resolve().parents[2] / "examples" / "engines"
CONFORMANCE = Path(__file__).resolve().parents[1] / "conformance"
TEMPLATE = f"{sys.executable} {ENGINES / 'engine.py'}"
SERVED = f"{sys.executable} -m parte engine"
SOME = ("--case", "windows", "--case", "ties", "--causes", 0)


def test_an_engine_that_conforms(command: Command) -> None:
    result = command("conform", "model:sound", "--case", "defects")
    assert result.code == 0
    assert "17 pass" in result.out


def test_an_engine_that_does_not(command: Command) -> None:
    result = command("conform", "model:published", "--case", "windows/two-to-five-at-5")
    assert result.code == 1
    assert 'missing: {"rule":"R","bindings":{"a":"a1","b":"b1"},"emits":[]}' in result.out
    assert "rerun: parte conform model:published --case windows/two-to-five-at-5" in result.out
    # Of a case alone one also sees what it asks.
    assert "rule R where a : A, b : B when b in a [2 ms, 5 ms]" in result.out
    assert '{"id": "b1", "template": "B", "timestamp": 5' in result.out


def test_failures_are_grouped_by_the_error_that_they_show(command: Command) -> None:
    result = command("conform", "model:published", "--case", "windows", "--timeout", 60)
    assert re.search(r"^  \d+ failures: it behaves like .*\(sound/as-published\)", result.out, re.MULTILINE)
    # Of a group the case is shown that says most: a small one that a person wrote.
    assert re.findall(r"^  fail (\w+)/", result.out, re.MULTILINE) == ["windows"]


def test_a_case_that_fails_after_others_only_is_told_as_such(command: Command) -> None:
    engine = f"{sys.executable} {CONFORMANCE / 'hostile.py'} right-only-at-first"
    result = command("conform", engine, "--case", "empty", "--jobs", 1, COLUMNS="300")
    assert result.code == 1
    assert "passes alone: the engine keeps something of earlier cases" in result.out


def test_an_engine_that_never_starts_is_no_engine_that_fails(command: Command, tmp_path: Path) -> None:
    known = tmp_path / "known.jsonl"
    engine = f"{sys.executable} {CONFORMANCE / 'hostile.py'} crash-at-start"
    result = command("conform", engine, *SOME, "--write-known-failures", known, "--report", tmp_path / "r")
    assert result.code == 2
    assert "never started" in result.err
    assert known.read_text() == "", "what never answered has no failures to be known"
    assert "never started" in command("report", tmp_path / "r").out


def test_a_foreign_engine_that_is_not_installed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.ENGINES, "clips", replace(table.ENGINES["clips"], module="no_such_module"))
    for arguments in (("conform", "model:clips"), ("fuzz", "model:clips"), ("engine", "clips")):
        result = command(*arguments, COLUMNS="200")
        assert result.code == 2
        assert result.err.count("pip install") == 1, result.err


def test_the_reference_through_the_protocol(command: Command) -> None:
    result = command("conform", SERVED, *SOME, "--jobs", 2, "--incremental", "--timeout", 60)
    assert result.code == 0, result.out


@pytest.mark.parametrize("model", ["algebra", "published"])
def test_every_model_can_be_served(command: Command, model: str) -> None:
    assert command("conform", f"{SERVED} --model {model}", "--smoke", "--timeout", 60).code == 0


def test_the_template(command: Command) -> None:
    assert len((ENGINES / "engine.py").read_text(encoding="utf-8").splitlines()) < 100
    assert command("conform", TEMPLATE, "--smoke", "--timeout", 60).code == 0
    result = command("conform", TEMPLATE, "--profile", "core", "--profile", "negation", "--timeout", 60)
    assert result.code == 0, result.out
    assert "unsupported (" in result.out


@pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed: make go-setup")
def test_the_template_in_go(command: Command, tmp_path: Path) -> None:
    """No case of what it declares fails; what it does not support all the same is told."""
    built = tmp_path / "engine"
    environment = {**os.environ, "GOCACHE": str(tmp_path / "cache"), "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
    source = ENGINES / "engine.go"
    assert not subprocess.run(["gofmt", "-l", source], capture_output=True, check=True).stdout
    subprocess.run(["go", "build", "-o", built, source], env=environment, check=True)
    assert command("conform", built, "--smoke", "--timeout", 60).code == 0
    some = ("--case", "negation", "--case", "windows", "--case", "extremes", "--case", "strings", "--case", "numbers")
    result = command("conform", built, "--declared", *some, "--timeout", 60)
    assert result.code == 0, result.out
    assert len(re.findall(r"^ *(core|negation)\s+[1-9]\d+", result.out, re.MULTILINE)) == 2


def test_recipes_for_builds_name_options_that_there_are() -> None:
    text = (ENGINES.parents[1] / "docs" / "adapters.md").read_text(encoding="utf-8")
    recipes = re.findall(r"<!-- (?:action|container) -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert len(recipes) == 2
    installed = [word for recipe in recipes for word in re.findall(r"pip install (?:--\S+ )*(\S+)", recipe)]
    assert installed == ["./parte", "/parte"], "no package index has it"
    assert yaml.safe_load(recipes[0])["jobs"]["conformance"]["steps"]
    for name in ("conform", "report"):
        used = {word for line in recipes for word in re.findall(r"(?<=\s)--?[a-z][a-z-]*", _called(line, name))}
        assert used <= options_of((name,)), name


def _called(recipe: str, command: str) -> str:
    """What follows `parte COMMAND` in a recipe, up to the next step."""
    parts = re.split(r"\bparte\b|\n\s*- ", re.sub(r'["\[\],]', " ", recipe))
    return " ".join(part for part in parts if part.split()[:1] == [command])


@pytest.mark.exhaustive
def test_what_an_engine_declares_is_held_against_its_answers(command: Command, tmp_path: Path) -> None:
    some = (
        "--case",
        "negation/nothing-came",
        "--case",
        "emission/at-shifted-later",
        "--case",
        "rejects/trace-empty-id",
    )
    result = command("conform", TEMPLATE, *some, "--timeout", 60, COLUMNS="200")
    assert result.code == 1
    assert (
        "declared otherwise: it does not declare 'rejects', but answers 1 case (rejects/trace-empty-id)" in result.out
    )
    spared = command(
        "conform", TEMPLATE, *some, "--declared", "--timeout", 60, "--report", tmp_path / "r", COLUMNS="200"
    )
    assert spared.code == 0, spared.out
    assert "unsupported (1): not asked: the engine declares no emission" in spared.out
    assert "declared otherwise" not in spared.out
    assert "Declared: core, negation, multi-source" in command("report", tmp_path / "r", "--format", "html").out


def declaring(*constructs: str) -> str:
    """An engine that finds nothing, and declares so much."""
    return f"{sys.executable} {CONFORMANCE / 'hostile.py'} declares:{','.join(constructs)}"


def test_what_is_no_construct_is_an_error(command: Command) -> None:
    engine = declaring("core", "negtion")
    for arguments in (("--smoke",), ("--case", "empty"), ("--case", "empty", "--declared")):
        result = command("conform", engine, *arguments, COLUMNS="200")
        assert result.code == 2, result.out
        assert "did you mean 'negation'?" in result.out + result.err
    assert command("conform", declaring("core"), "--smoke").out.count("FAILED finds one match") == 1


def test_of_an_engine_that_is_asked_next_to_nothing_nothing_is_known(command: Command) -> None:
    few = command("conform", declaring("negation"), "--profile", "core", "--declared", COLUMNS="400")
    assert few.code == 5
    assert re.search(r"was asked 0 of \d+ cases, so almost nothing is known about it; most need .*: core", few.err)
    silent = command("conform", "model:sound", "--case", "empty", "--declared", COLUMNS="400")
    assert silent.code == 0
    assert "declares no constructs, so --declared leaves nothing out" in silent.err


def test_the_report_of_a_whole_suite_says_what_may_be_declared(command: Command, tmp_path: Path) -> None:
    shutil.copy(PARTELANG[KIT].suite / "suite.json", tmp_path)
    shutil.copy(PARTELANG[KIT].suite / "empty.cases", tmp_path)
    result = command("conform", declaring("core"), "--suite", tmp_path, "--causes", 0, "--report", tmp_path / "r")
    assert result.code == 1
    (line,) = re.findall(r'to declare: by its answers ("constructs": \[.*\]); of (\d+) cases', result.out)
    assert json.loads(f"{{{line[0]}}}")["constructs"][0] == "core"
    assert "<p>To declare: <code>" in command("report", tmp_path / "r", "--format", "html").out
    part = command("conform", declaring("core"), "--suite", tmp_path, "--causes", 0, "--case", "empty/trace")
    assert "to declare" not in part.out, "of a part of the suite too little is known"


def test_cases_are_chosen_by_what_came_when_and_by_digest(command: Command) -> None:
    suite = load_suite(PARTELANG)
    since = command("conform", "model:indexed", "--since", "1.1", "--expect-digest", suite.digest)
    assert since.code == 0, since.out
    assert f"{sum(case.since != '1.0' for case in suite.cases.values())} pass" in since.out
    for arguments, words in (
        (("--expect-digest", "0123456789abcdef"), f"--expect-digest {suite.digest} takes it as it is"),
        (("--since", "2.0"), "this is suite"),
        (("--since", "new"), "is no version of a suite"),
        (("--case", "windows", "--without-profile", "core"), "no case of these profiles"),
    ):
        refused = command("conform", "model:indexed", *arguments, COLUMNS="300")
        assert refused.code == 2
        assert words in " ".join(refused.err.split())


def test_an_engine_of_protocol_1(command: Command) -> None:
    served = f"{sys.executable} {CONFORMANCE / 'engine_of_protocol_1.py'}"
    assert command("conform", served, "--smoke", "--timeout", 60).code == 0
    result = command("conform", served, "--case", "ties", "--case", "rejects", "--incremental", "--timeout", 60)
    assert result.code == 0, result.out
    assert "unsupported (" not in result.out


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_template_in_another_language(command: Command) -> None:
    served = f"node {ENGINES / 'engine.mjs'}"
    assert len((ENGINES / "engine.mjs").read_text(encoding="utf-8").splitlines()) < 100
    assert command("conform", served, "--smoke", "--timeout", 60).code == 0
    assert command("conform", served, *SOME, "--case", "negation", "--case", "strings", "--timeout", 60).code == 0


def test_engines_in_columns_and_reports(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    result = command("conform", "good=model:sound", "model:published", *SOME, "--report", file, COLUMNS="200")
    assert result.code == 1
    assert "where they differ" in result.out
    for form, words in (("table", "where they differ"), ("junit", "<testsuites"), ("tap", "TAP version 14")):
        assert words in command("report", file, "--format", form, COLUMNS="200").out
    for name, words in (("r.html", "<!DOCTYPE html>"), ("r.svg", "<svg"), ("r.xml", "<?xml"), ("r.tap", "TAP")):
        assert command("report", file, "-o", tmp_path / name).code == 0
        assert words in (tmp_path / name).read_text(encoding="utf-8")
    result = command("report", file, "-o", tmp_path / "r.pdf")
    assert result.code == 2
    assert "no format has the ending '.pdf'" in " ".join(result.err.split())
    assert not (tmp_path / "r.pdf").exists()
    for guess in ("--html", "--xml"):
        result = command("report", file, guess)
        assert result.code == 2
        assert "-o report.html" in " ".join(result.err.split())


def test_a_run_that_is_killed_leaves_no_report_that_looks_whole(tmp_path: Path) -> None:
    """Results stand in the report as they come, instead of those of an older run."""
    path = tmp_path / "report"
    path.write_text("an older report\n")
    slow = f"{sys.executable} {CONFORMANCE / 'hostile.py'} slow"
    arguments = (sys.executable, "-m", "parte", "conform", slow, "--case", "windows", "--jobs", "1", "--report", path)
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while path.read_text().count("\n") < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    report = read_report(path.read_text().split("\n"))
    assert not report.complete
    assert len(report.results) >= 1


def test_a_report_that_is_no_file_is_written_once(command: Command, tmp_path: Path) -> None:
    command("conform", "model:sound", "--case", "empty", "--report", tmp_path / "report")
    piped = subprocess.run(
        [sys.executable, "-m", "parte", "conform", "model:sound", "--case", "empty", "--report", "/dev/stderr"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert piped.stderr.count("\n") == (tmp_path / "report").read_text().count("\n")


def test_cases_are_asked_again_in_another_order(command: Command) -> None:
    result = command("conform", "model:sound", "--case", "windows", "--repeat", 2, "--shuffle", 3, "--jobs", 1)
    assert result.code == 0, result.out
    assert "40 pass" in result.out


def test_of_an_engine_that_supports_nothing_nothing_is_known(command: Command) -> None:
    nothing = f"{sys.executable} {CONFORMANCE / 'hostile.py'} supports-nothing"
    for arguments in (("conform", nothing, "--case", "empty"), ("fuzz", nothing, "--max-cases", 3)):
        result = command(*arguments)
        assert result.code == 5, result.out
    # Another engine that does not fail does not change that; one that fails comes first.
    assert command("conform", nothing, "model:sound", "--case", "empty").code == 5
    assert command("conform", nothing, "model:published", "--case", "windows/two-to-five-at-5").code == 1


def test_known_failures(command: Command, tmp_path: Path) -> None:
    known = tmp_path / "known.jsonl"
    assert command("conform", "model:published", *SOME, "--write-known-failures", known).code == 1
    assert command("conform", "model:published", *SOME, "--known-failures", known).code == 0
    assert command("conform", "model:published", "--case", "negation", "--known-failures", known).code == 1
    outdated = command("conform", "published=model:sound", *SOME, "--known-failures", known)
    assert outdated.code == 1
    assert "is out of date" in outdated.err
    another = command("conform", "model:published", "sound=model:sound", *SOME, "--known-failures", known)
    assert another.code == 0, "one that does not fail need not be listed"
    several = ("conform", "published=model:sound", "other=model:published", *SOME, "--known-failures", known)
    assert "lists nothing for other; its labels: published" in " ".join(command(*several).err.split())
    for engine, call in (("my=model:published", "published=model:published"), (TEMPLATE, f"'published={TEMPLATE}'")):
        unlisted = command("conform", engine, *SOME, "--known-failures", known, COLUMNS="400")
        assert unlisted.code == 2
        assert "lists nothing for" in unlisted.err
        assert f"its labels: published\n  hint: cases are listed under the label of an engine; call it {call}, or" in (
            unlisted.err
        )
    known.write_text('{"engine":"e","case":"no/such","verdict":"fail"}\n', encoding="utf-8")
    assert command("conform", "model:sound", *SOME, "--known-failures", known).code == 2


def test_a_file_that_cannot_be_read_spoils_only_its_own_cases(command: Command, tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text('{"format": "parte-suite", "version": "1.0"}', encoding="utf-8")
    head = "profile core\nsince 1.0\nclauses patterns\n\n"
    program = "  program\n    template A {{ }} rule R where a : A\n"
    case = "case {}\n  about Nothing comes of nothing\n" + program + "  expect {}\n"
    (tmp_path / "good.cases").write_text(head + case.format("good/one", "nothing"), encoding="utf-8")
    (tmp_path / "half.cases").write_text(
        head + case.format("half/bad", "[1e999]") + case.format("half/good", "nothing"), encoding="utf-8"
    )
    (tmp_path / "bad.cases").write_bytes(b"\xff")
    os.mkfifo(tmp_path / "pipe.cases")
    (tmp_path / "measured.json").write_text("[", encoding="utf-8")
    result = command("conform", "model:sound", "--suite", tmp_path, "--report", tmp_path / "r.jsonl")
    assert result.code == 2
    for name in ("bad.cases", "half.cases:9", "pipe.cases", "measured.json"):
        assert name in result.err
    report = read_report((tmp_path / "r.jsonl").read_text(encoding="utf-8").split("\n"))
    assert {(item.case, item.verdict) for item in report.results} == {
        ("good/one", CaseVerdict.PASS),
        ("half/good", CaseVerdict.PASS),
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("model:sond",), "did you mean model:sound?"),
        (("no-such-engine --fast",), "was not found"),
        ((str(ENGINES / "engine.py"),), f"'python3 {ENGINES / 'engine.py'}'"),
        ((str(ENGINES / "engine.mjs"),), f"'node {ENGINES / 'engine.mjs'}'"),
        ((str(ENGINES / "engine.go"),), "is not executable"),
        (("'",), "cannot be split"),
        (("",), "is empty"),
        (("model:sound", "--profile", "corn"), "no profile is called"),
        (("model:sound", "--case", "no/such"), "no case has the id"),
        (("model:sound", "--suite", "/nonexistent"), "suite.json"),
        (("cat", "--smoke"), ""),
        (("model:sound", "--report", "/nonexistent/report"), "cannot write /nonexistent/report"),
        (("model:sound", "--write-known-failures", "/nonexistent/list"), "cannot write /nonexistent/list"),
    ],
)
def test_what_cannot_be_tried(command: Command, arguments: tuple[str, ...], words: str) -> None:
    result = command("conform", *arguments, COLUMNS="200")
    assert result.code == 2
    assert words in result.err


def test_the_runner_needs_no_schema_library() -> None:
    code = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from parte.cli import app\n"
        "app(['conform', 'model:sound', '--case', 'ties'], standalone_mode=False)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_suite_is_listed_and_covered(command: Command) -> None:
    assert "windows/two-to-five-at-5" in command("suite", "list", COLUMNS="200").out
    listed = json.loads(command("suite", "list", "--profile", "functions", "--json").out)
    assert {case["profile"] for case in listed} == {"functions"}
    covered = command("suite", "coverage")
    assert covered.code == 0
    assert "PARTE/JOIN-RIGHT" in covered.out
    assert json.loads(command("suite", "coverage", "--json").out)["codes"]["unknown-type"]
    assert command("suite", "coverage", "--model", "algebra").code == 2


def test_mutants_are_killed(command: Command, tmp_path: Path) -> None:
    result = command("suite", "mutants", "--mutant", "sound/expiry-one-early", "--jobs", "1", COLUMNS="200")
    assert result.code == 0
    assert "PARTE/JOIN-RIGHT-BOTTOM" in result.out
    assert "1 of 1 mutants are killed" in result.out
    some = ("--mutant", "algebra/window-reversed", "--mutant", "sound/expiry-one-early")
    records = json.loads(command("suite", "mutants", *some, "--jobs", "1", "--json").out)
    assert [record["mutant"] for record in records] == ["algebra/window-reversed", "sound/expiry-one-early"]
    assert {record["verdict"] for record in records} == {"fail"}
    assert all(record["kills"] == [record["killed_by"]] for record in records)
    wrong = command("suite", "mutants", "--mutant", "sound/expiry-one-erly", COLUMNS="200")
    assert wrong.code == 2
    assert "did you mean sound/expiry-one-early?" in wrong.err
    # A suite of one case, which has no window at all.
    (tmp_path / "suite.json").write_bytes((PARTELANG[KIT].suite / "suite.json").read_bytes())
    (tmp_path / "empty.cases").write_text(EMPTY, encoding="utf-8")
    survives = command("suite", "mutants", *some, "--suite", tmp_path, "--jobs", "1", "--all", COLUMNS="200")
    assert survives.code == 1
    assert "0 of 2 mutants are killed" in survives.out
    assert "sound/expiry-one-early survives, and no reason is stated" in survives.err


EMPTY = """case empty/trace
  about An empty trace has no matches
  profile core
  since 1.0
  clauses stream
  program
    template A {}
    rule R where a : A
  expect nothing
"""


def altered(**fields: object) -> str:
    """A file of an exported suite with other fields."""
    return json.dumps(json.loads(fixture_text(load_suite(PARTELANG).cases["windows/two-to-five-at-5"])) | fields)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("suite.json", "{}", "suite.json: expected"),
        ("suite.json", None, "suite.json: No such file"),
        (
            "a/broken.cases",
            EMPTY.replace("profile core", "disorder x"),
            "a/broken.cases:1: empty/trace: profile is missing",
        ),
        (
            "a/broken.cases",
            EMPTY.replace("profile core", "disorder x"),
            "a/broken.cases:3: empty/trace: expected a number",
        ),
        ("a/broken.json", '{\n"id":', "broken.json: line 2: not JSON"),
        ("a/broken.json", "[]", "broken.json: expected an object"),
        ("a/broken.json", '{"format": "parte-fixture", "version": 2}', 'broken.json: $: the key "id" is missing'),
        ("a/broken.json", altered(disorder="long"), "$.disorder: expected an integer, found the string"),
        ("a/broken.json", altered(program=5), "$.program: expected a list, found the integer 5"),
        ("a/broken.json", altered(program=[{"repeat": "a", "times": 10**12}]), "1,000,000,000,000 characters"),
        ("a/broken.json", altered(trace=[5]), "$.trace[0]: expected an object, found the integer 5"),
    ],
)
def test_a_suite_with_a_broken_file(
    command: Command, tmp_path: Path, name: str, content: str | None, words: str
) -> None:
    (tmp_path / "suite.json").write_bytes((PARTELANG[KIT].suite / "suite.json").read_bytes())
    (tmp_path / "a").mkdir()
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content, encoding="utf-8")
    result = command("conform", "model:sound", "--suite", tmp_path, COLUMNS="300")
    assert result.code == 2
    assert words in result.err


def test_a_suite_without_cases(command: Command, tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_bytes((PARTELANG[KIT].suite / "suite.json").read_bytes())
    assert "the suite has no cases" in command("conform", "model:sound", "--suite", tmp_path, COLUMNS="300").err
    assert "no profile is called" in command("suite", "list", "--profile", "corn", COLUMNS="300").err


def test_what_is_no_report(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    assert command("report", file).code == 2
    assert command("report", tmp_path / "none").code == 2
    assert command("report", file, "--format", "pdf").code == 2
