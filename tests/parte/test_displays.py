"""What notebooks and the drawings of runs show: timelines, occupancies, tables; well-formed, and all text escaped."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte
from parte.conformance.partelang.strategies import cases
from parte.displays import DISPLAYS, MOST_ROWS, install, table
from parte.drawing.axis import TICKS
from parte.drawing.timeline import MOST_EVENTS, draw_timeline
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.match import Match
from parte.semantics.partelang.syntax import core
from tests.parte.examples import FRAUD, PAIR, Command

SVG = "{http://www.w3.org/2000/svg}"

install()


def fraud() -> tuple[parte.Program, parte.Trace, dict[str, object]]:
    program = parte.parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
    return program, parte.load_trace(FRAUD / "trace.jsonl"), dict(parte.load_domain(FRAUD / "domain.json"))


def classed(svg: str, tag: str, name: str) -> list[ElementTree.Element]:
    return [
        element for element in ElementTree.fromstring(svg).iter(SVG + tag) if name in element.get("class", "").split()
    ]


def test_a_timeline_has_every_event_match_and_window() -> None:
    program, trace, domain = fraud()
    matches = parte.run(program, trace, domain=domain)  # type: ignore[arg-type]  # a Mapping is not covariant in its values
    svg = parte.timeline(trace, matches, program).svg
    emitted = {event.id for match in matches for event in match.emits}
    assert len(classed(svg, "circle", "event")) == len(trace.events)
    assert len(classed(svg, "circle", "emitted")) == len(emitted)
    constraints = [constraint for match in matches for constraint in program.rule(match.rule).constraints]
    assert len(classed(svg, "rect", "window")) == sum(not constraint.negated for constraint in constraints)
    assert len(classed(svg, "rect", "forbidden")) == sum(constraint.negated for constraint in constraints)


@given(cases())
def test_an_event_that_is_bound_lies_within_its_window(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    program, items = case
    svg = draw_timeline(items, parte.execute(program, items, model="algebra").matches, program).svg
    root = ElementTree.fromstring(svg)
    shapes = list(root)
    for window, dot in pairwise(shapes):
        if window.get("class") == "window" and dot.get("class") == "bound" and dot.get("r") == "3.5":
            left, width = float(window.get("x", "")), float(window.get("width", ""))
            assert left - 0.1 <= float(dot.get("cx", "")) <= left + width + 0.1


def test_a_timeline_says_what_it_leaves_out() -> None:
    events = [Event(f"e{n}", "A", n, {}) for n in range(MOST_EVENTS + 7)]
    svg = draw_timeline(events).svg
    assert "7 more events are not drawn" in svg
    assert len(classed(svg, "circle", "event")) == MOST_EVENTS


def test_a_timeline_of_nothing_is_a_drawing() -> None:
    ElementTree.fromstring(draw_timeline([]).svg)


def test_the_drawing_of_a_run_says_how_full_the_stores_got() -> None:
    program = parte.parse("template A {} template B {} rule R where a: A, b: B when b in a [0 ms, 5 ms] then")
    trace = [Event("a1", "A", 0, {}), Event("a2", "A", 3, {}), Event("b1", "B", 4, {})]
    svg = parte.draw(program, trace).svg
    (node,) = (
        element for element in ElementTree.fromstring(svg).iter(SVG + "g") if element.get("class") == "node join"
    )
    said = "\n".join(part for part in node.itertext())
    assert "held left 2 right 1 inbox 1" in said
    assert "held" not in parte.draw(program).svg


def test_a_model_without_such_a_network_is_refused() -> None:
    program = parte.parse(PAIR)
    with pytest.raises(ValueError, match="rudimentary"):
        parte.draw(program, [], model="rudimentary")


def test_every_value_shows_itself() -> None:
    program, trace, domain = fraud()
    outcome = parte.execute(program, trace, domain=domain)  # type: ignore[arg-type]  # as above
    for value, name in (
        (program, "_repr_html_"),
        (parte.network_of(program), "_repr_html_"),
        (trace, "_repr_svg_"),
        (outcome, "_repr_html_"),
        (outcome.matches[0], "_repr_html_"),
        (parte.draw(program), "_repr_svg_"),
        (parte.timeline(trace), "_repr_svg_"),
    ):
        markup = getattr(value, name)()
        root = ElementTree.fromstring(f"<div>{markup}</div>" if name == "_repr_html_" else markup)
        assert "".join(root.itertext()).strip()


def test_the_classes_have_what_is_listed() -> None:
    for cls, name, function in DISPLAYS:
        assert getattr(cls, name) is function


def test_what_is_shown_is_text() -> None:
    markup = table(("<b>",), [("<script>",)] * (MOST_ROWS + 1))
    root = ElementTree.fromstring(markup)
    assert not list(root.iter("script"))
    assert "1 more are not shown" in markup


def test_the_commands_draw(command: Command, tmp_path: Path) -> None:
    files = [str(FRAUD / name) for name in ("scenarios.parte", "trace.jsonl")]
    domain = ["--domain", str(FRAUD / "domain.json")]
    drawn = tmp_path / "drawn.svg"
    result = command("timeline", *files, *domain, "-o", str(drawn))
    assert (result.code, result.out) == (0, "")
    assert len(classed(drawn.read_text(encoding="utf-8"), "circle", "event")) == 22
    result = command("graph", files[0], "--trace", files[1], *domain)
    assert result.code == 0
    assert "held" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graph", "P", "-o", "x.png"], "expected svg or dot, found 'png'"),
        (["graph", "P", "--format", "dot", "--trace", "T"], "only the drawing as SVG"),
        (["graph", "P", "--domain", "D"], "only with --trace"),
        (["graph", "P", "--disorder", "1 ms"], "only with --trace"),
        (["timeline", "P", "T", "-o", "x.png"], "a timeline is SVG"),
    ],
)
def test_what_cannot_be_drawn_is_refused(command: Command, arguments: list[str], message: str) -> None:
    result = command(*arguments)
    assert result.code == 2
    assert message in " ".join(result.err.split())


def test_the_events_of_shown_matches_are_drawn_however_late_they_come() -> None:
    events = [Event(f"e{n}", "A", n, {}) for n in range(2 * MOST_EVENTS)]
    last = events[-1].id
    svg = draw_timeline(events, [Match("R", (("a", last),))]).svg
    assert f"{MOST_EVENTS:,} more events are not drawn" in svg
    assert len(classed(svg, "circle", "event")) == MOST_EVENTS
    assert f"<title>a = {last}</title>" in svg


@given(st.integers(-(2**62), 2**62), st.integers(1, 2**62))
def test_ticks_are_round_times(first: int, span: int) -> None:
    svg = draw_timeline([Event("a", "A", first, {}), Event("b", "A", first + span, {})]).svg
    ticks = [float(str(tick.get("x1"))) for tick in classed(svg, "line", "tick")]
    assert ticks == sorted(ticks)
    assert 1 <= len(ticks) <= TICKS + 1
    apart = {round(right - left) for left, right in pairwise(ticks)}
    assert max(apart, default=0) - min(apart, default=0) <= 1


def test_ticks_of_an_hour_are_minutes() -> None:
    noon = 1_714_564_800_000
    svg = draw_timeline([Event(str(n), "A", noon + n * 59_000, {}) for n in range(61)]).svg
    assert re.findall(r">(\d\d:\d\d:\d\d)<", svg)[:3] == ["12:00:00", "12:10:00", "12:20:00"]


DAY = 86_400_000
MORNING = 1_777_874_400_000
"""2026-05-04T06:00:00Z."""


@pytest.mark.parametrize(
    ("times", "labels"),
    [
        ((MORNING, MORNING + 4 * 3_600_000), ["06:00:00", "07:00:00"]),
        ((MORNING + DAY // 2, MORNING + DAY), ["2026-05-04 18:00", "2026-05-04 21:00"]),
        ((MORNING, MORNING + 30 * 3_600_000), ["2026-05-04 06:00", "2026-05-04 12:00"]),
        ((MORNING, MORNING + 3 * DAY), ["2026-05-04 12:00", "2026-05-05", "2026-05-05 12:00"]),
        ((MORNING, MORNING + 14 * DAY), ["2026-05-07", "2026-05-12"]),
        (
            (MORNING - 6 * 3_600_000 - 30_000, MORNING - 6 * 3_600_000 + 90_000),
            ["2026-05-03 23:59:30", "2026-05-04 00:00"],
        ),
        ((0, 600_000), ["0 ms", "2 minutes"]),
    ],
)
def test_ticks_tell_days_from_each_other_and_are_written_as_programs_are(
    times: tuple[int, int], labels: list[str]
) -> None:
    texts = [text for _, text in axis(*times)]
    assert texts[: len(labels)] == labels
    assert len(set(texts)) == len(texts)


def test_where_the_pointer_rests_on_an_event_its_time_is_told_in_full() -> None:
    svg = parte.timeline([parte.Event("a", "A", MORNING + 250, {}), parte.Event("b", "A", MORNING + 9 * DAY, {})]).svg
    assert "<title>a at 2026-05-04 06:00:00.250" in svg
    assert "<title>b at 2026-05-13 06:00:00\n" in svg


def names(*times: int, width: int = 3) -> list[str]:
    svg = parte.timeline([parte.Event(f"{place:0{width}}", "A", time, {}) for place, time in enumerate(times)]).svg
    return [label.text or "" for label in classed(svg, "text", "id")]


@pytest.mark.parametrize(
    ("times", "width", "expected"),
    [
        ((0, 500, 1000), 3, ["000", "001", "002"]),
        ((0, 500, 501, 1000), 3, ["000", "001", "002", "003"]),  # one to the left, one to the right
        ((0, 500, 501, 502, 1000), 3, ["000", "001", "003", "004"]),  # none in between
        ((0, 500, 1000), 40, ["0" * 29 + "…"] * 2),
        ((0, 200, 400, 600, 800, 1000), 40, []),
    ],
)
def test_ids_stand_where_there_is_room(times: tuple[int, ...], width: int, expected: list[str]) -> None:
    assert names(*times, width=width) == expected


@pytest.mark.parametrize(
    ("events", "matches", "title"),
    [(1, 1, "1 event and 1 match"), (2, 0, "2 events and 0 matches"), (3, 2, "3 events and 2 matches")],
)
def test_the_title_counts(events: int, matches: int, title: str) -> None:
    trace = [Event(f"e{n}", "A", n, {}) for n in range(events)]
    assert f"<title>Timeline of {title}</title>" in draw_timeline(trace, [Match("R", (("a", "e0"),))] * matches).svg


def test_a_timeline_of_one_moment_has_each_tick_once() -> None:
    event = parte.Event("e", "A", 7, {}, "s")
    ticks = classed(parte.timeline((event,)).svg, "line", "tick")
    assert len(ticks) == len({tick.get("x1") for tick in ticks}) == 2


def axis(*times: int) -> list[tuple[float, str]]:
    """Where the labels of the axis of a trace lie, and what they say."""
    svg = parte.timeline([parte.Event(f"e{time}", "A", time, {}, "s") for time in times]).svg
    return [(float(label.get("x") or 0), label.text or "") for label in classed(svg, "text", "axis")]


@pytest.mark.parametrize(
    "times", [(-(2**63), 2**63 - 1), (2**63 - 9, 2**63 - 1), (0, 2**40), (0, 7), (10**12, 10**12 + 3)]
)
def test_the_labels_of_the_axis_neither_touch_nor_leave_the_drawing(times: tuple[int, int]) -> None:
    labels = axis(*times)
    assert len(labels) >= 2
    half = {text: len(text) * 6.6 / 2 for _, text in labels}
    for (left, label), (right, following) in pairwise(labels):
        assert left + half[label] < right - half[following]
    assert labels[-1][0] + half[labels[-1][1]] <= 1080
    assert len(half) == len(labels)


def test_the_times_of_a_short_trace_have_milliseconds() -> None:
    assert [text for _, text in axis(1_514_793_600_000, 1_514_793_600_002)] == [
        "08:00:00.000",
        "08:00:00.001",
        "08:00:00.002",
    ]


def test_the_styles_of_a_drawing_act_on_nothing_else() -> None:
    program = parte.parse(PAIR)
    for svg in (parte.draw(program).svg, parte.timeline([]).svg):
        root = ElementTree.fromstring(svg)
        (style,) = root.iter(SVG + "style")
        rules = (style.text or "").splitlines()
        assert len(rules) > 10
        assert all(rule.startswith(f".{root.get('class')} ") for rule in rules)


def test_what_is_emitted_is_shown_as_traces_have_it() -> None:
    program, trace, domain = fraud()
    markup = parte.execute(program, trace, domain=domain)._repr_html_()  # type: ignore[arg-type,attr-defined]  # as above; given by install
    assert "outgoing_transactions = [200, 6, 9]" in markup
    assert "mule_account = &quot;HHH-HHH-HHH&quot;" in markup
