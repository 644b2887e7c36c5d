"""EQL on the command line: reasons, schedules, steps and drawings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.drawing.timeline import MOST_MATCHES
from parte.languages.eql import api
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.conformance.exploring import Exploration, Explored
from parte.languages.eql.conformance.generation import GENERATION
from parte.languages.eql.drawing.steps import draw_steps
from parte.languages.eql.drawing.timeline import draw_results
from parte.languages.eql.semantics import machine, sequences
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import Readings, readings_of
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.languages.eql.semantics.text import match_lines
from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import trace_lines
from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "workstations"
MACRO, TRACE = FOLDER / "macro.eql", FOLDER / "trace.jsonl"
MISSING = """sequence by k with maxspan=5ms
  ![m where true]
  [a where true] with runs=2
  ![m where true]
  [b where v > 3]
  ![m where true]
until [u where true]
"""


def events(text: str) -> list[Event]:
    """Return events from their template, timestamp and key: `a0x b1x`."""
    return [
        Event(f"{part[0]}{number}", part[0], int(part[1:-1]), {"k": part[-1], "v": 4})
        for number, part in enumerate(text.split())
    ]


def written(folder: Path, query: str, items: list[Event]) -> tuple[Path, Path]:
    program, trace = folder / "q.eql", folder / "t.jsonl"
    program.write_text(query, encoding="utf-8")
    trace.write_text("".join(f"{line}\n" for line in trace_lines(items)), encoding="utf-8")
    return program, trace


def classes(svg: str) -> list[str | None]:
    return [element.get("class") for element in ElementTree.fromstring(svg).iter()]


# --- Reasons ----------------------------------------------------------------------------------------------------------


def test_reasons_of_results_and_of_chains_that_are_none(command: Command) -> None:
    several = command("why", MACRO, TRACE)
    assert several.code == 0
    assert several.out.startswith("2 results, 3 chains that are none\nh1, ada: p2, n2: result\n")
    for ids, line in (
        ("p3,n3", r"NO   EQL/MISSING    no missing event \(4:3\) between p3, n3 +f1 1 minute after p3"),
        ("p4,n4", r"NO   EQL/UNTIL      no until \(6:1\) between p4, n4 +p5 1 minute after p4"),
        ("p7,n6", r"NO   EQL/SPAN       n6 at most 5 minutes after p7 +5 minutes 1 second, 1 second too long"),
        ("p2,n3", r'NO   EQL/KEY        n3 is in the key of p2 +host.id is "h2", user.name is "bob"'),
        (
            "p1,n2",
            r"NO   EQL/THREE      p1 fits stage 1 \(3:3\) +process.parent.name : .* is false: process.parent.name is",
        ),
    ):
        single = command("why", MACRO, TRACE, "--events", ids)
        assert (single.code, len(re.findall(r"^  NO ", single.out, re.MULTILINE))) == (1, 1)
        assert re.search(line, single.out), single.out
    assert command("why", MACRO, TRACE, "--key", "h1,cyd").out.count("result\n") == 1
    assert command("why", MACRO, TRACE, "--nearest", 1).out.count("--nearest N shows more") == 2


def test_the_page_shows_what_is_said(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "eql.md").read_text(encoding="utf-8")
    (words, output) = re.findall(r"\$ parte (why .*)\n([^`]*)```", page)[0]
    assert command(*words.split()).out == output


def test_reasons_as_json(command: Command) -> None:
    record = json.loads(command("why", MACRO, TRACE, "--json").out)
    assert [chain["result"] for chain in record] == [True, True, False, False, False]
    assert [reason["without"] for reason in record[3]["reasons"] if not reason["holds"]] == [["p5"]]


def test_what_there_is_not(command: Command) -> None:
    for options, words in (
        (("--events", "p"), "the trace has no event 'p'"),
        (("--events", "p1,p2,p3"), "3 events are named, but a result has 2"),
        (("--reading", "until=never"), "until: expected between, before, inclusive"),
    ):
        refused = command("why", MACRO, TRACE, *options)
        assert (refused.code, words in " ".join(refused.err.split())) == (2, True), refused.err


# --- Schedules --------------------------------------------------------------------------------------------------------


def explored(query: str, items: list[Event], disorder: int = 0) -> Explored:
    exploration = Exploration(parse(query), items, Readings(), "", disorder)
    for progress in exploration.run(100_000, 60.0):
        assert progress.ended in ("", "all")
    return exploration.explored


def orders(items: list[Event], disorder: int) -> Iterator[tuple[Event, ...]]:
    """Yield the orders of events that a stream takes."""
    for order in permutations(items):
        stream = Stream(Readings(), "", disorder)
        try:
            for event in order:
                stream.add(event)
        except TraceError:
            continue
        yield order


@pytest.mark.parametrize("disorder", [0, 1, 9])
@pytest.mark.parametrize("text", ["a0x a1x b2x a2y b2x", "m0x a1x a1x b2x m3y", "a0x b1x u1x a1x b3x"])
def test_an_exploration_finds_the_results_of_every_order(text: str, disorder: int) -> None:
    query = "sequence by k with maxspan=5ms [a where true] [b where true] ![m where true] until [u where true]"
    expected = {
        tuple(match_lines(evaluate(parse(query), ordered(order, Stream(Readings(), "", disorder)), Readings())))
        for order in orders(events(text), disorder)
    }
    result = explored(query, events(text), disorder)
    assert not result.wrong
    assert expected <= {reported for reported, _ in result.outcomes}
    assert result.most["held back"] == len(text.split())  # no promise before all have come


def test_a_machine_that_is_wrong_in_one_order_is_detected(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = written(tmp_path, "sequence by k with maxspan=5ms [a where true] [b where true]", events("a0x a1x b2x"))
    right = command("explore", *files, "--disorder", "1 ms")
    assert (right.code, "sound finds what the definition does, under each\n" in right.out) == (0, True)
    monkeypatch.setattr(machine, "is_released", lambda place, bound, _: place[0] <= bound + 1)
    wrong = command("explore", *files, "--disorder", "1 ms")
    assert wrong.code == 1
    assert "when these arrive in this order:\n  " in wrong.out
    assert 'missing: {"keys":["x"],"events":["a1","b2"]}' in wrong.out


def test_an_open_order_and_a_limit_are_reported(command: Command, tmp_path: Path) -> None:
    files = written(tmp_path, "sequence by k with maxspan=5ms [a where true] [b where true]", events("a0x b0x a1x b1x"))
    several = command("explore", *files)
    assert (several.code, "different lists of results" in several.out) == (0, True)
    few = command("explore", *files, "--max-states", 2)
    assert (few.code, few.out.startswith("NOT ALL VISITED")) == (4, True)
    once = command("explore", *files, "--reading", "order=arrival")
    assert "different" not in once.out


# --- Drawings ---------------------------------------------------------------------------------------------------------


def test_a_run_is_written_step_by_step(command: Command, tmp_path: Path) -> None:
    page = tmp_path / "step.html"
    assert command("step", MACRO, TRACE, "-o", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert text.count('<section class="step') == len(TRACE.read_text(encoding="utf-8").splitlines()) + 1
    assert set(re.findall(r"https?://[^ \"]*", text)) == {"http://www.w3.org/2000/svg"}
    killed = text[text.index('data-title="9. ') : text.index('data-title="10. ')]
    assert "EQL/KILL" in killed
    assert '<s class="item">p4</s>' in killed
    some = command("step", MACRO, TRACE, "--from", 9, "--limit", 1)
    assert some.out.count('<section class="step') == 1
    assert '<s class="item">p4</s>' in some.out
    assert "of 21 steps 9 to 9 are shown" in some.err


def test_a_step_has_the_rules_that_the_machine_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    query, items = parse(MISSING), events("m0x a1x a2x m2x a3x b4x u5x a6x b7y m9x a12x")

    def drawn() -> str:
        return draw_steps(query, items, Stream(Readings(), spanned=True), title="t")[0]

    expected = {"EQL/GAP", "EQL/OVERWRITE", "EQL/TAKE", "EQL/BEFORE", "EQL/KILL"}
    assert expected <= set(re.findall(r"EQL/[A-Z-]+", drawn()))
    with monkeypatch.context() as patch:
        patch.setattr(sequences, "overwrite", lambda state, slot, chain: state.slots.__setitem__(slot, chain))
        assert "EQL/OVERWRITE" not in drawn()


def test_a_page_and_a_timeline_have_the_results_of_the_machine() -> None:
    count = 0
    for seed in range(60):
        case = GENERATION.drawn(seeded(seed))
        readings = readings_of(case.options)
        expected = match_lines(api.run(case.program, case.items, readings))
        page, steps = draw_steps(case.program, case.items, Stream(readings), title="t")
        assert sorted(map(unescape, re.findall(r'class="match">result: (.*?)</p>', page))) == expected
        assert steps == page.count('<section class="step') == len(case.items) + 1
        drawn = draw_results(case.program, ordered(case.items, Stream(readings)), readings).svg
        if len(expected) < MOST_MATCHES:
            assert drawn.count('class="head"') - drawn.count(">no result (") // 2 == len(expected)
        count += len(expected)
    assert count > 10


def test_results_are_drawn_in_time(command: Command, tmp_path: Path) -> None:
    drawn = command("timeline", MACRO, TRACE).out
    names = classes(drawn)
    assert [names.count(name) for name in ("interval", "window", "forbidden", "element")] == [5, 5, 10, 2]
    assert [names.count(name) for name in ("until", "missing")] == [1, 1]
    for lane in ("h1, ada", "h3, eve", "in no stage", "no result (EQL/UNTIL): h3, eve: p4, n4"):
        assert f">{lane}<" in drawn
    assert command("timeline", MACRO, TRACE, "-o", tmp_path / "x.dot").code == 2


def test_every_kind_of_query_is_drawn(command: Command, tmp_path: Path) -> None:
    items = events("a0x b1x m1y a2x")
    for query in (
        MISSING,
        "a where v > 3",
        "sample by k [a where true] [b where true]",
        "sequence [a where true] [b where true]",
    ):
        files = written(tmp_path, query, items)
        for name in ("timeline", "step", "why", "explore"):
            assert command(name, *files).code in (0, 1), (name, query)
        assert ElementTree.fromstring(command("graph", files[0]).out).tag.endswith("svg")
        assert command("graph", files[0], "--format", "dot").out.startswith("digraph eql {")


def test_the_states_have_the_stages_missing_events_and_until(command: Command, tmp_path: Path) -> None:
    program, _ = written(tmp_path, MISSING, [])
    dot = command("graph", program, "--format", "dot").out
    assert 'q0 -> q0 [label="![m where true]", style=dashed' in dot
    assert 'q1 -> q2 [label="[a where true]"]' in dot
    assert 'q2 -> q3 [label="[b where v > 3], at most 5ms after the first event"]' in dot
    assert 'q3 -> q4 [label="5ms after the first event are over"]' in dot
    assert re.findall(r"q(\d) -> q0 \[label=\"until", dot) == ["1", "2"]
    names = classes(command("graph", program).out)
    assert (names.count("state"), names.count("result"), names.count("edge absent")) == (4, 1, 5)


def test_the_drawing_of_the_page_is_what_is_drawn(command: Command, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "eql-tutorial.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", page, re.DOTALL))
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    drawn = command("timeline", tmp_path / "unreset.eql", tmp_path / "log.jsonl").out
    assert drawn == (ROOT / "docs" / "eql-timeline.svg").read_text(encoding="utf-8")
