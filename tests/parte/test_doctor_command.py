"""`parte doctor`."""

from __future__ import annotations

from importlib import metadata

import pytest

from parte.commands import doctor
from parte.semantics.source.packages import PackageMissing
from tests.parte.examples import Command


def test_each_extra_of_users_has_a_purpose() -> None:
    declared = set(metadata.metadata("parte").get_all("Provides-Extra") or ())
    assert declared - {"dev"} == doctor.PURPOSE.keys() == doctor.extras().keys()


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
    result = command("doctor", COLUMNS="200")
    assert result.code == 0
    rows = {" ".join(line.split()) for line in result.out.splitlines()}
    assert "z3 check, relate, prove z3-solver 9.8.7" in rows
    assert "cvc5 prove --solver cvc5 missing: cvc5" in rows
    assert (
        "engine clips conform, fuzz (PARTElang) missing: this needs the package clipspy, which is not installed" in rows
    )
    assert "to have it: pip install 'parte[cvc5]'" in rows
