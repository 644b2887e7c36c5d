"""`parte doctor`."""

from __future__ import annotations

import re
from importlib import metadata

import pytest

from parte.commands import doctor
from parte.semantics.events.installation import install_command
from parte.semantics.source.packages import PackageMissing
from tests.parte.examples import Command


def test_each_extra_of_users_has_a_purpose() -> None:
    declared = set(metadata.metadata("parte").get_all("Provides-Extra") or ())
    assert declared - {"dev"} == doctor.purposes().keys() == doctor.extras().keys() - {"dev"}


def test_what_is_there_and_what_is_not(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        if name == "cvc5":
            raise metadata.PackageNotFoundError(name)
        return "9.8.7"

    def no_engine(_engines: object, name: str) -> None:
        if name == "clips":
            raise PackageMissing("clipspy", "clips")

    monkeypatch.setattr(metadata, "version", missing)
    monkeypatch.setattr(doctor, "require", no_engine)
    result = command("doctor", "--all", COLUMNS="200")
    assert result.code == 0
    rows = {" ".join(line.split()) for line in result.out.splitlines()}
    assert "z3 check, relate, prove, test --mutants z3-solver 9.8.7" in rows
    assert "cvc5 prove --solver cvc5 missing: cvc5" in rows
    assert (
        "engine clips conform, fuzz (PARTElang) missing: this needs the package clipspy, which is not installed" in rows
    )
    assert f"to have cvc5: {install_command('cvc5')}" in rows


def test_what_users_need_comes_first_and_the_rest_is_folded(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        if name not in ("parte", "pyarrow"):
            raise metadata.PackageNotFoundError(name)
        return "9.8.7"

    monkeypatch.setattr(metadata, "version", missing)
    result = command("doctor", COLUMNS="120")
    assert result.code == 0
    first, ready, *_ = result.out.splitlines()
    assert first.startswith("parte 9.8.7, on Python 3.")
    assert ready.startswith("These commands need nothing else: run, compare, explore, why, step, fmt,")
    assert not {"log", "check"} & {*ready.rstrip(".").partition(": ")[2].split(", ")}
    assert "duckdb log, run --model duckdb" in " ".join(result.out.split())
    listed = re.findall(r"^ (\w[\w-]*) ", result.out, re.MULTILINE)
    assert listed == list(doctor.FIRST)
    advice = re.findall(r"^to have (\S+): (.*)", result.out, re.MULTILINE)
    assert advice == [(name, install_command(name)) for name in doctor.FIRST if name != "parquet"]
    assert result.out.splitlines()[-1].startswith("parte doctor --all also lists")
    assert "engine clips" not in result.out
    whole = command("doctor", "--all", COLUMNS="120").out
    assert "engine clips" in whole
    assert "parte doctor --all" not in whole
