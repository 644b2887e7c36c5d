"""Queries on a schedule: verdicts, least lookbacks, numbers of reports, what the command prints, and its page."""

from __future__ import annotations

import csv
import json
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import cast

import jsonschema
import pytest
from typer.testing import CliRunner

from parte.checker.environment.schedule import LONGEST, QuerySchedule
from parte.checker.partelang.check import check
from parte.checker.report.contents import Json, Report, ScheduledRule
from parte.checker.report.json_form import report_to_text
from parte.checker.report.text import render
from parte.checker.solver.verdict import Verdict
from parte.cli import app
from parte.semantics.partelang.syntax.elaborate import parse
from tests.checker.partelang.scheduled.brute import Log, Simulation, attack, log_of

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
TEMPLATES = "level 2\ntemplate A { k : Integer }\ntemplate B { k : Integer }\ntemplate C { k : Integer }\n"
MINUTE = 60_000


def report_of(rule: str, schedule: QuerySchedule) -> Report:
    return check(f"{TEMPLATES}rule R where {rule}", schedule=schedule, timeout=20)


def row_of(report: Report) -> ScheduledRule:
    assert report.schedule is not None
    (row,) = report.schedule.rules
    return row


PAIR = "a : A {} b : B { k = a.k } when b in a [0 ms, 5 ms]"
BETWEEN = "a : A {} b : B {} no c : C {} when b in a [0 ms, 5 ms], no c in a [0 ms, 5 ms], no c in b [-5 ms, 0 ms]"
SET = "a : A {} all b : B { k = a.k } when b in a [-9 ms, 4 ms] having "
LEAST = [
    # rule, delay, by arrival; the least lookback each 4 ms
    ("a : A {}", 0, False, 3),
    ("a : A {}", 2, False, 5),
    ("a : A {}", 2, True, 3),
    (PAIR, 0, False, 8),
    (PAIR, 2, False, 10),
    (PAIR, 2, True, 10),
    ("a : A {} b : A {} when b in a [-3 ms, 5 ms]", 0, False, 8),
    ("a : A {} b : B {} c : C {} when b in a [1 ms, 3 ms], c in b [-7 ms, 2 ms]", 0, False, 10),
    # Conditions on timestamps narrow the windows, by one and by many milliseconds.
    ("a : A {} b : B { timestamp - a.timestamp < 5 ms } when b in a [0 ms, 5 ms]", 0, False, 7),
    ("a : A {} b : B { timestamp - a.timestamp < 100 ms } when b in a [0 ms, 1 days]", 0, False, 102),
    ("a : A {} b : B {} no c : C {} when b in a [0 ms, 5 ms], no c in b [-3 ms, 30 ms]", 0, False, 8),
    ("a : A {} first b : B {} when b in a [0 ms, 5 ms]", 0, False, 8),
    (f"{SET} exists(b)", 0, False, 12),
    (f"{SET} count(b) >= 5", 0, False, 16),
    (f"{SET} count(b) >= 1, count(b) <= 1", 0, False, 12),
    (f"{SET} count(b) <= 2", 0, False, 3),
    (f"{SET} count(b) <= 2", 2, True, 3),
    (f"{SET} count(b) = 2", 1, False, 17),
    # No set: its elements do not count, though the windows reach far.
    ("a : A {} all b : B {} when b in a [-9 ms, 4 ms]", 0, False, 3),
]


@pytest.mark.parametrize(("rule", "delay", "by_arrival", "least"), LEAST)
def test_the_least_lookback_is_enough_and_no_less_is(rule: str, delay: int, by_arrival: bool, least: int) -> None:
    schedule = QuerySchedule(4, least, delay, by_arrival)
    report = report_of(rule, schedule)
    assert row_of(report).least_lookback == least
    assert report.verdict("seen-by-a-run", "R") is Verdict.PROVED
    less = report_of(rule, schedule.looking_back(least - 1))
    assert less.verdict("seen-by-a-run", "R") is Verdict.REFUTED
    assert row_of(less).at_least == 0


def test_no_lookback_is_enough_for_a_set_without_a_beginning() -> None:
    report = report_of(
        "a : A {} all b : B { k = a.k } when b in a [-ever, 0 ms] having count(b) >= 2", QuerySchedule(4, 9)
    )
    row = row_of(report)
    assert (row.least_lookback, row.decided) == (None, True)
    assert report.verdict("seen-by-a-run", "R") is Verdict.REFUTED
    assert "no lookback is enough" in render(report)


@pytest.mark.parametrize(
    ("rule", "schedule", "at_least", "at_most", "exact"),
    [
        ("a : A {}", QuerySchedule(4, 3), 1, 1, True),
        ("a : A {}", QuerySchedule(4, 4), 1, 2, True),
        (PAIR, QuerySchedule(4, 20), 4, 6, True),
        (PAIR, QuerySchedule(4, 4), 0, 2, True),
        ("a : A {} b : B {} when b in a [5 ms, 9 ms]", QuerySchedule(4, 4), 0, 0, True),
        ("a : A {} b : B {} when b in a [5 ms, 9 ms]", QuerySchedule(4, 20), 3, 4, True),
        ("a : A {} b : B {} when b in a [5 ms, 9 ms]", QuerySchedule(4, 20, 3, by_arrival=True), 2, 5, True),
        (
            "a : A {} b : B { timestamp - a.timestamp > 8 ms } when b in a [5 ms, 9 ms]",
            QuerySchedule(4, 20),
            3,
            3,
            True,
        ),
        (f"{SET} count(b) >= 5", QuerySchedule(4, 21), 2, 6, False),
        (f"{SET} count(b) <= 2", QuerySchedule(4, 11), 3, 3, False),
    ],
)
def test_reports_are_counted(rule: str, schedule: QuerySchedule, at_least: int, at_most: int, exact: bool) -> None:
    row = row_of(report_of(rule, schedule))
    assert (row.at_least, row.at_most, row.exact) == (at_least, at_most, exact)


@pytest.mark.parametrize(
    ("rule", "delay", "true"),
    [
        (PAIR, 3, True),
        (BETWEEN, 0, True),
        (BETWEEN, 1, False),
        ("a : A {} no c : C {} when no c in a [1 ms, 1 ms]", 0, False),
        ("a : A {} no c : C {} when no c in a [-1 ms, -1 ms]", 0, False),
        ("a : A {} no c : C { k = a.k } when no c in a [-ever, 0 ms]", 0, False),
        ("a : A {} no c : C { k > 3, k < 2 } when no c in a [1 ms, 1 ms]", 0, True),
        ("a : A {} first b : B {} when b in a [0 ms, 5 ms]", 0, True),
        ("a : A {} first b : B {} when b in a [0 ms, 5 ms]", 1, True),  # a run that reads `b` reads all before it
        ("a : A {} first b : B {} when b in a [0 ms, 5 ms]", 2, False),
        ("a : A {} last b : B {} when b in a [0 ms, 5 ms]", 0, False),
        (f"{SET} count(b) >= 2", 2, True),
        (f"{SET} count(b) >= 2, max(b.k) > 7", 2, True),
        (f"{SET} count(b) = 2", 0, False),
        (f"{SET} max(b.k) < 7", 0, True),  # all elements have one value
        ("a : A {} all b : B {} when b in a [-9 ms, 4 ms] having max(b.k) < 7", 0, False),
        (
            "a : A {} all b : B { k > 0 } when b in a [-9 ms, 4 ms] having sum(b.k) > 7",
            0,
            False,
        ),  # the whole sum exceeds 64 bits
        ("a : A {} all b : B {} when b in a [-9 ms, 4 ms] having sum(b.k) > 7", 0, False),
        ("a : A {} all b : B {} when b in a [0 ms, 0 ms] having avg(b.k) > 7.0", 0, True),
        ("a : A {} all b : B {} when b in a [0 ms, 0 ms] having avg(b.k) > 7.0", 1, False),
    ],
)
def test_reports_that_the_whole_trace_refutes(rule: str, delay: int, true: bool) -> None:
    report = report_of(rule, QuerySchedule(4, 30, delay))
    assert report.verdict("reports-stay-true", "R") is (Verdict.PROVED if true else Verdict.REFUTED)


def test_the_finding_names_the_absence_and_the_event() -> None:
    rule = "a : A {} no c : C {} no b : B {} when no b in a [0 ms, 0 ms], no c in a [0 ms, 9 ms]"
    report = report_of(rule, QuerySchedule(4, 30))
    (finding,) = report.of("refuted-report")
    assert finding.message == "a run may believe `no c`, though such an event is in the whole trace"
    assert finding.reason[-1] == "`c` happens after the run"
    assert finding.source_line[finding.span.start.column - 1] == "c"
    log = log_of(finding.evidence)
    (run,) = cast(list[dict[str, object]], finding.evidence["runs"])
    read = log.read_at(cast(int, run["at"]), QuerySchedule(4, 30))
    assert [event.id for event in read] == run["reads"] == ["a"]
    assert report.exit_code == 1


ABSENT = "a : A {} b : B {} no c : C {} when b in a [0 ms, 5 ms], no c in a [0 ms, 9 ms]"


def test_the_advised_window_makes_an_absence_between_two_events_true() -> None:
    (finding,) = report_of(ABSENT, QuerySchedule(4, 30)).of("refuted-report")
    start = "if only events between `a` and `b` are meant, add `no c in b [-9 ms, 0 ms]`; otherwise no lookback"
    assert finding.hint.startswith(start)
    advised = report_of(f"{ABSENT}, no c in b [-9 ms, 0 ms]", QuerySchedule(4, 30))
    assert advised.verdict("reports-stay-true", "R") is Verdict.PROVED


@pytest.mark.parametrize(
    "rule",
    [
        "a : A {} no c : C {} when no c in a [0 ms, 9 ms]",
        "a : A {} b : B {} no c : C {} when b in a [-5 ms, 0 ms], no c in a [1 ms, 9 ms]",
        "a : A {} b : B {} no c : C {} when b in a [0 ms, 5 ms], no c in a [0 ms, 9 ms], no c in b [-9 ms, 9 ms]",
    ],
)
def test_no_second_window_is_advised_where_no_event_ends_the_absence(rule: str) -> None:
    (finding,) = report_of(rule, QuerySchedule(4, 30)).of("refuted-report")
    assert finding.hint.startswith("no lookback prevents this")


# --- What is not examined --------------------------------------------------------------------------------------------


def test_rules_on_emitted_events_are_not_examined() -> None:
    program = "rule R where a : A {} then emit C at a.timestamp with { k = 1 }\nrule S where c : C {}"
    report = check(TEMPLATES + program, schedule=QuerySchedule(4, 9))
    assert report.verdict("seen-by-a-run", "R") is Verdict.PROVED
    for guarantee, code in (("seen-by-a-run", "unseen-match"), ("reports-stay-true", "refuted-report")):
        assert report.verdict(guarantee, "S") is Verdict.NOT_PROVED
        (finding,) = report.of(code)
        assert "reads `C`, which the rule `R` emits" in finding.message
    assert report.exit_code == 4


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("a : A { k > 3, k < 2 }", Verdict.VACUOUS),
        (
            "a : A {} b : B {} c : C {} when b in a [1 ms, 2 ms], c in b [1 ms, 2 ms], c in a [9 ms, 9 ms]",
            Verdict.VACUOUS,
        ),
        ("a : A {} b : B {}", Verdict.NOT_PROVED),
    ],
)
def test_rules_that_never_match_or_have_no_span_are_not_examined(rule: str, verdict: Verdict) -> None:
    report = report_of(rule, QuerySchedule(4, 9))
    assert report.verdict("seen-by-a-run", "R") is verdict
    assert report.verdict("reports-stay-true", "R") is verdict
    assert report.schedule is not None
    assert report.schedule.rules == ()


def test_without_a_schedule_nothing_is_said_of_it() -> None:
    report = check(f"{TEMPLATES}rule R where {PAIR}")
    assert report.schedule is None
    assert not {"seen-by-a-run", "reports-stay-true"} & {guarantee.name for guarantee in report.guarantees}
    assert "schedule" not in json.loads(report_to_text(report))


@pytest.mark.parametrize(("every", "lookback", "delay"), [(0, 1, 0), (1, -1, 0), (1, 1, -1), (1, LONGEST + 1, 0)])
def test_durations_out_of_range_are_refused(every: int, lookback: int, delay: int) -> None:
    with pytest.raises(ValueError, match="ms, found"):
        QuerySchedule(every, lookback, delay)


def test_a_long_schedule_of_short_intervals_is_decided() -> None:
    report = report_of("a : A {} all b : B {} when b in a [-9 ms, 0 ms] having exists(b)", QuerySchedule(1, 10**9))
    assert report.verdict("seen-by-a-run", "R") is Verdict.PROVED
    assert row_of(report).at_most == 10**9 + 1


# --- Alternatives and shrunk cases -----------------------------------------------------------------------------------


def test_each_case_of_alternatives_is_examined() -> None:
    rule = "a : A {} either b : B {} or b : C {} when b in a [0 ms, 5 ms]"
    report = report_of(rule, QuerySchedule(4, 7))
    assert report.schedule is not None
    assert [(row.rule, row.least_lookback) for row in report.schedule.rules] == [("R[B]", 8), ("R[C]", 8)]


def test_a_set_that_several_runs_see_in_part() -> None:
    """Three runs are compared: `count` is at most 1 for one run, at least 1 for another."""
    rule = "c : C {} all a : A {} no d : C {} when a in c [2 ms, 5 ms], no d in c [8 ms, 15 ms] having count(a) = 1"
    program = parse(f"{TEMPLATES}rule R where {rule}")
    attack(program, QuerySchedule(5, 8, 1), [], timeout=20)


# --- Public rules ----------------------------------------------------------------------------------------------------


def test_public_sequence_rules() -> None:
    """The schedules of 194 rules of elastic/detection-rules at 14cf530f, as numbers; 11 rules have no greatest span."""
    with (Path(__file__).parent / "maxspans.csv").open(encoding="utf-8", newline="") as lines:
        rows = [{name: int(value or -1) for name, value in row.items()} for row in csv.DictReader(lines)]
    verdicts: dict[str, int] = {}
    for row in rows:
        if row["maxspan"] < 0:
            verdict = "without maxspan"
        else:
            rule = f"a : A {{}} b : B {{ k = a.k }} when b in a [0 ms, {row['maxspan']} ms]"
            report = report_of(rule, QuerySchedule(row["every"], row["lookback"]))
            verdict = report.verdict("seen-by-a-run", "R").value
            if verdict == "refuted" and row["lookback"] < row["maxspan"]:
                verdict = "refuted in all phases"
        verdicts[verdict] = verdicts.get(verdict, 0) + row["rules"]
    assert verdicts == {"proved": 160, "refuted": 19, "refuted in all phases": 4, "without maxspan": 11}


# --- The command and its page ----------------------------------------------------------------------------------------


def invoked(folder: Path, *arguments: str) -> tuple[int, str]:
    program = folder / "leaves.parte"
    program.write_text(re.findall(r"```parte\n(.*?)```", PAGE, re.DOTALL)[0], encoding="utf-8")
    result = CliRunner().invoke(app, ["check", str(program), *arguments])
    return result.exit_code, result.output.replace(f"{folder}/", "")


def test_the_page_shows_what_the_command_prints(tmp_path: Path) -> None:
    console, figures = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    command, _, expected = console.partition("\n")
    _, name, _, *options = shlex.split(command.removeprefix("$ "))
    assert name == "check"
    code, output = invoked(tmp_path, *options)
    # The times of the trace are the solver's choice.
    times = re.compile(r"(?<=because: )(.*?)(\d+ \w+ ?)+(?= reads|\n)")
    assert times.sub(r"\1…", output).startswith(times.sub(r"\1…", expected))
    assert figures in output
    assert code == 1


def test_json_has_the_schedule_and_keeps_to_its_schema(tmp_path: Path) -> None:
    code, output = invoked(
        tmp_path, "--every", "5 minutes", "--lookback", "9m", "--delay", "1m", "--by", "arrival", "--json"
    )
    record = json.loads(output)
    schema = json.loads(files("parte.checker").joinpath("report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(record, schema, cls=jsonschema.Draft202012Validator)
    schedule = record["schedule"]
    row = {"rule": "LeavesWithData", "least_lookback": 11 * MINUTE - 1, "decided": True, "exact": True}
    assert schedule["rules"] == [{**row, "at_least": 0, "at_most": 2}]
    assert (schedule["every"], schedule["lookback"], schedule["delay"]) == (5 * MINUTE, 9 * MINUTE, MINUTE)
    assert (schedule["by"], code) == ("arrival", 1)
    (finding,) = (finding for finding in record["findings"] if finding["code"] == "unseen-match")
    log: Log = log_of(finding["evidence"])
    read = [
        [event.id for event in log.read_at(run["at"], QuerySchedule(5 * MINUTE, 9 * MINUTE, MINUTE, by_arrival=True))]
        for run in finding["evidence"]["runs"]
    ]
    assert read == [run["reads"] for run in finding["evidence"]["runs"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--every", "5m"], "give both"),
        (["--lookback", "5m"], "give both"),
        (["--delay", "5m"], "give both"),
        (["--by", "arrival"], "give both"),
        (["--every", "0m", "--lookback", "5m"], "expected a duration from 1 ms"),
        (["--every", "5m", "--lookback", "-5m"], "expected a duration from 0 ms"),
        (["--every", "5m", "--lookback", "5 parsecs"], "expected a duration such as '5m'"),
        (["--every", "5m", "--lookback", "9999999999d"], "expected a duration from 0 ms"),
    ],
)
def test_wrong_options_are_usage_errors(options: list[str], message: str, tmp_path: Path) -> None:
    code, output = invoked(tmp_path, *options)
    assert code == 2
    assert message in re.sub(r"\s*│?\s*\n\s*│?\s*", " ", output)


def test_brute_force_detects_what_a_schedule_misses() -> None:
    """The simulation of the tests, by hand: the run at 3 reads both events, the one at 7 one of them."""
    program = parse(f"{TEMPLATES}rule R where {PAIR}")
    log = log_of({"trace": [_event("x", "A", 0), _event("y", "B", 3)], "arrivals": {"x": 0, "y": 3}})
    simulation = Simulation(program, program.rules[0], log, QuerySchedule(4, 4))
    assert simulation.reports == {frozenset({("a", "x"), ("b", "y")}): [1, 0, 0, 1]}


def _event(name: str, template: str, time: int) -> Json:
    return {"id": name, "template": template, "timestamp": time, "attributes": {"k": 1}}
