"""`parte step`, `parte.step`, and the counterexamples of `parte compare` and `parte explore` as pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parte
from parte.commands.general import names_of
from parte.conformance.partelang.strategies import cases, schedules
from parte.drawing.stepper import page
from parte.drawing.stepper.recording import Recording, record
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.semantics.events.event import TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.repairs import PUBLISHED, SOUND
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from tests.parte.examples import FRAUD, PAIR, PAIR_TRACE, Command
from tests.parte.guest import GUESTS

FRAUDS = (FRAUD / "scenarios.parte", FRAUD / "trace.jsonl", "--domain", FRAUD / "domain.json")
Case = tuple[core.Program, tuple[TraceItem, ...]]
Files = tuple[Path, Path]
Json = Any

SCRIPT = Path(page.__file__).with_name("stepper.js")


class Page(HTMLParser):
    """What a page has: the text of its script elements, its ids, and what it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.ids: list[str] = []
        self.fetched: list[str] = []
        self._script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._script = tag == "script"
        if self._script:
            self.scripts.append("")
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data")]

    def handle_endtag(self, tag: str) -> None:
        self._script = self._script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[-1] += data

    @property
    def run(self) -> Json:
        return json.loads(self.scripts[0])


# --- The page ---------------------------------------------------------------------------------------------------------


def test_a_page_is_one_file_that_asks_for_nothing(command: Command, tmp_path: Path) -> None:
    result = command("step", *FRAUDS, "-o", tmp_path / "step.html")
    assert (result.code, result.out) == (0, "")
    assert re.search(r"step\.html: 2,\d+ steps, 0\.\d MB; open it in a browser", result.err)
    text = (tmp_path / "step.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.fetched == []
    assert "default-src 'none'" in text
    assert len(page.scripts) == 2
    assert len(page.ids) == len(set(page.ids))
    assert set(re.findall(r'at\("([\w-]+)"\)', page.scripts[1])) <= set(page.ids)
    run = page.run
    assert len(run["steps"]) == run["total"]
    assert sum("match" in step for step in run["steps"]) == 11
    assert run["differences"] == []


def test_each_line_of_the_figure_that_fires_has_a_value() -> None:
    run = Page(parte.step(parte.parse(PAIR), parte.read_trace(PAIR_TRACE)).html).run
    fired = [step for step in run["steps"] if step["do"] == "proc"]
    for step in fired:
        rule = run["rules"][step["rule"]]
        assert len(step["lines"]) == len(rule["premises"]) + len(rule["conclusion"])
        for number, line, _ in step.get("asked", ()):
            assert 0 <= line < len(run["rules"][number]["premises"])
    for step in run["steps"]:
        if step["do"] == "prop":
            assert len(step["lines"]) == len(run["passing"]["premises"])
    (joined,) = (
        step
        for step in fired
        if run["rules"][step["rule"]]["id"] == "PARTE/JOIN-RIGHT" and run["tokens"][step["token"]][0] == [3]
    )
    texts = [run["texts"][line] for line in joined["lines"]]
    assert texts[:4] == ["⟨b2 live [4]⟩", "true", "true ⇒ true", "{b2}"]


def test_what_people_write_ends_no_element() -> None:
    program = parte.parse('template A { k : String } rule R where a : A { k = "</script><script>alert(1)" }, when then')
    nasty = "</script><img src=x>\u2028"
    events = [parte.Event(nasty, "A", 0, {"k": "</script><script>alert(1)"}, source="<b>&amp;")]
    page = Page(parte.step(program, events).html)
    assert len(page.scripts) == 2
    assert page.fetched == []
    assert page.run["events"][0][0] == nasty


def test_steps_beyond_the_limit_are_left_out_and_told(command: Command, tmp_path: Path) -> None:
    result = command("step", *FRAUDS, "--limit", 10, "--from", 5, "-o", tmp_path / "step.html")
    assert result.code == 0
    assert "5 to 14 are shown: --from and --limit choose others" in " ".join(result.err.split())
    text = (tmp_path / "step.html").read_text(encoding="utf-8")
    assert "steps 5 to 14 of 2," in text
    assert len(Page(text).run["steps"]) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "algebra"), "the steps of algebra cannot be drawn; give sound or published"),
        (("--model", "rudimentary"), "the steps of rudimentary cannot be drawn"),
        (("--seed", "1"), "changes nothing with the schedule round-robin"),
    ],
)
def test_what_cannot_be_shown(command: Command, options: tuple[str, ...], message: str) -> None:
    result = command("step", *FRAUDS, *options)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.replace("│", " ").split())


@pytest.mark.parametrize(
    "language",
    [language for language in languages()[1:] if "step" not in names_of(language)],
    ids=lambda language: str(language.name),
)
def test_other_languages_have_no_steps_yet(command: Command, tmp_path: Path, language: Language) -> None:
    guest, program, trace = GUESTS[language.name], tmp_path / f"p{language.ending}", tmp_path / "t.jsonl"
    program.write_text(guest.program, encoding="utf-8")
    trace.write_text(guest.trace, encoding="utf-8")
    result = command("step", program, trace)
    assert (result.code, result.out) == (2, "")
    assert f"{language.name} has no step" in result.err


# --- Where a run departs from the algebra -----------------------------------------------------------------------------


def test_a_page_opens_where_a_machine_lost_a_match(command: Command, pair: Files, tmp_path: Path) -> None:
    result = command("step", *pair, "--model", "published", "-o", tmp_path / "step.html")
    assert result.code == 0
    run = Page((tmp_path / "step.html").read_text(encoding="utf-8")).run
    (loss,) = run["differences"]
    assert (loss["kind"], run["begin"]) == ("loss", loss["place"])
    step = run["steps"][loss["place"] - 1]
    assert run["rules"][step["rule"]]["id"] == "PARTE/JOIN-RIGHT"
    assert run["nodes"][step["node"]]["name"] == "join:Pair.b"


def test_the_loss_is_shown_even_beyond_the_limit() -> None:
    whole = parte.step(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), model="published")
    cut = parte.step(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), model="published", limit=4)
    run, part = Page(whole.html).run, Page(cut.html).run
    assert cut.first > 1
    assert part["differences"][0]["place"] + cut.first == run["differences"][0]["place"] + 1
    assert [match.bindings for match in cut.missing] == [(("a", "a1"), ("b", "b2"))]


def test_compare_writes_its_counterexample(command: Command, pair: Files, tmp_path: Path) -> None:
    written = tmp_path / "step.html"
    same = command("compare", *pair, "--step", written)
    assert same.code == 0
    assert "is not written: there is no counterexample" in " ".join(same.err.split())
    assert not written.exists()
    assert command("compare", *pair, "--model", "published", "--step", written).code == 1
    assert Page(written.read_text(encoding="utf-8")).run["differences"]


def test_explore_writes_the_path_that_it_found(command: Command, pair: Files, tmp_path: Path) -> None:
    written = tmp_path / "step.html"
    result = command("explore", *pair, "--model", "published", "--step", written, "--json")
    assert result.code == 1
    (wrong,) = json.loads(result.out)["results"][:1]
    run = Page(written.read_text(encoding="utf-8")).run
    assert len(run["steps"]) == len(wrong["steps"])
    assert run["differences"]
    assert command("explore", *pair, "--model", "rudimentary", "--step", written).code == 2


def test_from_python() -> None:
    stepper = parte.step(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), schedule="random", seed=3)
    assert (stepper.first, stepper.shown, stepper.missing, stepper.spurious) == (1, stepper.steps, (), ())
    assert stepper._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(ValueError, match="takes no steps"):
        parte.step(parte.parse(PAIR), (), model="indexed")
    with pytest.raises(ValueError, match="no entry nodes to draw"):
        parte.step(parte.parse(PAIR), (), model="rudimentary")


def test_a_crash_and_its_recovery_are_steps(command: Command, pair: Files, tmp_path: Path) -> None:
    """A node that has just recovered has what it had, but for the tokens that its successors have."""
    result = command("step", *pair, "--failures", "0.2", "--checkpoint", "2", "--seed", "1", "-o", tmp_path / "s.html")
    assert result.code == 0
    run = Page((tmp_path / "s.html").read_text(encoding="utf-8")).run
    done = [step["do"] for step in run["steps"]]
    assert done.count("crash") == done.count("restore") > 0 < done.count("checkpoint")
    assert run["differences"] == []
    assert {fault["id"] for fault in run["faults"].values()} == {"PARTE/CRASH", "PARTE/RESTORE", "PARTE/CHECKPOINT"}
    lost = next(step for step in run["steps"] if step["do"] == "crash")["held"]
    assert lost["outbox"] == lost["left"] == lost["right"] == []


# --- What nodes hold follows from the steps ---------------------------------------------------------------------------


def held_after(recording: Recording, count: int) -> list[dict[str, Json]]:
    """What nodes hold after so many steps, as the page's script computes it."""
    held: list[dict[str, Json]] = json.loads(json.dumps(recording.start))
    steps: list[Json] = json.loads(json.dumps(recording.steps))
    for step in steps[:count]:
        if "held" in step:
            held[step["node"]] = step["held"]
            continue
        if step["do"] == "prop":
            held[step["node"]]["outbox"].pop(0)
        if step["do"] == "proc":
            node = held[step["node"]]
            node["inbox"][step["slot"]].pop(0)
            node["outbox"] += step["out"]
            for side in ("left", "right"):
                stored, removed = step.get(side, ([], []))
                node[side] += stored
                for entry in removed:
                    node[side].remove(entry)
            node["bounds"] = step.get("bounds", node["bounds"])
            continue
        for target, slot in step["to"]:
            held[target]["inbox"][slot].append(step["token"])
    return held


def named(held: Sequence[Mapping[str, Json]], tables: Mapping[str, Sequence[object]]) -> list[object]:
    """The same without places in tables."""
    kinds = {"outbox": "tokens", "left": "entries", "right": "entries", "bounds": "texts"}

    def of(kind: str, place: int) -> object:
        item = tables[kind][place]
        if kind == "texts":
            return item
        assert isinstance(item, list)
        events = None if item[0] is None else [tables["events"][event] for event in item[0]]
        return [events, *item[1:]]

    return [
        {
            "inbox": [[of("tokens", token) for token in queue] for queue in node["inbox"]],
            **{name: [of(kind, place) for place in node[name]] for name, kind in kinds.items()},
        }
        for node in held
    ]


def crashing() -> st.SearchStrategy[Schedule]:
    """Schedules with crashes."""
    return st.builds(Crashing, st.sampled_from((0.05, 0.2)), st.integers(0, 99), st.sampled_from((None, 2)))


@settings(max_examples=8)
@given(cases(), st.one_of(schedules(), crashing()), st.sampled_from((SOUND, PUBLISHED)), st.data())
def test_what_nodes_hold_follows_from_the_steps(
    case: Case, schedule: Schedule, model: parte.Model, data: st.DataObject
) -> None:
    """What the machine holds where a later recording begins is what follows from the steps of an earlier one."""
    scenario = Scenario.of(*case)
    model = SOUND if isinstance(schedule, Crashing) else model
    whole = record(scenario, model=model, schedule=schedule)
    place = data.draw(st.integers(0, whole.total))
    later = record(scenario, model=model, schedule=schedule, first=place + 1, limit=1)
    assert named(held_after(whole, place), whole.tables) == named(later.start, later.tables)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("schedule", [RoundRobin(), Crashing(0.1, 1, 2)], ids=lambda schedule: str(schedule.name))
def test_the_script_computes_the_same(schedule: Schedule) -> None:
    scenario = Scenario.of(parte.parse(PAIR), parte.read_trace(PAIR_TRACE))
    recording = record(scenario, schedule=schedule)
    program = (
        "const {heldAfter, stopsOf} = require(process.argv[1]); const run = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify({held: run.steps.map((_, place) => heldAfter(run, place + 1)),"
        "stops: ['step', 'event', 'match'].map(grain => stopsOf(run, grain))}))"
    )
    given_ = json.dumps({"start": recording.start, "steps": recording.steps})
    answered = subprocess.run(
        ["node", "-e", program, str(SCRIPT)], input=given_, capture_output=True, text=True, check=True, timeout=60
    )
    computed = json.loads(answered.stdout)
    assert computed["held"] == [held_after(recording, place + 1) for place in range(recording.total)]
    every, events, matches = computed["stops"]
    assert every == list(range(recording.total + 1))
    arrivals = [place for place, step in enumerate(recording.steps) if step["do"] == "arrive"]
    assert events == [*arrivals, recording.total]
    assert len(matches) == 3, "the beginning, the match and the end"
