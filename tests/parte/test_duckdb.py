"""`parte run --model duckdb`: what it prints, and what it says when it cannot run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import parte
from parte.algebra.partelang.relational import Unsupported
from parte.semantics.events.installation import install_command
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import functions
from parte.semantics.source.packages import PackageMissing
from tests.parte.examples import FRAUD, Command


def test_it_prints_what_the_algebra_prints(command: Command) -> None:
    arguments = [str(FRAUD / "scenarios.parte"), str(FRAUD / "trace.jsonl"), "--domain", str(FRAUD / "domain.json")]
    result = command("run", *arguments, "--model", "duckdb")
    assert (result.code, result.err) == (0, "")
    assert result.out == (FRAUD / "expected.jsonl").read_text(encoding="utf-8")


def test_options_for_machines_do_not_go_with_it(command: Command) -> None:
    result = command("run", "program", "trace", "--model", "duckdb", "--seed", "1")
    assert result.code == 2
    assert "does not go with the model duckdb" in result.err


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    """The arguments for a program of two patterns and its trace."""
    program, trace = tmp_path / "pair.parte", tmp_path / "trace.jsonl"
    program.write_text("template A { k: Integer }\nrule Next where a: A { odd(k) = 1 }\nthen", encoding="utf-8")
    trace.write_text('{"template": "A", "timestamp": 1, "attributes": {"k": 1}}\n', encoding="utf-8")
    return [str(program), str(trace), "--model", "duckdb"]


def test_a_program_that_it_cannot_express(command: Command, pair: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_registered", dict(functions._registered))
    functions.register(functions.Function("odd", 1, 1, Scalar.INTEGER, lambda number: number % 2))
    result = command("run", *pair)
    assert (result.code, result.out) == (2, "")
    assert "error: function odd is registered from Python" in result.err
    assert "hint: the model indexed runs every program" in result.err
    program, trace = parte.parse(Path(pair[0]).read_text("utf-8")), parte.load_trace(pair[1])
    with pytest.raises(Unsupported, match="function odd"):
        parte.run(program, trace, model="duckdb")


@pytest.mark.parametrize("package", ["duckdb", "sqlglot", "pyarrow", "numpy"])
def test_without_the_extra_one_error_names_it(command: Command, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for module in [name for name in sys.modules if name.startswith("parte.algebra.partelang.relational.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("parte.algebra.partelang.relational.duckdb", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    result = command(
        "run", str(FRAUD / "refund-scam-as-printed.parte"), str(FRAUD / "trace.jsonl"), "--model", "duckdb"
    )
    assert (result.code, result.out) == (2, "")
    assert f"error: the model duckdb needs the package {package}, which is not installed" in result.err
    assert f"hint: {install_command('duckdb')}" in result.err
    with pytest.raises(PackageMissing, match=re.escape(install_command("duckdb"))):
        parte.run(parte.parse("template A {}"), [], model="duckdb")
