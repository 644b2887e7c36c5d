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
    result = RUNNER.invoke(app, ["prove", "bounds-TERM"])
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


def test_an_unknown_lemma() -> None:
    result = RUNNER.invoke(app, ["prove", "bounds-TERMS"])
    assert result.exit_code == 2
    assert "bounds-TERM" in result.stderr


def test_the_python_function() -> None:
    (result,) = parte.prove(["bounds-TERM"], solver="both")
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
    assert {"proved", "refuted"} == {one["verdict"] for one in record["results"]}
    assert {one["model"] for one in record["results"]} == {"rudimentary"}
