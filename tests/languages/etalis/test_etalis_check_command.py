"""`parte check` of programs of ETALIS: policies, readings, exit codes, and the page that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = "examples/bakery/oven.etalis"


def test_policies_readings_and_exit_codes(command: Command, tmp_path: Path) -> None:
    result = command("check", str(ROOT / PROGRAM), "--policy", "recent", "--json")
    (finding,) = json.loads(result.out)["findings"]
    assert (result.code, finding["code"], finding["hint"]) == (
        0,
        "unbounded-goals",
        "give `baking(B)` a length, `(…).q`",
    )
    refused = command("check", str(ROOT / PROGRAM), "--policy", "recent", "--reading", "negation=intervals")
    assert refused.code == 2
    assert "selects pairs" in refused.err
    program = tmp_path / "never.etalis"
    program.write_text("e <- a DURING (b SEQ c).\n", encoding="utf-8")
    assert command("check", str(program)).code == 1
    assert command("check", str(program), "--reading", "during=instants").code == 0


def test_the_page_shows_what_is_said(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "etalis.md").read_text(encoding="utf-8")
    page_lines = page.split(f"$ parte check {PROGRAM} --verbose\n")[1].split("```")[0].splitlines()
    said = command("check", PROGRAM, "--verbose").out.splitlines()
    assert [line for line in page_lines if line not in said] == ["…"]
