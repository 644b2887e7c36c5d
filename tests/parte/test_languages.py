"""The commands with a language that this project does not have: they ask its record for what they need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from parte.checker.report.facet import CHECK
from parte.conformance.exchange import schema
from parte.conformance.kit import KIT
from parte.conformance.results import read_report
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.registry import joined, languages
from parte.proofs.facets import LEMMAS
from parte.semantics.events.differences import differences
from parte.semantics.rulebook.listing import RULES
from parte.semantics.source.text import TEXT
from tests.conformance.toy.language import PAIRS
from tests.parte.examples import Command, Finished

TRACE = '{"id": "b0", "template": "B"}\n\n{"id": "a1", "template": "A"}\n{"id": "b2", "template": "B"}\n'
MATCH = '{"first": "a1", "then": "b2"}\n'


@pytest.fixture(autouse=True)
def _guest() -> Iterator[None]:
    with joined(PAIRS):
        yield


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A program whose ending tells its language, and a trace."""
    program, trace = tmp_path / "ab.pairs", tmp_path / "trace.jsonl"
    program.write_text("pair  A B", encoding="utf-8")
    trace.write_text(TRACE, encoding="utf-8")
    return program, trace


def test_a_program_is_run_compared_and_shown(command: Command, files: tuple[Path, Path]) -> None:
    program, trace = files
    for model in ("sound", "definition"):
        assert command("run", program, trace, "--model", model) == Finished(0, MATCH, "")
    assert command("compare", program, trace).out == "sound agrees with definition (1 match)\n"
    assert command("fmt", program).out == "pair A B\n"
    assert command("fmt", "--check", program).code == 1
    assert json.loads(command("ast", program).out) == {"first": "A", "then": "B"}
    assert command("graph", program).out == "digraph { A -> B }\n"  # a command of its own


def test_the_language_is_that_of_the_ending_or_the_one_that_is_named(
    command: Command, files: tuple[Path, Path]
) -> None:
    text = files[0].read_text(encoding="utf-8")
    for arguments in (("--language", "pairs"), ("--language=PAIRS",)):
        assert command("fmt", "-", *arguments, stdin=text).out == "pair A B\n"
    assert "expected" in command("fmt", "-", stdin=text).err  # PARTElang, where nothing tells
    assert command("fmt", files[0], "--language", "PARTElang").code == 2
    unknown = command("fmt", "-", "--language", "pears", stdin=text)
    assert unknown.code == 2
    assert (
        f"no language is called 'pears'; there are: {', '.join(language.name for language in languages())}"
        in " ".join(unknown.err.split())
    )
    assert command("fmt", "-", "--language").code == 2
    assert "--language" in command("fmt", "--help").out
    assert "--schedule" not in command("run", "--language", "PAIRS", "--help").out


def test_what_is_wrong_is_told_with_its_place(command: Command, files: tuple[Path, Path]) -> None:
    program, trace = files
    trace.write_text(TRACE + '{"id": "x"}\n[]\n', encoding="utf-8")
    broken = command("run", program, trace)
    assert broken.code == 2
    assert f"{trace}:6: expected a JSON object" in broken.err.replace("\n", "")
    trace.write_text(TRACE + '{"id": "x"}\n', encoding="utf-8")
    assert command("run", program, trace).code == 2
    assert f"{trace}:5: expected an id and a template" in command("run", program, trace).err
    assert "no model is called 'soun'; did you mean sound?" in command("run", program, trace, "--model", "soun").err
    program.write_text("pear A B", encoding="utf-8")
    for name in ("fmt", "ast", "check", "graph"):
        refused = command(name, program)
        assert refused.code == 2, name
        assert "error[no-pair]: this is no pair" in refused.err, name


def test_a_command_that_the_language_does_not_have_says_so(command: Command, files: tuple[Path, Path]) -> None:
    paths_by_name = {
        "timeline": ("timeline", *files),
        "explore": ("explore", *files),
        "relate": ("relate", files[0], "P", "Q"),
        "spark match": ("spark", "match"),
    }
    for name, arguments in paths_by_name.items():
        lacking = command(*arguments, "--language", "PAIRS")
        assert (lacking.code, lacking.out) == (2, "")
        assert f"PAIRS has no {name}\n" in lacking.err
        assert "its commands are run, compare, check" in lacking.err


def test_it_is_checked_and_its_lemmas_are_proved(command: Command, files: tuple[Path, Path]) -> None:
    passed = command("check", files[0])
    assert passed.code == 0
    assert "different  proved      the two events of a match are of different templates" in passed.out
    files[0].write_text("pair A A", encoding="utf-8")
    assert "warning[same]: both are of one template" in command("check", files[0]).out
    assert command("check", "--strict", files[0]).code == 1
    assert json.loads(command("check", "--json", files[0]).out)["findings"][0]["code"] == "same"
    proved = command("prove", "--language", "PAIRS")
    assert proved.code == 0
    assert "T §1; unbounded" in proved.out
    assert command("prove", "--language", "PAIRS", "forgets").code == 2


def test_its_rules_are_listed(command: Command) -> None:
    listed = command("rules", "--language", "PAIRS")
    assert listed.code == 0
    assert "the machine" in listed.out
    assert "PAIRS/REMEMBER" in listed.out
    assert "PARTE" not in listed.out
    assert command("rules", "--language", "PAIRS", "match").out.startswith("PAIRS/MATCH   (match), §1, ")
    record = json.loads(command("rules", "--language", "PAIRS", "--json").out)
    assert [rule["node"] for rule in record["rules"]] == [None, None]
    assert record["repairs"] == []


def test_engines_conform_or_are_found_out(command: Command, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    assert command("conform", "model:sound", "--language", "PAIRS", "--report", report).code == 0
    read = read_report(report.read_text(encoding="utf-8").splitlines())
    assert (read.language, read.profiles()) == ("PAIRS", ("core", "rejects"))
    assert command("conform", "--smoke", "model:definition", "--language", "PAIRS").code == 0
    assert "there are: core, rejects" in command("conform", "model:sound", "--profile", "x", "--language", "PAIRS").err
    fuzzed = command(
        "fuzz", "model:sound", "--language", "PAIRS", "--max-cases", 20, "--seed", 1, "--out", tmp_path / "none"
    )
    assert fuzzed.code == 0
    assert "0 divergent" in fuzzed.out


def test_its_suite_is_checked_and_exported(command: Command, tmp_path: Path) -> None:
    assert command("suite", "lint", "--language", "PAIRS").code == 0
    assert command("suite", "coverage", "--language", "PAIRS").code == 0
    assert "give sound" in command("suite", "coverage", "--language", "PAIRS", "--model", "definition").err
    assert "are killed" in command("suite", "mutants", "--language", "PAIRS", "--jobs", 1).out
    out = tmp_path / "exported"
    assert command("suite", "export", out, "--language", "PAIRS").code == 0
    validator = Draft202012Validator(json.loads((out / "fixture.schema.json").read_text(encoding="utf-8")))
    exported = [json.loads(path.read_text(encoding="utf-8")) for path in out.glob("*/*.json")]
    assert {case["ast"] is None for case in exported} == {True, False}
    for case in exported:
        validator.validate(case)
    assert command("conform", "model:sound", "--language", "PAIRS", "--suite", out).code == 0
    assert "a suite of PAIRS, not of PARTElang" in command("conform", "model:sound", "--suite", out).err


@pytest.mark.parametrize("language", [*languages(), PAIRS], ids=lambda language: language.name)
def test_what_a_record_says_of_the_suite_is_true(language: Language) -> None:
    """Trees and cases have their schemas, printing changes no program, matches are shown in one canonical order."""
    syntax, cases = language[TEXT], load_suite(language).cases.values()
    tree, whole = Draft202012Validator(syntax.schema()), Draft202012Validator(schema(language[KIT].shapes()))
    Draft202012Validator.check_schema(whole.schema)
    assert set(language[KIT].drawn) <= {case.id.split("/")[0] for case in cases}
    for case in [case for case in cases if case.expected.rejected is None][:100]:
        program = syntax.parse(case.text)
        tree.validate(syntax.tree(program))
        assert syntax.tree(syntax.parse(syntax.printed(case.text))) == syntax.tree(program)
        lines = syntax.match_lines(case.expected.matches)
        assert lines == syntax.match_lines(reversed(case.expected.matches))
        read = [json.loads(line) for line in lines]
        assert not any(differences(case.expected.matches, read, syntax.key(program)))
        assert not whole.is_valid({"format": "parte-fixture"})
    assert not language.has(CHECK) or language[CHECK](language[KIT].example.program, 10.0).guarantees
    lemmas = () if not language.has(LEMMAS) else language[LEMMAS].lemmas
    assert {rule for lemma in lemmas for rule in lemma.rules} <= set(language[RULES].rules)
    listed = [identity for ids in language[RULES].headings.values() for identity in ids]
    assert sorted(listed) == sorted(language[RULES].rules)
