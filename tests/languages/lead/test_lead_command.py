"""LEAD on the command line and from Python, as docs/lead.md shows it."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from xml.etree import ElementTree

import parte
from parte.languages.lead.drawing.petri import NAMESPACE
from parte.languages.lead.semantics.machine import Machine
from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "clinic"
RULE, TRACE = FOLDER / "missed.lead", FOLDER / "trace.jsonl"
EXPECTED = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")


def test_the_example_is_what_the_page_shows(command: Command) -> None:
    page = (ROOT / "docs" / "lead.md").read_text(encoding="utf-8")
    assert f"```lead\n{RULE.read_text(encoding='utf-8')}```" in page
    for model in ("sound", "definition"):
        result = command("run", RULE, TRACE, "--model", model)
        assert (result.code, result.out) == (0, EXPECTED)
    assert f"trace.jsonl\n{EXPECTED}```" in page
    assert command("compare", RULE, TRACE).code == 0
    assert command("fmt", "--check", RULE).code == 0


def test_late_events_are_told(command: Command, tmp_path: Path) -> None:
    rule, trace = tmp_path / "r.lead", tmp_path / "t.jsonl"
    rule.write_text("FROM A, B MATCH A -> B\n", encoding="utf-8")
    trace.write_text('{"template": "B", "timestamp": 5}\n{"template": "A", "timestamp": 4}\n', encoding="utf-8")
    rejected = command("run", rule, trace)
    assert rejected.code == 2
    assert "late-event" in rejected.err
    result = command("run", rule, trace, "--disorder", "1 ms")
    assert (result.code, '"rule":"r"' in result.out) == (0, True)
    assert command("run", rule, trace, "--disorder", "-1 ms").code == 2


def test_the_net_is_drawn(command: Command) -> None:
    drawn = command("graph", RULE, "--format", "dot").out
    assert drawn.startswith("digraph lead {")
    root = ElementTree.fromstring(command("graph", RULE, "--format", "pnml").out.partition("\n")[2])
    nodes = {element.get("id") for element in root.iter() if element.tag.endswith(("}place", "}transition"))}
    arcs = list(root.iter(f"{{{NAMESPACE}}}arc"))
    assert arcs
    assert all({arc.get("source"), arc.get("target")} <= nodes for arc in arcs)


def test_the_net_is_drawn_as_svg(command: Command, tmp_path: Path) -> None:
    drawing = tmp_path / "net.svg"
    assert command("graph", RULE, "--output", drawing).code == 0
    root = ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    net = Machine(parte.lead.parse(RULE.read_text(encoding="utf-8"))).net
    shapes = [element.get("class") or "" for element in root.iter()]
    assert sum(shape.startswith("place") for shape in shapes) == len(net.places)
    assert sum(shape.startswith("transition") for shape in shapes) == len(net.transitions)
    assert shapes.count("garbage") == len(net.present) + len(net.consumers) == 4
    assert command("graph", RULE, "--format", "png").code == 2


def test_readings(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "r.lead", tmp_path / "t.jsonl"
    program.write_text("FROM A, B MATCH wait(A, 3 ms)", encoding="utf-8")
    trace.write_text('{"id":"b","template":"B","timestamp":0}\n{"id":"a","template":"A","timestamp":4}\n')
    conjunction = ("--reading", "wait=conjunction")
    assert command("run", program, trace).out == ""
    outputs = [command("run", program, trace, "--model", model, *conjunction).out for model in ("sound", "definition")]
    assert outputs[0] == outputs[1] == '{"rule":"r","bindings":{"A":"a"},"end":4,"emits":[]}\n'
    assert command("compare", program, trace, *conjunction).out == "sound agrees with definition (1 match)\n"
    program.write_text("FROM A, B MATCH adj(A and B)", encoding="utf-8")
    for arguments, message in (
        (("--reading", "wait"), "expected NAME=VALUE"),
        (("--reading", "wait=long"), 'wait: expected delay, conjunction, found "long"'),
        (("--model", "published", *conjunction), "the nets of L have one reading"),
        (("--reading", "adjacent=least"), "1:21: no net finds `adj` of a conjunction under adjacent=least"),
    ):
        result = command("run", program, trace, *arguments)
        assert (result.code, message in " ".join(result.err.split())) == (2, True)


def test_it_runs_from_python() -> None:
    rule = parte.lead.parse(RULE.read_text(encoding="utf-8"))
    trace = parte.load_trace(str(TRACE))
    matches = parte.lead.run(rule, trace)
    assert matches == parte.lead.define(rule, trace)
    assert parte.lead.match_to_json("missed", matches[0])["end"] == 1709290800000


_ALARM = """FROM A, B
DEFINE TimeEvent t(0, 5)
MATCH collect(B) terminate (!t) AS x
PARTITION BY A.c
EMIT Event Alarm()
"""


def test_the_partition_of_a_result_is_printed(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "alarm.lead", tmp_path / "trace.jsonl"
    program.write_text(_ALARM, encoding="utf-8")
    events = ({"id": f"a{c}", "template": "A", "timestamp": 1, "attributes": {"c": c}} for c in range(2))
    trace.write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")
    for model in ("sound", "definition"):
        result = command("run", program, trace, "--model", model)
        assert [json.loads(line)["partition"] for line in result.out.splitlines()] == [[0], [1]]
    assert command("compare", program, trace).code == 0
    assert command("explore", program, trace).code == 0
    rule, items = parte.lead.parse(_ALARM), parte.load_trace(str(trace))
    assert [match.partition for match in parte.lead.run(rule, items)] == [(0,), (1,)]
    assert parte.lead.run(rule, items) == parte.lead.define(rule, items)


def test_all_firings_are_explored(command: Command) -> None:
    result = command("explore", RULE, TRACE)
    assert (result.code, "sound finds what the definition does, in each" in result.out) == (0, True)
    result = command("explore", RULE, TRACE, "--model", "published")
    assert (result.code, "LEAD/SEQ" in result.out, "missing: " in result.out) == (1, True, True)
    few = command("explore", RULE, TRACE, "--max-states", "2")
    assert few.code == 4
    assert few.out.startswith("NOT ALL VISITED: what the net finds in every order is not known\n")
    assert "sound finds what the definition does, in each of these that ended" in few.out
    assert command("explore", RULE, TRACE, "--model", "definition").code == 2


def test_the_time_of_an_exploration_is_that_of_all_partitions(command: Command, tmp_path: Path) -> None:
    rule, trace = tmp_path / "r.lead", tmp_path / "t.jsonl"
    rule.write_text(
        "FROM A, B MATCH all(A and B) PARTITION BY A.k, B.k EMIT Event Alarm()\n",
        encoding="utf-8",
    )
    lines = (
        f'{{"template": "{name}", "timestamp": 0, "attributes": {{"k": {k}}}}}\n'
        for k in range(40)
        for name in "ABABABAB"
    )
    trace.write_text("".join(lines), encoding="utf-8")
    begun = process_time()
    cut = command("explore", rule, trace, "--time", "0.5")
    assert cut.code == 4
    assert cut.out.startswith("NOT ALL VISITED")
    assert "the limit of 0.5 s was reached: what was not found may still exist" in cut.err
    assert process_time() - begun < 5


def test_matches_are_drawn_in_time(command: Command, tmp_path: Path) -> None:
    output = tmp_path / "timeline.svg"
    assert command("timeline", RULE, TRACE, "--output", output).code == 0
    drawn = ElementTree.fromstring(output.read_text(encoding="utf-8"))
    classes = [element.get("class") for element in drawn.iter()]
    assert (classes.count("interval"), classes.count("event"), classes.count("emitted")) == (3, 8, 3)
    assert command("timeline", RULE, TRACE, "--output", tmp_path / "timeline.dot").code == 2


def test_the_demo_shows_what_is_found(command: Command) -> None:
    result = command("demo", "LEAD")
    assert result.code == 0
    assert "Both agree: 3 matches" in result.out
    assert "Alarm(ada, 1)" in result.out
    assert "with d3 (14:00): the match that ends 11:00" in result.out
