"""Reports: every format of one run, whatever the engine said; lists of known failures."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from parte.conformance.reports import FORMATS
from parte.conformance.reports.text import show
from parte.conformance.results import (
    Asked,
    CaseVerdict,
    Cause,
    EngineInfo,
    Report,
    ReportError,
    Result,
    read_report,
    report_lines,
    some_matches,
)
from parte.conformance.runner.known import KnownFailuresError, apply_known, known_lines, read_known
from tests.conformance.schemas import schema_validator

NASTY = "\x1b[2J\x00 <script>alert(1)</script> & ]]> \u202e \ufffe \U0001f642 # \\ \n second line"
MATCH = {"rule": "R", "bindings": {"a": "a1"}, "emits": []}


def result(case: str, verdict: CaseVerdict, engine: str = "one", **more: object) -> Result:
    plain = Result(engine, case, "core", f"About {case}", verdict, 0.5)
    return replace(plain, **more)  # type: ignore[arg-type] # the fields of a Result


RESULTS = (
    result("x/pass", CaseVerdict.PASS),
    result(
        "x/fail", CaseVerdict.FAIL, missing=(MATCH,), spurious=(MATCH,), missing_count=1, spurious_count=30, rerun="run"
    ),
    result("x/error", CaseVerdict.ERROR, message=NASTY, stderr=NASTY),
    result("x/timeout", CaseVerdict.TIMEOUT, message="no reply within 1 s", known=True),
    result("x/skip", CaseVerdict.UNSUPPORTED, message=f"cannot: {NASTY}"),
    result("y/other", CaseVerdict.FAIL, description=NASTY, profile="negation"),
)
ENGINES = (EngineInfo("one", "cmd <1>", NASTY, "1", ("incremental",)),)
ASKED = (Asked("x/fail", ("windows-closed",), ("D",), (NASTY, "rule R"), ("{}",), (NASTY,), (MATCH,), 40),)
CAUSES = (
    Cause("one", f"it behaves like {NASTY}", ("x/fail",), "sound/x", ("windows-closed",)),
    Cause("one", "error", ("x/error", "y/other")),
)
REPORT = Report("1.0", "abc", "2024-01-01T00:00:00+00:00", ENGINES, RESULTS, asked=ASKED, causes=CAUSES)
SEVERAL = replace(
    REPORT,
    engines=(*ENGINES, EngineInfo("two", "cmd")),
    results=(*RESULTS, *(replace(r, engine="two", verdict=CaseVerdict.PASS, known=False) for r in RESULTS)),
)


@pytest.mark.parametrize("report", [REPORT, SEVERAL, replace(REPORT, results=()), replace(REPORT, complete=False)])
def test_a_report_is_written_and_read(report: Report) -> None:
    lines = list(report_lines(report))
    validator = schema_validator("report")
    for line in lines:
        validator.validate(json.loads(line))
        line.encode("utf-8")
    assert read_report(lines) == report
    assert not read_report([*lines[:1], *lines[2:]]).complete or not report.complete or not report.results


def test_what_is_no_report() -> None:
    for lines in ([], ["{"], ["[]"], ['{"format": "parte-report", "version": 2}'], ['{"kind": "result"}']):
        with pytest.raises(ReportError):
            read_report(lines)
    with pytest.raises(ReportError, match="version 3, which is newer than this parte: it reads versions 1 and 2"):
        read_report(['{"format": "parte-report", "version": 3, "news": []}'])
    head, first, *_ = report_lines(REPORT)
    with pytest.raises(ReportError):
        read_report([head, first.replace('"pass"', '"splendid"')])
    with pytest.raises(ReportError, match="line 2 is not JSON"):
        read_report([head, first[:40], first])
    assert (
        "\ud800"
        in read_report([head, first.replace('"description": "', '"description": "\\ud800')]).results[0].description
    )
    for wrong in ("[" * 100_000, '{"line": "result", "line": "end"}', first.replace('"seconds": ', '"seconds": 1e999')):
        with pytest.raises(ReportError, match="line 2"):
            read_report([head, wrong, first])


def test_a_report_that_was_cut_off_is_incomplete() -> None:
    head, first, second, *_ = report_lines(REPORT)
    cut = read_report([head, first, second[:40], ""])
    assert cut.results == REPORT.results[:1]
    assert not cut.complete
    assert "INCOMPLETE" in FORMATS["table"](cut)


def test_of_each_cause_a_case_is_shown() -> None:
    cases = ["a/1", "a/2", "a/3", "b/1", "c/1", "c/2"]
    failed = replace(REPORT, results=tuple(result(case, CaseVerdict.FAIL) for case in cases), causes=())
    causes = tuple(Cause("one", f"as {area}", tuple(c for c in cases if c.startswith(area))) for area in "abc")
    for report, listed, more in (
        (replace(failed, causes=causes), ["a/1", "b/1"], "and 1 more causes"),
        (failed, ["a/1", "a/2"], "and 4 more failures"),
    ):
        console = Console(file=io.StringIO(), width=120)
        with console.capture() as captured:
            show(console, report, most=2)
        assert re.findall(r"fail (\S+):", captured.get()) == listed
        assert more in captured.get()
    assert re.findall(r"fail (\S+):", FORMATS["table"](replace(failed, causes=causes))) == cases


def test_a_report_of_version_1_is_read() -> None:
    lines = list(report_lines(replace(REPORT, asked=(), causes=())))
    read = read_report([lines[0].replace('"version": 2', '"version": 1'), *lines[1:]])
    assert read == replace(REPORT, asked=(), causes=())


@pytest.mark.parametrize("report", [REPORT, SEVERAL, replace(REPORT, results=(), engines=())])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_every_report(form: str, report: Report) -> None:
    written = FORMATS[form](report)
    written.encode("utf-8")
    assert "\x1b" not in written
    assert "\x00" not in written
    assert "<script>alert" not in written or form in ("table", "tap")


def test_the_table() -> None:
    text = FORMATS["table"](REPORT)
    for part in ("missing: {", "spurious: and 29 more", "rerun: run", "unsupported (1)", "1 known failures"):
        assert part in text
    assert "x/timeout" not in text
    assert "where they differ" in FORMATS["table"](SEVERAL)


def test_junit_counts_and_stays_well_formed() -> None:
    root = ElementTree.fromstring(FORMATS["junit"](REPORT))
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("6", "2", "1", "2")
    assert [suite.get("name") for suite in root] == ["one.core", "one.negation"]


def test_tap_has_a_line_for_each_result() -> None:
    lines = FORMATS["tap"](REPORT).splitlines()
    points = [line for line in lines if line.startswith(("ok ", "not ok "))]
    assert lines[:2] == ["TAP version 14", "1..6"]
    assert len(points) == 6
    assert points[3].startswith("not ok 4 - one: x/timeout # TODO")
    assert points[4].startswith("ok 5 - one: x/skip # SKIP")
    assert "Bail out!" in FORMATS["tap"](replace(REPORT, complete=False))


def test_the_page_is_balanced_and_needs_nothing_else() -> None:
    opened: list[str] = []
    links: list[str] = []
    ids: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            attributes = dict(attrs)
            assert not {"src", "action", "onload"} & attributes.keys()
            links.extend(filter(None, [attributes.get("href")]))
            ids.extend(filter(None, [attributes.get("id")]))
            if tag not in ("meta", "br", "input"):
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    for report in (REPORT, SEVERAL):
        text = FORMATS["html"](report)
        Balance().feed(text)
        assert not opened
        assert text.count("<script>") == 1
        assert "default-src 'none'" in text
    assert {link.removeprefix("#") for link in links} <= set(ids), "links lead to parts of the page"


def test_the_page_shows_what_was_asked_expected_and_got() -> None:
    text = FORMATS["html"](REPORT)
    for part in (
        '<span class="count">1</span> it behaves like',
        "Clauses of the specification: <code>windows-closed</code>",
        "<h4>Program</h4>",
        "rule R</pre>",
        "<h4>Trace</h4>",
        '<li class="missing"><b>missing</b> {&quot;rule&quot;:&quot;R&quot;',
        "<li><b>and 29 more</b></li>",
        "Again: <code>run</code>",
        "known failures</h3>",
    ):
        assert part in text
    rejected = replace(ASKED[0], case="x/error", rejected="unknown-type at 6:29")
    assert "a rejection: unknown-type at 6:29" in FORMATS["html"](replace(REPORT, asked=(rejected,)))
    # Of an older report, without what the cases ask, the answers are shown all the same.
    assert '<li class="spurious">' in FORMATS["html"](replace(REPORT, asked=(), causes=()))


def test_the_badge_tells_good_from_bad() -> None:
    good = replace(REPORT, results=RESULTS[:1])
    assert "1/1 pass" in FORMATS["badge"](good)
    assert "incomplete" in FORMATS["badge"](replace(REPORT, complete=False))
    colours = {FORMATS["badge"](r).split('fill="#')[3][:6] for r in (good, REPORT, replace(REPORT, results=()))}
    assert len(colours) == 3
    ElementTree.fromstring(FORMATS["badge"](SEVERAL))


def test_a_badge_has_the_name_that_the_engine_says() -> None:
    named = replace(REPORT, engines=(EngineInfo("one", "./engine --fast", "Fast Engine", "2"),))
    assert ">PARTE · Fast Engine<" in FORMATS["badge"](named)
    assert json.loads(FORMATS["shields"](named))["label"] == "PARTE · Fast Engine"
    silent = replace(REPORT, engines=(EngineInfo("one", "./engine"),))
    assert ">PARTE · one<" in FORMATS["badge"](silent)
    twins = replace(REPORT, engines=(EngineInfo("one", "x", "Twin"), EngineInfo("two", "y", "Twin")))
    assert all(f">PARTE · Twin ({label})<" in FORMATS["badge"](twins) for label in ("one", "two"))


def test_the_badge_for_services_fits_their_schema() -> None:
    """Of the endpoint badge of shields.io: no property is beyond it, and a message is not empty."""
    good = replace(REPORT, results=RESULTS[:1])
    for report, message, colour, wrong in (
        (good, "1/1 pass", "#2e7d32", False),
        (REPORT, "1/6 pass, 1 unsupported", "#b3261e", False),
        (replace(REPORT, complete=False), "incomplete", "#5f6368", True),
        (replace(REPORT, engines=()), "no engines", "#5f6368", True),
    ):
        badge = json.loads(FORMATS["shields"](report))
        assert badge.keys() == {"schemaVersion", "label", "message", "color", "isError"}
        assert (badge["schemaVersion"], badge["message"], badge["color"], badge["isError"]) == (
            1,
            message,
            colour,
            wrong,
        )
    assert json.loads(FORMATS["shields"](SEVERAL))["label"] == "PARTE"


def test_a_cause_that_counts_its_cases_is_a_sentence() -> None:
    said = "2 of the 27 cases about `emission-failures` report different matches; no known error explains them."
    report = replace(REPORT, causes=(Cause("one", said, ("x/error", "y/other")), *CAUSES[:1]))
    lines = FORMATS["table"](report).splitlines()
    assert f"  {said}" in lines
    assert any(line.startswith("  1 failure: it behaves like") for line in lines)


def test_matches_are_cut_to_what_a_report_can_hold() -> None:
    huge = {"rule": "x" * 100_000}
    (cut,) = some_matches([huge])
    assert len(json.dumps(cut)) < 5000
    assert len(some_matches([MATCH] * 1000)) == 20
    assert len(some_matches([huge] * 1000)) == 3


# --- Known failures --------------------------------------------------------------------------------------------------

CASES = {r.case for r in RESULTS}


def test_known_failures_are_written_and_known() -> None:
    lines = list(known_lines(RESULTS))
    assert [json.loads(line)["case"] for line in lines] == ["x/error", "x/fail", "x/timeout", "y/other"]
    known = apply_known(RESULTS, read_known(lines, CASES))
    assert not known.outdated
    assert all(r.known or not r.verdict.bad for r in known.results)


def test_a_list_that_is_out_of_date() -> None:
    listed = read_known(known_lines(RESULTS), CASES)
    better = [replace(r, verdict=CaseVerdict.PASS) if r.case == "x/fail" else r for r in RESULTS]
    worse = [replace(r, verdict=CaseVerdict.TIMEOUT) if r.case == "x/fail" else r for r in RESULTS]
    assert apply_known(better, listed).outdated == ("x/fail with one: listed as fail, is pass",)
    assert apply_known(worse, listed).outdated == ("x/fail with one: listed as fail, is timeout",)
    assert not apply_known(RESULTS[:1], listed).outdated, "a case that was not run says nothing"


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "[]",
        "[" * 100_000,
        '{"engine":"one","engine":"two","case":"x/fail","verdict":"fail"}',
        "{}",
        '{"engine":"one","case":"z/no","verdict":"fail"}',
        '{"engine":"one","case":"x/fail","verdict":"pass"}',
    ],
)
def test_what_is_no_known_failure(line: str) -> None:
    with pytest.raises(KnownFailuresError):
        read_known([line], CASES)


def test_a_line_that_lacks_something_is_told_what() -> None:
    with pytest.raises(KnownFailuresError) as raised:
        read_known(['{"engine": "e", "case": "c"}'], CASES)
    assert str(raised.value) == 'line 1 is no known failure: it has no "verdict"'


def test_paths_of_schemas() -> None:
    folder = Path(__file__).resolve().parents[2] / "conformance"
    for name in ("partelang/fixture", "protocol", "report"):
        schema_validator(name).check_schema(json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8")))
