"""`parte import`: the files that it writes, and when it writes none; the report; exit codes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte
from parte.conformance.casefiles.events import read_trace
from parte.conformance.casefiles.layout import read_layout, read_value
from parte.importers import files
from parte.importers.files import cases_text, write_files
from parte.importers.imported import Imported, ImportedTest, Place
from parte.logs.mapping import load_mapping
from parte.semantics.events.event import Event
from parte.semantics.events.files import write_new, write_whole
from tests.importers.test_panther_reading import GROUP, RULE
from tests.parte.examples import Command

WRONG = RULE.replace("ada: [2, 2]", "ada: [2]")
"""A rule whose first test expects a match that it has not."""

FIELDS = ("p_rule_id", "p_event_time", "p_row_id", "employee")


@pytest.fixture
def rule(tmp_path: Path) -> Path:
    file = tmp_path / "rules" / "badge.yml"
    file.parent.mkdir()
    file.write_text(RULE, encoding="utf-8")
    return file


def texts(folder: Path) -> Mapping[str, str]:
    return {file.name: file.read_text("utf-8") for file in folder.iterdir()} if folder.exists() else {}


def test_a_program_a_mapping_and_tests_are_written(command: Command, rule: Path, tmp_path: Path) -> None:
    done = command("import", "panther", rule, "-o", tmp_path / "out")
    assert (done.code, done.err) == (0, "")
    assert "1 rule written, 0 refused; 2 of 2 tests agree" in done.out
    names = [f"Badge_Used_WITH_Login.{ending}" for ending in ("cases", "parte", "toml")]
    assert sorted(texts(tmp_path / "out")) == names
    program = tmp_path / "out" / names[1]
    assert command("fmt", "--check", program).code == 0
    assert command("check", program).code == 0
    mapping = load_mapping(tmp_path / "out" / names[2])
    assert [template.when for template in mapping.templates] == [
        {"p_rule_id": "Door.Badge"},
        {"p_rule_id": "Desk.Login"},
    ]
    declared = {template.name: template.attributes for template in parte.parse(program.read_text("utf-8")).templates}
    assert {template.name: template.attributes for template in mapping.templates} == declared


def test_a_mapping_makes_events_of_signals(command: Command, rule: Path, tmp_path: Path) -> None:
    command("import", "panther", rule, "-o", tmp_path)
    raw = tmp_path / "signals.jsonl"
    lines = [("Door.Badge", "09:00:00"), ("Desk.Login", "09:01:00.5"), ("Desk.Login", "09:02:00")]
    raw.write_text(
        "".join(
            json.dumps(dict(zip(FIELDS, (name, f"2026-03-02 {time}", f"r{number}", "e"), strict=True))) + "\n"
            for number, (name, time) in enumerate(lines)
        ),
        encoding="utf-8",
    )
    stem = tmp_path / "Badge_Used_WITH_Login"
    log = tmp_path / "log.jsonl"
    assert command("log", f"{stem}.toml", raw, "-o", log).code == 0
    result = command("run", f"{stem}.parte", log)
    assert [json.loads(line)["bindings"] for line in result.out.splitlines()] == [
        {"badge_used": "r0", "first_login": "r1"}
    ]


def test_nothing_is_overwritten_without_force(command: Command, rule: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "Badge_Used_WITH_Login.toml").write_text("mine", encoding="utf-8")
    done = command("import", "panther", rule, "-o", out)
    assert done.code == 1
    assert "exists, and --force is needed to replace it" in done.out
    assert texts(out) == {"Badge_Used_WITH_Login.toml": "mine"}
    assert command("import", "panther", rule, "-o", out, "--force").code == 0
    assert len(texts(out)) == 3
    assert "mine" not in texts(out).values()


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("fault", [OSError("the disk is full"), KeyboardInterrupt()])
def test_all_files_of_a_rule_are_written_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, fault: BaseException
) -> None:
    before = {"a": "old", "c": "old"}
    for name, text in before.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    calls: list[object] = []

    def failing(write: Callable[..., None]) -> Callable[..., None]:
        def wrapped(path: Path, content: bytes) -> None:
            calls.append(path)
            if len(calls) == number + 1:
                raise fault
            write(path, content)

        return wrapped

    monkeypatch.setattr(files, "write_new", failing(write_new))
    monkeypatch.setattr(files, "write_whole", failing(write_whole))
    with pytest.raises(type(fault)):
        write_files(str(tmp_path), {"a": "new", "b": "new", "c": "new"}, force=True)
    assert texts(tmp_path) == before


def test_the_report_says_what_is_refused_and_where(command: Command, rule: Path, tmp_path: Path) -> None:
    (rule.parent / "near.yaml").write_text(GROUP.replace("Severity", "Threshold: 3\nSeverity"), encoding="utf-8")
    (rule.parent / "wrong.yml").write_text("a: [\n", encoding="utf-8")
    (rule.parent / "readme.md").write_text("no rule", encoding="utf-8")
    done = command("import", "panther", rule.parent, "-o", tmp_path / "out")
    assert done.code == 1
    assert f"{rule.parent}/near.yaml:4:1: refused: the key 'Threshold' is not known" in done.out
    assert "  hint: --nearest writes a program that is near" in done.out
    assert f"{rule.parent}/wrong.yml:2:1: refused: no YAML" in done.out
    assert "1 rule written, 2 refused; 2 of 2 tests agree" in done.out
    assert len(texts(tmp_path / "out")) == 3
    near = command("import", "panther", rule.parent / "near.yaml", "-o", tmp_path / "out", "--nearest")
    assert near.code == 0
    assert f"{rule.parent}/near.yaml:4:1: difference: the key 'Threshold' is not known" in near.out


def test_the_report_as_json(command: Command, rule: Path, tmp_path: Path) -> None:
    rule.write_text(f"{WRONG}---\n{GROUP.replace('RuleID: B', 'RuleID: A')}", encoding="utf-8")
    done = command("import", "panther", rule, "-o", tmp_path / "out", "--json")
    assert done.code == 1
    record = json.loads(done.out)
    written, refused = record.pop("rules")
    assert record == {"format": "panther", "written": 1, "refused": 1, "tests": 2, "agreeing": 1}
    assert (written["result"], written["file"], written["line"], written["column"]) == ("written", str(rule), 2, 9)
    assert written["tests"][0] == {
        "name": "A badge and two logins",
        "expected": True,
        "matches": 0,
        "agrees": False,
    }
    assert (refused["result"], refused["line"], refused["nearest"], refused["files"]) == ("refused", 46, True, [])


def test_a_test_that_disagrees_is_reported(command: Command, rule: Path, tmp_path: Path) -> None:
    rule.write_text(WRONG, encoding="utf-8")
    done = command("import", "panther", rule, "-o", tmp_path / "out")
    assert done.code == 1
    assert f"{rule}:25:5: test 'A badge and two logins' expects matches, and the program has 0" in done.out
    assert len(texts(tmp_path / "out")) == 3


def test_one_test_agrees(command: Command, rule: Path, tmp_path: Path) -> None:
    rule.write_text(RULE.partition("  - Name: No one")[0], encoding="utf-8")
    assert "; 1 of 1 test agrees\n" in command("import", "panther", rule, "-o", tmp_path / "out").out


def test_a_schedule_that_misses_matches_is_reported(command: Command, rule: Path, tmp_path: Path) -> None:
    """Runs every 20 minutes that look back 30 miss matches that are longer than 10; runs every 10 miss none of 5."""
    done = command("import", "panther", rule, "-o", tmp_path / "out")
    assert done.code == 0
    assert "on its schedule [unseen-match]: no run of this schedule sees some match" in done.out
    text = RULE.replace("RateMinutes: 20", "RateMinutes: 10").replace("        MinMatchCount: 2\n", "")
    rule.write_text(text, encoding="utf-8")
    done = command("import", "panther", rule, "-o", tmp_path / "out", "--force", "--json")
    (record,) = json.loads(done.out)["rules"]
    assert record["schedule"] == {"every": 600_000, "lookback": 1_800_000, "findings": []}
    absent = text.replace("RuleID: Desk.Login", "RuleID: Desk.Login\n        Absence: true")
    rule.write_text(absent[: absent.index("Tests:")], encoding="utf-8")
    done = command("import", "panther", rule, "-o", tmp_path / "out", "--force", "--json")
    (record,) = json.loads(done.out)["rules"]
    assert [finding["code"] for finding in record["schedule"]["findings"]] == ["refuted-report"]
    assert done.code == 0


def test_two_rules_of_one_name_are_not_both_written(command: Command, rule: Path, tmp_path: Path) -> None:
    rule.write_text(f"{RULE}---\n{RULE.replace('Badge.Used.WITH', 'badge used WITH')}", encoding="utf-8")
    done = command("import", "panther", rule, "-o", tmp_path / "out")
    assert done.code == 1
    assert f"the rule in {rule}:2 has the name badge_used_WITH_Login too" in done.out
    assert len(texts(tmp_path / "out")) == 3


def test_a_rule_that_never_matches_fails_its_check(command: Command, rule: Path, tmp_path: Path) -> None:
    """Two logins a day cannot be at least two in half an hour, if they are 12 hours apart."""
    deployment = tmp_path / "rates.toml"
    deployment.write_text(
        '[[source]]\nname = "s"\n[[source.emits]]\ntemplate = "Desk_Login"\nevery = "12 hours"\n'
        '[[source.emits]]\ntemplate = "Other"\nevery = "1 hours"\n'
        '[[source.emits]]\ntemplate = "Door_Badge"\nevery = "1 minutes"\n',
        encoding="utf-8",
    )
    done = command("import", "panther", rule, "-o", tmp_path / "out", "--deployment", deployment)
    assert done.code == 1
    assert "error[unreachable-count]" in done.out
    deployment.write_text('[[source]]\nname = "s"\n', encoding="utf-8")
    assert command("import", "panther", rule, "-o", tmp_path / "out2", "--deployment", deployment).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("panthr", "{rule}"), "did you mean"),
        (("panther", "{rule}x"), "there is no"),
        (("panther", "{empty}"), "has no files .yml or .yaml"),
        (("panther", "{empty}/x.yml"), "the files have no rules"),
    ],
)
def test_what_cannot_be_used_is_said(
    command: Command, rule: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    if arguments[1].endswith("/x.yml"):
        (empty / "x.yml").write_text("", encoding="utf-8")
    done = command("import", *(part.format(rule=rule, empty=empty) for part in arguments), "-o", tmp_path / "out")
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert not (tmp_path / "out").exists()


_NAMES = st.text(max_size=30)
_EVENTS = st.lists(
    st.builds(
        Event,
        st.text("ab1:@ (", min_size=1, max_size=4),
        st.sampled_from(["A", "Template_2"]),
        st.integers(-(2**62), 2**62) | st.integers(1_700_000_000_000, 1_700_000_001_000),
        st.dictionaries(
            st.sampled_from(["k", "user_name"]),
            _NAMES.filter(lambda t: t.isprintable()) | st.integers(-(2**63), 2**63 - 1) | st.booleans(),
        ),
        st.sampled_from(["s", "other", "a b"]),
    ),
    max_size=4,
    unique_by=lambda event: event.id,
)


@given(st.lists(st.tuples(_NAMES, _NAMES, _EVENTS, st.booleans() | st.integers(0, 3)), min_size=1, max_size=3))
def test_the_tests_of_a_rule_come_back(drawn: list[tuple[str, str, list[Event], bool | int]]) -> None:
    tests = tuple(ImportedTest(name, about, tuple(events), matches) for name, about, events, matches in drawn)
    text = cases_text(Imported("R", Place("r\n.yml", 1, 1), "level 2\n", None, tests))
    entries, _, problems = read_layout(text)
    assert problems == []
    assert len({entry.head.value for entry in entries}) == len(tests)
    for entry, test in zip(entries, tests, strict=True):
        about, trace, expect = entry.fields
        assert read_value(about.value) == (test.about or test.name)
        items = read_trace(trace.lines(), {})
        assert [item["id"] for item in items] == [event.id for event in test.events]
        assert [dict(item["attributes"]) for item in items] == [event.attributes for event in test.events]
        assert [item.get("source", "s") for item in items] == [event.source for event in test.events]
        lines = "".join(json.dumps(item) + "\n" for item in items).splitlines()
        assert [event.timestamp for event in parte.read_trace(lines).items] == [e.timestamp for e in test.events]
        said = {"matches": True, "no match": 0, "1 match": 1, "2 matches": 2, "3 matches": 3}[expect.value]
        assert (said, said is True) == (test.matches, test.matches is True)


def test_a_test_that_takes_for_ever_is_stopped(command: Command, rule: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("parte.commands.importing.api.run", lambda *_: time.sleep(60))
    done = command("import", "panther", rule, "-o", tmp_path / "out", "--timeout", "0.2")
    assert done.code == 1
    assert "1 rule written, 0 refused; 0 of 2 tests agree" in done.out
    assert "takes longer than the limit; --timeout allows more" in done.out
