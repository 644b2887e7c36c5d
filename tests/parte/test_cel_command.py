"""CEL on the command line and from Python, as docs/cel.md shows it."""

from __future__ import annotations

import re
from pathlib import Path

import parte
from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "warehouse"
QUERY, TRACE = FOLDER / "fire.ceql", FOLDER / "trace.jsonl"
EXPECTED = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")


def test_the_example_is_what_the_page_shows(command: Command) -> None:
    page = (ROOT / "docs" / "cel.md").read_text(encoding="utf-8")
    assert f"```text\n{QUERY.read_text(encoding='utf-8')}```" in page
    found = command("run", QUERY, TRACE)
    assert (found.code, found.out) == (0, EXPECTED)
    assert f"trace.jsonl\n{EXPECTED}```" in page
    assert command("compare", QUERY, TRACE).code == 0
    assert command("fmt", "--check", QUERY).code == 0


def test_shares_are_the_whole(command: Command) -> None:
    shares = [command("run", QUERY, TRACE, "--processes", "2", "--index", str(index)).out for index in range(2)]
    assert sorted("".join(shares).splitlines()) == sorted(EXPECTED.splitlines())
    assert command("run", QUERY, TRACE, "--model", "definition").out == EXPECTED


def test_options_that_do_not_go_together_are_told(command: Command) -> None:
    for options, words in (
        (("--processes", "2", "--index", "2"), "expected a number from 0 to 1, found 2"),
        (("--processes", "0"), "expected a number from 1"),
        (("--rivals", "each"), "expected interval, end, all"),
        (("--rivals", "all"), "only the definition reads them as 'all'"),
        (("--model", "definition", "--processes", "2"), "the definition has no shares"),
        (("--model", "core"), "core"),
    ):
        told = command("run", QUERY, TRACE, *options)
        assert told.code == 2
        assert words in " ".join(told.err.split()), told.err


def test_the_automaton_is_drawn(command: Command) -> None:
    drawn = command("graph", QUERY).out
    assert drawn.startswith("digraph cel {")
    assert len(re.findall(r"peripheries=2", drawn)) == 1
    assert 'label="H AND val < 20 / H, dry"' in drawn


def test_what_only_the_definition_has_is_told(command: Command, tmp_path: Path) -> None:
    query = tmp_path / "q.ceql"
    query.write_text("SELECT * WHERE (T; T FILTER T[val] = T[val]); H\n", encoding="utf-8")
    told = command("run", query, TRACE)
    assert told.code == 2
    assert "link-below-operator" in told.err
    assert "cannot express this: a link stands below another operator" in told.err
    assert command("run", query, TRACE, "--model", "definition").code == 0
    assert command("graph", query).code == 2


def test_from_python() -> None:
    query = parte.cel.parse(QUERY.read_text(encoding="utf-8"))
    trace = parte.load_trace(TRACE)
    results = list(parte.cel.run(query, trace))
    assert results == parte.cel.define(query, trace)
    assert [(each.start, each.end, each.positions) for each in results] == [(0, 5, (0, 1, 3, 5)), (2, 7, (2, 6, 7))]
    assert parte.cel.parse(parte.cel.print_query(query)) == query
