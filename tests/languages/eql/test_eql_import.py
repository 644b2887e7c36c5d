"""`parte import --language EQL elastic`: rules in Elastic's files, each read or refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parte.languages.eql.semantics.syntax.parser import parse
from tests.parte.examples import Command

RULE = """\
[metadata]
maturity = "production"

[rule]
name = "A shell\\nof the printer"
type = "{type}"
language = "eql"
{schedule}
query = '''
{query}
'''
"""
SHELL = (
    'sequence by host.id with maxspan=1m\n  [process where process.name : "lp*"]\n  ![file where cidrmatch(a, "::1")]'
)
SCHEDULE = 'from = "now-9m"\ninterval = "3m"'


def rule(folder: Path, name: str, query: str, schedule: str = "", kind: str = "eql") -> Path:
    """Write the file of a rule."""
    file = folder / f"{name}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(RULE.format(query=query, schedule=schedule, type=kind), encoding="utf-8")
    return file


def test_queries_are_checked(command: Command, tmp_path: Path) -> None:
    both = '[process where a == "b" and a == "c"] [file where true]'
    rule(tmp_path / "rules", "shell", f"sequence with maxspan=8m {both}", SCHEDULE)
    rule(tmp_path / "rules", "single", "process where false")
    words = ("import", "--language", "EQL", "elastic", tmp_path / "rules", "--check")
    done = command(*words)
    assert (done.code, done.err) == (0, "")
    assert "shell.toml:11: error[unsatisfiable-query]: A shell of the printer: no trace has a result" in done.out
    assert "     1  rules with warning[never-true]" in done.out
    done = command(*words, "--reading", "lists=any")
    assert "unsatisfiable-query" not in done.out
    assert "shell.toml:11: error[unseen-result]: A shell of the printer: no run" in done.out


def test_queries_are_written(command: Command, tmp_path: Path) -> None:
    rule(tmp_path / "rules", "shell", SHELL, SCHEDULE)
    rule(tmp_path / "rules" / "more", "open", "sequence [a where true] [b where true]")
    rule(tmp_path / "rules", "single", "process where true\n| head 1")
    rule(tmp_path / "rules", "other", "FROM logs", kind="esql")
    done = command("import", "--language", "EQL", "elastic", tmp_path / "rules", "-o", tmp_path / "out")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{tmp_path}/rules/more/open.toml:10: warning[no-maxspan]: A shell of the printer",
        "     1  event read",
        "     2  sequences read",
        "     1  warning[no-maxspan]",
    ]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["open.eql", "shell.eql", "single.eql"]
    text = (tmp_path / "out" / "shell.eql").read_text(encoding="utf-8")
    assert text.startswith("// A shell of the printer; every 3m over the last 9m\nsequence by host.id")
    assert parse(text) == parse(SHELL)
    again = command("import", "--language", "EQL", "elastic", tmp_path / "rules", "-o", tmp_path / "out")
    assert again.code == 2
    assert "open.eql" in again.err


def test_a_refused_rule_has_a_place_and_a_reason(command: Command, tmp_path: Path) -> None:
    rule(tmp_path, "shell", SHELL, SCHEDULE)
    bad = rule(tmp_path, "bad", "sequence with maxspan=1m\n  [a where true]\n  [b where child of [a where true]]")
    (tmp_path / "broken.toml").write_text("rule = ", encoding="utf-8")
    done = command("import", "--language", "EQL", "elastic", tmp_path)
    assert done.code == 1
    assert f"{bad}:12:12: refused[unsupported]: `child of` is not supported" in done.out
    assert f"{tmp_path}/broken.toml: refused[file]: " in done.out
    assert done.out.splitlines()[-3:] == [
        "     1  sequence read",
        "     1  refused[file]",
        "     1  refused[unsupported]",
    ]


def test_results_are_an_object_of_json(command: Command, tmp_path: Path) -> None:
    rule(tmp_path, "shell", SHELL, SCHEDULE)
    done = command("import", "--language", "EQL", "elastic", tmp_path, "--json")
    [record] = json.loads(done.out)["rules"]
    assert record == {
        "name": "A shell of the printer",
        "place": f"{tmp_path}/shell.toml:11",
        "form": "sequence",
        "maxspan": "1m",
        "missing": True,
        "until": False,
        "every": "3m",
        "back": "9m",
        "warnings": [],
        "refused": "",
        "code": "",
        "findings": [],
    }


@pytest.mark.parametrize("arguments", [("sigma", "rules"), ("elastic", "none"), ("elastic", "rules")])
def test_what_cannot_be_used(command: Command, tmp_path: Path, arguments: tuple[str, str]) -> None:
    rule(tmp_path / "rules", "other", "FROM logs", kind="esql")
    form, folder = arguments
    assert command("import", "--language", "EQL", form, tmp_path / folder).code == 2
