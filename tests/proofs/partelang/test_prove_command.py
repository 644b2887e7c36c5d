"""`parte prove` and `parte.prove`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import parte
from parte.cli import app
from parte.proofs.json_form import schema

RUNNER = CliRunner()


def test_a_proved_lemma() -> None:
    result = RUNNER.invoke(app, ["prove", "kernel-shifted"])
    assert result.exit_code == 0
    assert "1 lemmas in" in result.stdout
    assert "all as expected" in result.stdout


def test_a_refuted_lemma_shows_its_counterexample() -> None:
    result = RUNNER.invoke(app, ["prove", "expiry-left-join-1", "--model", "published", "--solver", "both"])
    assert result.exit_code == 0
    assert "defect 1" in result.stdout
    assert "broken: what expires fits no later event" in result.stdout


def test_json_and_export(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["prove", "at-*", "--json", "--export", str(tmp_path)])
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    jsonschema.validate(record, dict(schema()))
    assert len(list(tmp_path.glob("*.sound.smt2"))) == len(record["results"])


def test_certificates(tmp_path: Path) -> None:
    arguments = ["prove", "at-monotone-*", "--solver", "both", "--certificates"]
    result = RUNNER.invoke(app, [*arguments, "--export", str(tmp_path)])
    assert result.exit_code == 0
    assert "checked, 16 steps" in result.stdout
    problems, proofs = sorted(tmp_path.glob("*.smt2")), sorted(tmp_path.glob("*.cpc"))
    assert f"{len(proofs)} of {len(problems)} proofs by cvc5 checked" in result.stdout.replace("\n", " ")
    assert [path.stem for path in proofs] == [path.stem for path in problems]
    record = json.loads(RUNNER.invoke(app, [*arguments, "--json"]).stdout)
    jsonschema.validate(record, dict(schema()))
    assert {proof["certificate"]["outcome"] for proof in record["results"]} == {"checked"}


def test_certificates_are_those_of_cvc5() -> None:
    result = RUNNER.invoke(app, ["prove", "kernel-shifted", "--certificates"])
    assert result.exit_code == 2
    assert "add --solver cvc5" in result.stderr


def test_an_unknown_lemma() -> None:
    result = RUNNER.invoke(app, ["prove", "kernel-shift"])
    assert result.exit_code == 2
    assert "kernel-shifted" in result.stderr


def test_the_python_function() -> None:
    (result,) = parte.prove(["kernel-shifted"], solver="both")
    assert result.as_expected
    with pytest.raises(ValueError, match="algebra"):
        parte.prove(model="algebra")


def test_the_rudimentary_model(tmp_path: Path) -> None:
    result = RUNNER.invoke(
        app, ["prove", "rudimentary-NOT-*", "--model", "rudimentary", "--json", "--export", str(tmp_path)]
    )
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    jsonschema.validate(record, dict(schema()))
    assert {"proved", "refuted"} == {proof["verdict"] for proof in record["results"]}
    assert {proof["model"] for proof in record["results"]} == {"rudimentary"}
