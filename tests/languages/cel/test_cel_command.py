"""CEL on the command line and from Python, as docs/cel.md shows it."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

import parte
from parte.commands.running import options_of
from parte.languages.cel import CEL
from parte.languages.cel.drawing.automaton import _Arc, _levels
from parte.semantics.rulebook.running import RUN
from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "warehouse"
QUERY, TRACE = FOLDER / "fire.ceql", FOLDER / "trace.jsonl"
EXPECTED = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")


def test_the_example_is_what_the_page_shows(command: Command) -> None:
    page = (ROOT / "docs" / "cel.md").read_text(encoding="utf-8")
    assert f"```ceql\n{QUERY.read_text(encoding='utf-8')}```" in page
    result = command("run", QUERY, TRACE)
    assert (result.code, result.out) == (0, EXPECTED)
    assert f"trace.jsonl\n{EXPECTED}```" in page
    assert command("compare", QUERY, TRACE).code == 0
    assert command("fmt", "--check", QUERY).code == 0


def test_shares_are_the_whole(command: Command) -> None:
    shares = [command("run", QUERY, TRACE, "--processes", "2", "--index", str(index)).out for index in range(2)]
    assert sorted("".join(shares).splitlines()) == sorted(EXPECTED.splitlines())
    assert command("run", QUERY, TRACE, "--model", "definition").out == EXPECTED


def test_options_that_do_not_go_together_are_told(command: Command) -> None:
    for options, words in (
        (("--processes", "2", "--index", "2"), "expected processes and an index below them"),
        (("--processes", "0"), "expected processes and an index below them"),
        (("--rivals", "each"), "expected interval, end, all"),
        (("--processes", "many"), 'expected a number from 0, found "many"'),
        (("--rivals", "all"), "only the definition has them"),
        (("--model", "core"), "core"),
    ):
        result = command("run", QUERY, TRACE, *options)
        assert result.code == 2
        assert words in " ".join(result.err.split()), result.err


def test_the_automaton_is_drawn(command: Command) -> None:
    drawn = command("graph", QUERY, "--format", "dot").out
    assert drawn.startswith("digraph cel {")
    assert len(re.findall(r"peripheries=2", drawn)) == 1
    assert 'label="H AND val < 20 / H, dry"' in drawn


SVG = "{http://www.w3.org/2000/svg}"


def test_the_automaton_as_svg_has_every_state_and_label(command: Command, tmp_path: Path) -> None:
    query = tmp_path / "q.ceql"
    text = "SELECT * WHERE ((A; (B FILTER B[v > 3]) OR C:+)+; (A OR B FILTER A[s != '<&']) OR (B:C; A+)+)\n"
    query.write_text(text, encoding="utf-8")
    automaton = parte.cel.Machine(parte.cel.parse(text)).automaton
    root = ElementTree.fromstring(command("graph", query).out)
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {f"q{state}" for state in range(automaton.size)} <= set(words)
    assert len([e for e in root.iter(f"{SVG}text") if e.get("class") == "label"]) == len(automaton.transitions)
    assert sum("final" in (element.get("class") or "") for element in root.iter(f"{SVG}circle")) == len(
        automaton.finals
    )
    arrows = {(transition.source, transition.target) for transition in automaton.transitions}
    assert len([element for element in root.iter(f"{SVG}path") if element.get("class") == "edge"]) == 1 + len(arrows)


def test_no_two_arcs_lie_on_each_other() -> None:
    ends = [(a, b) for a in range(6) for b in range(6) if abs(a - b) > 1]
    levels = _levels([_Arc(a, b, ("x",)) for a, b in ends])
    for arc, partner in combinations(levels, 2):
        assert arc.level != partner.level or arc.ends[1] <= partner.ends[0] or partner.ends[1] <= arc.ends[0]


def test_where_runs_have_been_is_said(command: Command) -> None:
    drawn = command("graph", QUERY, "--trace", TRACE).out
    assert "after 9 of 11 events" in drawn
    for options, words in (
        (("--format", "png"), "expected svg or dot"),
        (("--format", "dot", "--trace", TRACE), "only the drawing as SVG"),
    ):
        result = command("graph", QUERY, *options)
        assert (result.code, words in " ".join(result.err.split())) == (2, True)


def test_a_timeline_has_a_row_for_each_result(command: Command, tmp_path: Path) -> None:
    root = ElementTree.fromstring(command("timeline", QUERY, TRACE).out)
    heads = [e for e in root.iter(f"{SVG}text") if e.get("class") == "head"]
    assert ["".join(e.itertext()) for e in heads] == ["[0, 5] (t1, h1, h2, t3)" * 2, "[2, 7] (t2, h4, t4)" * 2]
    assert len([e for e in root.iter(f"{SVG}rect") if e.get("class") == "interval"]) == 2
    assert "a timeline is SVG" in command("timeline", QUERY, TRACE, "-o", tmp_path / "x.png").err


def test_without_times_in_order_events_lie_at_their_positions(command: Command, tmp_path: Path) -> None:
    query, trace = tmp_path / "q.ceql", tmp_path / "t.jsonl"
    query.write_text("SELECT * WHERE A; A\n", encoding="utf-8")
    trace.write_text('{"template": "A", "timestamp": 9}\n{"template": "A", "timestamp": 3}\n', encoding="utf-8")
    root = ElementTree.fromstring(command("timeline", query, trace).out)
    assert [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "axis"] == ["0", "1"]


def test_all_short_streams_are_explored(command: Command, tmp_path: Path) -> None:
    query, trace = tmp_path / "q.ceql", tmp_path / "t.jsonl"
    query.write_text("SELECT * WHERE (A OR B)+ WITHIN 2 EVENTS\n", encoding="utf-8")
    trace.write_text(
        '{"id": "a", "template": "A", "timestamp": 0}\n{"id": "b", "template": "B", "timestamp": 1}\n'
        '{"id": "c", "template": "B", "timestamp": 2}\n',
        encoding="utf-8",
    )
    result = command("explore", query, trace, "--length", "5")
    assert result.code == 0
    assert result.out.startswith("kinds of events: a, b\nstreams: 63, of at most 5 events, with ")
    assert "agrees with the definition on all, alone and shared by up to 3 processes" in result.out
    wrong = command("explore", query, trace, "--model", "published")
    assert wrong.code == 1
    assert "published differs from the definition for 2 processes on the stream: a@0 (0 ms)\n" in wrong.out
    assert wrong.out.endswith('\nspurious: {"start":0,"end":0,"events":["a@0"]}\n')  # each prints it
    assert "more than 1000000 streams" in command("explore", query, trace, "--length", "30").err
    assert (
        "no model is called 'definition'; there are: sound, published"
        in command("explore", query, trace, "--model", "definition").err
    )


def test_an_exploration_ends_in_time(command: Command, tmp_path: Path) -> None:
    """At one kind of events few streams are long ones; the number of streams of a huge length is not computed."""
    query, trace = tmp_path / "q.ceql", tmp_path / "t.jsonl"
    query.write_text("SELECT * WHERE A; B+; C\n", encoding="utf-8")
    trace.write_text('{"id": "a", "template": "A", "timestamp": 0}\n', encoding="utf-8")
    cut = command("explore", query, trace, "--length", "900000", "--time", "0.5")
    assert cut.code == 4
    assert cut.out.startswith("NOT ALL VISITED: what the machine does on the other streams is not known\n")
    assert "sound agrees with the definition on these, alone and shared" in cut.out
    assert "the limit of 0.5 s was reached: what was not found may still exist" in cut.err
    with trace.open("a", encoding="utf-8") as file:
        file.write('{"id": "b", "template": "B", "timestamp": 1}\n')
    huge = command("explore", query, trace, "--length", "9" * 30)
    assert (huge.code, "2 kinds of events make more than 1000000 streams" in huge.err) == (2, True)


def test_the_demo_says_what_is_found(command: Command) -> None:
    output = command("demo", "CEL").out
    assert "Both agree: 2 results by the definition." in output
    assert output == command("demo", "--language", "cel").out
    assert "nope" in command("demo", "nope").err


def test_what_only_the_definition_has_is_told(command: Command, tmp_path: Path) -> None:
    query = tmp_path / "q.ceql"
    query.write_text("SELECT * WHERE (T; T FILTER T[val] = T[val]); H\n", encoding="utf-8")
    result = command("run", query, TRACE)
    assert result.code == 2
    assert "link-below-operator" in result.err
    assert "cannot express this: a link stands below another operator" in result.err
    assert command("run", query, TRACE, "--model", "definition").code == 0
    assert command("graph", query).code == 2


def test_from_python() -> None:
    query = parte.cel.parse(QUERY.read_text(encoding="utf-8"))
    trace = parte.load_trace(TRACE)
    results = list(parte.cel.run(query, trace))
    assert results == parte.cel.define(query, trace)
    assert [(result.start, result.end, result.positions) for result in results] == [
        (0, 5, (0, 1, 3, 5)),
        (2, 7, (2, 6, 7)),
    ]
    assert parte.cel.parse(parte.cel.print_query(query)) == query


def test_what_is_known_before_a_run(command: Command, tmp_path: Path) -> None:
    result = command("check", QUERY)
    assert result.code == 0
    page = (ROOT / "docs" / "cel.md").read_text(encoding="utf-8")
    report = result.out.replace(str(QUERY), "examples/warehouse/fire.ceql")
    assert report[: report.rindex("\nexamples")] in page
    assert parte.cel.check(QUERY.read_text(encoding="utf-8")).exit_code == 0
    bad = tmp_path / "q.ceql"
    bad.write_text("SELECT * WHERE A+", encoding="utf-8")
    assert command("check", bad).code == 0
    assert command("check", bad, "--strict").code == 1
    record = json.loads(command("check", bad, "--json").out)
    assert record["findings"][0]["code"] == "exponential-results"
    bad.write_text("SELECT * WHERE A FILTER A[v < v]", encoding="utf-8")
    assert command("check", bad).code == 1
    bad.write_text("SELECT * WHERE A FILTER", encoding="utf-8")
    assert command("check", bad).code == 2
    bad.write_text("SELECT * WHERE A", encoding="utf-8")
    assert command("check", bad, "--timeout", "0.05").code == 2


@pytest.mark.parametrize(
    ("line", "completed"),
    [("parte run p.ceql --proc", ["--processes"]), ("parte run --language CEL --reading x", [])],
)
def test_shells_are_told_how_a_line_may_go_on(command: Command, line: str, completed: list[str]) -> None:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    result = command(**words, _PARTE_COMPLETE="complete_bash")
    assert (result.out.split(), result.err) == (completed, "")


def test_numbers_go_together() -> None:
    options = {"processes": "2", "index": "0", "rivals": "interval"}
    assert options_of(CEL[RUN], options, ()) == {"processes": "2", "index": "0"}
    assert options_of(CEL[RUN], {**options, "processes": "1"}, ()) == {}
