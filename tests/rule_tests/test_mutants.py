"""`parte test --mutants` and `--suggest`: the edits, those that tests notice, and tests for the others."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import seeded
from parte.conformance.partelang.drawing import ProgramShape, drawn_program, drawn_trace
from parte.languages.partelang import PARTELANG
from parte.languages.registry import language_of
from parte.rule_tests.discovery import Program
from parte.rule_tests.partelang.edits import edits
from parte.rule_tests.partelang.samples import compared
from parte.rule_tests.support import Edit
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.text import TEXT
from tests.parte.examples import Command

LEVEL_2 = """\
level 2
template A { k : Integer, s : String, x : Float? }
template B { k : Integer }

rule R where
    either a : A { k >= 3 and not (s = "x") } or a : B { k in (1, 2) },
    last b : A { x is present, timestamp > a.timestamp + 5 seconds },
    all many : B { k = b.k },
    no c : B
when
    b in a [0 ms, 1 minute],
    many in b (-5 ms, 0 ms],
    no c in a [-ever, 0 ms)
having
    count(many) < 2 or sum(many.k) != 7
then
    emit D at b.timestamp + 1 seconds with { k = b.k * 2, f = true } once per (k) in 1 hour

template D { k : Integer, f : Boolean }
"""

PAIR = """\
template A { k : Integer }
template B { k : Integer }

rule R where
    a : A { k > 3, k > 2 },
    b : B { k = a.k }
when
    b in a [0 ms, 5 ms]
"""
PAIR_TESTS = "case one\n  trace a1@0(k=4) b1@3(k=4)\n  expect R a=a1 b=b1\n"


def program_of(text: str, path: str = "r.parte") -> Program:
    read = parse(text)
    return Program(path, PARTELANG, text, text, read, PARTELANG[TEXT].tree(read), PARTELANG[TEXT].key(read))


def changes(text: str) -> list[str]:
    return [f"{edit.line}: {edit.kind}: {edit.before} -> {edit.after}" for edit in edits(program_of(text))]


def test_the_edits_of_a_pair() -> None:
    assert changes(PAIR) == [
        "5: condition dropped: k > 3 -> ",
        "5: comparison changed: k > 3 -> k >= 3",
        "5: constant changed: k > 3 -> k > 2",
        "5: constant changed: k > 3 -> k > 4",
        "5: condition dropped: k > 2 -> ",
        "5: comparison changed: k > 2 -> k >= 2",
        "5: constant changed: k > 2 -> k > 1",
        "5: constant changed: k > 2 -> k > 3",
        "6: pattern dropped: b : B -> ",
        "6: condition dropped: k = a.k -> ",
        "6: comparison changed: k = a.k -> k != a.k",
        "8: window moved: b in a [0 ms, 5 ms] -> b in a [-1 ms, 5 ms]",
        "8: window moved: b in a [0 ms, 5 ms] -> b in a [0 ms, 4 ms]",
        "8: window moved: b in a [0 ms, 5 ms] -> b in a [1 ms, 5 ms]",
        "8: window moved: b in a [0 ms, 5 ms] -> b in a [0 ms, 6 ms]",
    ]


def test_every_form_of_level_2_is_edited() -> None:
    listed = changes(LEVEL_2)
    for change in (
        "6: alternative dropped: either a : A or B -> a : B",
        '6: negation dropped: k >= 3 and not s = "x" -> k >= 3 and s = "x"',
        '6: connective changed: k >= 3 and not s = "x" -> k >= 3 or not s = "x"',
        '6: condition dropped: k >= 3 and not s = "x" -> k >= 3',
        "6: candidate dropped: k in (1, 2) -> k in (2)",
        "6: constant changed: k in (1, 2) -> k in (1, 3)",
        "7: selection changed: last b : A -> first b : A",
        "7: selection dropped: last b : A -> b : A",
        "7: negation changed: x is present -> x is missing",
        "7: constant changed: timestamp > a.timestamp + 5 seconds -> timestamp > a.timestamp + 5001 ms",
        "7: operator changed: timestamp > a.timestamp + 5 seconds -> timestamp > a.timestamp - 5 seconds",
        "9: pattern dropped: no c : B -> ",
        "12: window moved: many in b (-5 ms, 0 ms] -> many in b (-6 ms, 0 ms]",
        "13: window moved: no c in a [-ever, 0 ms) -> no c in a [-ever, 1 ms)",
        "15: connective changed: count(many) < 2 or sum(many.k) != 7 -> count(many) < 2 and sum(many.k) != 7",
        "15: constant changed: count(many) < 2 or sum(many.k) != 7 -> count(many) < 3 or sum(many.k) != 7",
        "17: emission dropped: emit D -> ",
        "17: constant changed: at b.timestamp + 1 second -> at b.timestamp + 1001 ms",
        "17: constant changed: k = b.k * 2 -> k = b.k * 3",
        "17: constant changed: f = true -> f = false",
        "17: once dropped: once per (k) in 1 hour -> ",
        "17: once moved: once per (k) in 1 hour -> once per (k) in 3600001 ms",
    ):
        assert change in listed, "\n".join(listed)


def test_a_negation_is_dropped_with_that_of_its_windows() -> None:
    text = "template A {}\nrule R where a : A, no b : A when no b in a [0 ms, 5 ms]\n"
    assert "2: negation dropped: no b : A -> b : A" in changes(text)


def test_patterns_with_names_are_edited() -> None:
    text = """\
level 2
template A { k : Integer }
pattern large(least : Integer) exports a where a : A { k >= least } end
rule R where use large(5) as p
"""
    assert changes(text)[:4] == [
        "3: condition dropped: k >= least -> ",
        "3: comparison changed: k >= least -> k > least",
        "4: constant changed: use large(5) as p -> use large(4) as p",
        "4: constant changed: use large(5) as p -> use large(6) as p",
    ]


@pytest.mark.parametrize("level", [1, 2])
def test_edits_of_drawn_programs_are_other_programs(level: int) -> None:
    for seed in range(4):
        text = print_program(drawn_program(seeded(seed), ProgramShape(patterns=3, rules=2, level=level)).source)
        program = program_of(text)
        texts = []
        for edit in islice(edits(program), 40):
            assert parse(edit.program.text) == edit.program.program
            texts.append(edit.program.text)
        assert len(set(texts)) == len(texts)
        assert text not in texts


def differing(edit: Edit, program: core.Program, count: int) -> bool:
    """Return whether one of some drawn traces has other matches, by the definition."""
    traces = (drawn_trace(seeded(f"trace {number}"), program) for number in range(count))
    return any(
        run(program, [item for item in trace if isinstance(item, Event)], {}, "naive")
        != run(edit.program.program, [item for item in trace if isinstance(item, Event)], {}, "naive")
        for trace in traces
    )


def test_what_the_solver_calls_the_same_is_the_same_by_the_definition() -> None:
    same = 0
    for seed in range(8):
        drawn = drawn_program(seeded(f"same {seed}"), ProgramShape(patterns=3, rules=1, strata=1, emissions=False))
        program = program_of(print_program(drawn.source))
        for edit in islice(edits(program), 12):
            if compared(program, edit.program, 5.0).same:
                same += 1
                assert not differing(edit, program.program, 25), edit
    assert same > 1


def test_samples_of_the_solver_separate() -> None:
    program = program_of(PAIR)
    for edit in edits(program):
        comparison = compared(program, edit.program, 5.0)
        assert comparison.same is (True if edit.before == "k > 2" else None)
        assert bool(comparison.samples) == (not comparison.same and edit.kind != "pattern dropped")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.parte").write_text(PAIR, encoding="utf-8")
    Path("r.cases").write_text(PAIR_TESTS, encoding="utf-8")
    return tmp_path


def test_mutants(command: Command) -> None:
    done = command("test", "--mutants")
    assert done.code == 1
    assert "r.parte: 15 edits of rules: 3 noticed, 4 same matches, 8 not noticed" in done.out, done.out
    assert "the solver proves that 4 edited rules match the same; they are left out" in done.out
    assert (
        "not noticed: r.parte:8:5 rule R, window moved\n    - b in a [0 ms, 5 ms]\n    + b in a [0 ms, 6 ms]"
        in done.out
    )
    assert "\ncase " not in done.out


def test_suggested_tests_notice_what_they_are_for(command: Command) -> None:
    done = command("test", "--suggest")
    assert done.code == 1
    suggested = done.out[done.out.index("\ncase ") :]
    assert "No trace was found" not in suggested
    Path("r.cases").write_text(PAIR_TESTS + suggested, encoding="utf-8")
    done = command("test", "--mutants")
    assert done.code == 0, done.out
    assert "r.parte: 15 edits of rules: 11 noticed, 4 same matches\n" in done.out
    assert command("test", "--model", "algebra").code == 0


RICH = """\
level 2
template Failed { user : String }
template Ok { user : String, admin : Boolean }
template Alarm { user : String, failures : Integer }
predicate watched(String)

rule Guessed where
    ok : Ok { admin = true, watched(user) },
    all failed : Failed { user = ok.user }
when
    failed in ok [-1 minute, -1 ms]
having
    count(failed) >= 2
then
    emit Alarm at ok.timestamp with { user = ok.user, failures = count(failed) }

rule Twice where
    first_ : Alarm,
    second : Alarm { user = first_.user }
when
    second in first_ [1 ms, 1 hour]
"""
RICH_TESTS = """\
domain watched {"true_for": [["ada"]]}

case guessed
  trace
    f1:Failed@0(user="ada") f2:Failed@1000(user="ada") o1:Ok@2000(user="ada", admin=true)
  expect Guessed ok=o1
"""


def test_sets_emissions_and_domains(command: Command) -> None:
    Path("r.parte").write_text(RICH, encoding="utf-8")
    Path("r.cases").write_text(RICH_TESTS, encoding="utf-8")
    done = command("test", "--suggest", "--json")
    assert done.code == 1, done.err
    edit_records = json.loads(done.out)["edits"]
    assert {edit["status"] for edit in edit_records} <= {"noticed", "not noticed", "same matches"}
    lacking = [edit for edit in edit_records if edit["status"] == "not noticed" and not edit["suggestion"]]
    assert len(lacking) <= 3, lacking
    assert {edit["rule"] for edit in lacking} == {"rule Twice"}  # two alarms need six events
    suggested = dict.fromkeys(edit["suggestion"] for edit in edit_records if edit["suggestion"])
    Path("r.cases").write_text("\n".join([RICH_TESTS, *suggested]), encoding="utf-8")
    again = json.loads(command("test", "--mutants", "--json").out)
    assert again["counts"] == {"pass": 1 + len(suggested)}
    unnoticed = [edit for edit in again["edits"] if edit["status"] == "not noticed"]
    assert [(edit["line"], edit["before"], edit["after"]) for edit in unnoticed] == [
        (edit["line"], edit["before"], edit["after"]) for edit in lacking
    ]


def test_tests_that_fail_notice_nothing(command: Command) -> None:
    Path("r.cases").write_text("case one\n  trace a1@0(k=4)\n  expect matches\n", encoding="utf-8")
    done = command("test", "--mutants")
    assert done.code == 1
    assert "1 test did not pass, and can notice no edit" in done.err
    assert "no test passes: make one pass before" in done.err
    assert "noticed" not in done.out
    assert "not noticed" in command("test", "--suggest").out


def test_other_languages_have_none(command: Command) -> None:
    programs = {"q.lead": "FROM A\nMATCH A\n", "q.ceql": "SELECT * WHERE A\n"}
    name, language = next((name, of.name) for name in programs if (of := language_of(name)) is not None)
    Path(name).write_text(programs[name], encoding="utf-8")
    Path("q.cases").write_text("case one\n  trace a1@0\n  expect 1 match\n", encoding="utf-8")
    done = command("test", "q.cases", "--mutants")
    assert done.code == 2
    assert f"{language} has no mutants of rules" in done.err
    done = command("test", ".", "--mutants")
    assert done.code == 1
    assert f"{language} has no mutants of rules: its programs are left out" in done.err
    assert command("test", "--mutants", "--tap").code == 2
