"""`parte test`: what passes, what fails and why, and what cannot be used."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from parte.languages.registry import language_of
from tests.parte.examples import Command

PROGRAM = """\
template A { k : Integer }
template B { k : Integer }

rule R where
    a : A,
    b : B { k = a.k }
when
    b in a [0 ms, 5 ms]
then
    emit D at b.timestamp with { k = a.k }

rule S where
    d : D { k > 3 }

template D { k : Integer }
"""
DEFAULTS = "events A(k=0) B(k=0)\n"
PASSING = """\
case both-ends
  trace a1@0 b1@0 b2@5
  expect
    R a=a1 b=b1
    R a=a1 b=b2
  why S d=R(a=a1,b=b1): k > 3

case emitted
  trace a1@2026-11-24T08:00:00Z b1@2026-11-24T08:00:00.001Z
  expect
    R a=a1 b=b1
      -> R(a=a1,b=b1):D@2026-11-24T08:00:00.001Z(k=0)

case emitted-below-expect
  trace a1@0 b1@1
  expect R a=a1 b=b1
    -> R(a=a1,b=b1):D@1(k=0)

case numbers
  trace a1@0(k=4) a2@0(k=4) b1@5(k=4)
  expect
    4 matches
    R 2 matches
    S matches

case near
  trace a1@0 b1@6(k=1)
  expect no match
  why
    R a=a1 b=b1: k = a.k
    R a=a1 b=b1: 1 ms too late
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.parte").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def written(text: str, name: str = "r.cases") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(DEFAULTS + text, encoding="utf-8")


@pytest.mark.parametrize("model", ["sound", "algebra", "indexed"])
def test_what_passes(command: Command, folder: Path, model: str) -> None:
    written(PASSING)
    for path in ("", ".", "r.cases", "r.parte", folder):
        done = command("test", *([path] if path else []), "--model", model)
        assert (done.code, done.err) == (0, ""), done.out
        assert "5 tests: 5 pass" in done.out


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("trace a1@0 b1@6\n  expect R a=a1 b=b1", "because  1 match missing\n"),
        ("trace a1@0 b1@6\n  expect R a=a1 b=b1", "NO   b in a [0 ms, 5 ms]"),
        ("trace a1@0 b1@6\n  expect R a=a1 b=b1", "program  r.parte:4:1 rule R\n"),
        ("trace a1@0 b1@6\n  expect R a=a1 b=b1", "trace    a1@0(k=0) b1@6(k=0)\n"),
        ("trace a1@0 b1@6\n  expect R a=a1 b=b1", "expected R a=a1 b=b1\n  got      nothing\n"),
        ("trace a1@0 b1@5\n  expect nothing", "because  1 match not expected\n"),
        ("trace a1@0 b1@5\n  expect no match", "because  expected no match, got 1\n"),
        ("trace a1@0 b1@5\n  expect S matches", "because  expected S matches, got none\n"),
        ("trace a1@0 b1@5\n  expect S matches", "NO   k > 3"),
        ("trace a1@0 b1@5\n  expect R 2 matches", "because  expected R 2 matches, got 1\n"),
        ("trace a1@0 b1@5\n  expect R a=a1 b=b7", "no event that R sees has the id 'b7'"),
        ("trace a1@0 b1@5\n  expect R a=a1 c=b1", "c is no variable of R"),
        ("trace a1@0 b1@5\n  expect matches\n  why R a=a1 b=b1: k", "R a=a1 b=b1 is a match, not a near miss"),
        ("trace a1@0 b1@6\n  expect no match\n  why R a=a1 b=b1: 2 ms too late", "is not `2 ms too late`, but:"),
        ("trace a1@0 b1@6(k=1)\n  expect no match\n  why R a=a1 b=b1: 1 ms", "fails for more than is stated: k = a.k"),
        ("trace a1@0 b1@5\n  expect\n    R a=a1 b=b1\n      -> R(a=a1,b=b1):D@5(k=1)", "missing  R a=a1 b=b1"),
        (
            "trace a1@0 b1@5\n  expect R a=a1 b=b1\n    -> R(a=a1):D@6(k=0)",
            "because  the match is there, but what it emits differs: id, timestamp\n",
        ),
        (
            "trace a1@0 b1@5\n  expect\n    R a=a1 b=b1\n    -> R(a=a1,b=b1):D@5(k=0)\n    -> R(x):D@5(k=0)",
            "because  the match is there, but what it emits differs: the number of events\n",
        ),
        (
            "trace a1@0 b1@5 b2@6\n  expect\n    R a=a1 b=b1\n      -> R(a=a1,b=b1):D@5(k=1)\n    R a=a1 b=b2",
            "because  the match is there, but what it emits differs: attributes, 1 match missing\n",
        ),
    ],
)
def test_what_fails(command: Command, folder: Path, case: str, message: str) -> None:
    written(f"case one\n  about Something\n  {case}\n")
    done = command("test", folder / "r.cases")
    assert done.code == 1, done
    assert "r.cases:2  one: Something\n" in done.out
    assert message in done.out.replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("trace a1@0(l=1) b1@5\n  expect nothing", 'r.cases:3: event "a1": A has no attribute'),
        ("trace a1@5 b1@7\n    b2@6\n  expect nothing", 'r.cases:4: event "b2" of B from source "s"'),
        ("trace a1@5 b1@7\n    b2@6\n  expect nothing", 'is 1 ms older than "b1" on line 3, and comes'),
        (
            "trace b1@9 b2@6\n    b3@8\n  expect nothing",
            "; and 1 more of these, on line 4\n  hint     write",
        ),
        ("trace b1@8 b2@7\n    b3@1\n  expect nothing", "hint     write the events in order, or `disorder 7`\n"),
        ("trace a1@0 x1@5\n  expect nothing", 'r.cases:3: event "x1"'),
        ("trace a1@0\n  expect Q no match", "r.cases:4: no rule of r.parte is called Q; there are: R, S"),
        ("trace a1@0\n  expect Rs a=a1 b=b1", "r.cases:4: no rule of r.parte is called Rs; did you mean R?"),
        ("trace a1@0\n  expect none", "r.cases:4:3: one: did you mean `nothing`, or `no match`?"),
        ("\ttrace a1@0\n  expect nothing", "r.cases:3:4: indent with blanks, not with tabs"),
        ("trace x1:As@5\n  expect nothing", "which the program does not declare; did you mean A?"),
        ("trace a1@0\n  expect nothing\n  why Q a=a1: x", "r.cases:5: no rule of r.parte is called Q"),
        ("trace a1@0\n  expect nothing\n  why R b=b3: x", "r.cases:5: no event that R sees has the id 'b3'"),
        ("log no.jsonl\n  expect nothing", "r.cases:3: cannot read no.jsonl: No such file"),
        ("log bad.jsonl\n  expect nothing", "bad.jsonl:2: not JSON"),
        ("log late.jsonl\n  expect nothing", 'late.jsonl:3: event "b" of B'),
        ("trace a1@0\n  domain no.json\n  expect nothing", "r.cases:4: cannot read no.json"),
        ('trace a1@0\n  options x "y"\n  expect nothing', "r.cases:4: PARTElang has no option x; there are: none"),
        ("trace a1@0\n  domain p {}\n  expect nothing", "r.cases:4:"),
        ("trce a1@0\n  expect nothing", "r.cases:3:3: one: no field is called trce; did you mean trace?"),
        ("program q.parte\n  trace a1@0\n  expect nothing", "r.cases:3:3: there is no program q.parte; did you"),
        ("program r.txt\n  trace a1@0\n  expect nothing", "the ending of r.txt names no language"),
        ("program bad.parte\n  trace\n  expect nothing", "bad.parte:1:1: error[syntax"),
        ("program bad.parte\n  trace\n  expect nothing", "r.cases:3:3: the program bad.parte cannot be used"),
        ("program latin.parte\n  trace\n  expect nothing", "latin.parte:1:1: byte 0xff is not UTF-8 text"),
        ("program large.parte\n  trace\n  expect nothing", "large.parte: it has more than"),
    ],
)
def test_what_cannot_be_used(command: Command, case: str, message: str) -> None:
    Path("bad.jsonl").write_text('{"id": "a", "template": "A", "timestamp": 0}\n{', encoding="utf-8")
    late = [{"id": i, "template": "B", "timestamp": t, "attributes": {"k": 0}} for i, t in (("a", 7), ("b", 5))]
    Path("late.jsonl").write_text("\n\n".join(map(json.dumps, late)), encoding="utf-8")
    Path("bad.parte").write_text("templ A {}", encoding="utf-8")
    Path("latin.parte").write_bytes(b"\xff")
    Path("large.parte").write_text(" " * (2**24 + 1), encoding="utf-8")
    written(f"case one\n  {case}\n\ncase two\n  trace a1@0 b1@1\n  expect R 1 match\n")
    done = command("test", "r.cases")
    assert done.code == 2, done.out
    assert message in done.out
    assert "1 pass" in done.out  # the other case still runs


def test_there_must_be_tests(command: Command) -> None:
    Path("empty").mkdir()
    Path("x.txt").write_text("x", encoding="utf-8")
    for path, message in (
        ("empty", "there are no tests in empty"),
        ("no", "there is no no\n  hint: check the path"),
        ("r.parts", "there is no r.parts\n  hint: did you mean r.parte?"),
        ("x.txt", "x.txt is no file of tests"),
        ("r.parte", "r.parte has no tests beside it"),
    ):
        done = command("test", path)
        assert (done.code, done.out) == (2, "")
        assert message in done.err


def test_files_that_are_no_text(command: Command) -> None:
    Path("empty.cases").write_text("", encoding="utf-8")
    Path("latin.cases").write_bytes(b"case a\n  about \xff\n")
    Path("lonely.cases").write_text("case a\n  trace\n  expect nothing\n", encoding="utf-8")
    Path("large.cases").write_text("#" * (2**24 + 1), encoding="utf-8")
    Path("folder.cases").mkdir()
    os.mkfifo("pipe.cases")
    done = command("test")
    assert done.code == 2
    for message in (
        "empty.cases:1:1: the file has no case",
        "latin.cases:2:9: byte 0xff is not UTF-8 text",
        "lonely.cases:1:1: there is no program beside this file (lonely.parte, ",
        "large.cases: it has more than 16,777,216 bytes",
        "pipe.cases: it is a named pipe, not a file",
    ):
        assert message in done.out
    assert "folder.cases" not in done.out


def test_a_program_is_named_or_beside_the_tests(command: Command) -> None:
    written(f"program ../r.parte\n{PASSING}", "tests/many.cases")
    assert command("test", "tests").code == 0
    written(PASSING)
    Path("r.lead").write_text("FROM A\nMATCH A\n", encoding="utf-8")
    done = command("test", "r.cases")
    assert done.code == 2
    assert "there are r.parte and r.lead; name one, as `program r.parte`" in done.out


def test_imported_files_domains_and_logs(command: Command) -> None:
    Path("shared").mkdir()
    Path("shared/templates.parte").write_text("level 2\ntemplate A { k : Integer }\n", encoding="utf-8")
    Path("rules").mkdir()
    Path("rules/p.parte").write_text(
        'level 2\nimport "../shared/templates.parte"\npredicate known(Integer)\nrule R where a : A { known(k) }\n',
        encoding="utf-8",
    )
    event = {"id": "a1", "template": "A", "timestamp": 0, "attributes": {"k": 1}}
    Path("rules/log.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")
    Path("rules/d.json").write_text('{"known": {"true_for": [[1]]}}', encoding="utf-8")
    text = 'case a\n  domain\n    known {"true_for": [[0]]}\n  trace a1@0\n  expect R 1 match\n'
    text += "case b\n  domain d.json\n  log log.jsonl\n  expect R a=a1\n"
    written(text, "rules/p.cases")
    assert command("test", "rules").code == 2
    done = command("test", "rules", "--include", "shared")
    assert done.code == 0, done.out


def test_one_case_alone(command: Command) -> None:
    written(PASSING + "case bad\n  trace a1@0\n  expect matches\n")
    assert command("test").code == 1
    done = command("test", "--case", "near", "--case", "numbers")
    assert done.code == 0
    assert "2 tests: 2 pass" in done.out
    done = command("test", "--case", "nar")
    assert done.code == 2
    assert "did you mean near?" in done.err.replace("│", " ").replace("\n", " ")


def test_a_test_that_takes_for_ever(command: Command) -> None:
    Path("r.parte").write_text(
        "template A { k : Integer }\nrule R where a : A, b : A, c : A, d : A, e : A when b in a [0 ms, 9 ms], "
        "c in a [0 ms, 9 ms], d in a [0 ms, 9 ms], e in a [0 ms, 9 ms]\n",
        encoding="utf-8",
    )
    events = " ".join(f"a{number}@0" for number in range(100))
    written(f"case slow\n  trace {events}\n  expect matches\n\ncase quick\n  trace a1@0\n  expect 1 match\n")
    done = command("test", "--timeout", "0.2", "--model", "algebra")
    assert done.code == 1
    assert "TIMEOUT r.cases:2  slow" in done.out
    assert "it takes longer than 0.2 seconds" in done.out
    assert "2 tests: 1 pass, 1 timeout" in done.out


def test_a_test_that_is_too_much_for_the_definition(command: Command) -> None:
    patterns = ", ".join(f"p{number} : A" for number in range(5))
    windows = ", ".join(f"p{number} in p0 [0 ms, 9 ms]" for number in range(1, 5))
    Path("r.parte").write_text(
        f"template A {{ k : Integer }}\nrule R where {patterns} when {windows}\n", encoding="utf-8"
    )
    events = " ".join(f"a{number}@0" for number in range(3000))
    written(f"case large\n  trace {events}\n  expect matches\n")
    done = command("test", "--model", "algebra")
    assert done.code == 2
    assert "gave up: more than 5,000,000" in " ".join(done.out.split())


def test_models(command: Command) -> None:
    written("case one\n  trace a1@0 b1@5\n  expect R a=a1 b=b1\n")
    done = command("test", "--model", "sund")
    assert done.code == 2
    assert "has no model 'sund'" in " ".join(done.err.replace("│", " ").split())


GUESTS = {
    "q.ceql": ("SELECT * WHERE A; B\n", "case one\n  trace a1@0 c1@1 b1@2\n  expect 0-2 a1 b1\n", "expect 1-2 a1 b1"),
    "q.etalis": (
        "e(X) <- a(X) SEQ b(X).\n",
        "case one\n  trace a(1)@1 b(1)@2\n  expect e 1 match\n",
        "expect e no match",
    ),
    "q.lead": (
        "FROM A, B\nMATCH A -> B\n",
        "case one\n  trace a1@0 b1@1\n  expect 1: A=a1 B=b1\n",
        "expect 2: A=a1 B=b1",
    ),
}


@pytest.mark.parametrize("name", [name for name in GUESTS if language_of(name) is not None])
def test_every_language(command: Command, name: str) -> None:
    program, tests, wrong = GUESTS[name]
    Path(name).write_text(program, encoding="utf-8")
    Path("q.cases").write_text(tests, encoding="utf-8")
    assert command("test", "q.cases").code == 0
    Path("q.cases").write_text(tests[: tests.index("expect")] + wrong + "\n", encoding="utf-8")
    done = command("test", "q.cases")
    assert done.code == 1, done.out
    assert f"program  {name}" in done.out
    Path("q.cases").write_text(tests + "  why R a=a1: x\n", encoding="utf-8")
    done = command("test", "q.cases")
    assert done.code == 2


# --- For other programs -----------------------------------------------------------------------------------------------

MIXED = """\
case good
  trace a1@0 b1@5
  expect R a=a1 b=b1

case bad
  about A \u2603 <b>
  trace a1@0 b1@6
  expect R a=a1 b=b1

case worse
  trace a1@0(l=0)
  expect nothing

cse
"""


def test_junit(command: Command) -> None:
    written(MIXED)
    done = command("test", "--junit", "out.xml")
    assert done.code == 2
    assert "3 tests: 1 pass, 1 fail, 1 error, 1 flaw of files" in done.out
    root = ElementTree.parse("out.xml").getroot()
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "2",
        "skipped": "0",
    }
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert list(cases["r.cases good"]) == []
    (failure,) = cases["r.cases bad"]
    assert (failure.tag, failure.get("message")) == ("failure", "1 match missing")
    assert failure.text is not None
    assert "A \u2603 <b>\n" in failure.text
    assert "NO   b in a [0 ms, 5 ms]" in failure.text
    assert "rerun: parte test r.cases --case bad" in failure.text
    (error,) = cases["r.cases worse"]
    assert error.tag == "error"


def test_tap(command: Command) -> None:
    written(MIXED)
    done = command("test", "--tap")
    assert done.code == 2
    lines = done.out.splitlines()
    assert lines[:2] == ["TAP version 14", "1..4"]
    points = [line for line in lines if line.startswith(("ok", "not ok"))]
    assert points[:3] == [
        "ok 1 - sound: r.cases good",
        "not ok 2 - sound: r.cases bad",
        "not ok 3 - sound: r.cases worse",
    ]
    assert "no entry is called" in points[3]


def test_json(command: Command) -> None:
    written(MIXED)
    done = command("test", "--json")
    assert done.code == 2
    (line,) = done.out.splitlines()
    report = json.loads(line)
    assert report["counts"] == {"pass": 1, "fail": 1, "error": 1}
    assert [(test["id"], test["line"], test["verdict"]) for test in report["tests"]] == [
        ("good", 2, "pass"),
        ("bad", 6, "fail"),
        ("worse", 11, "error"),
    ]
    bad = report["tests"][1]
    assert bad["missing"] == [{"rule": "R", "bindings": {"a": "a1", "b": "b1"}, "emits": []}]
    assert bad["expected"] == ["R a=a1 b=b1"]
    assert bad["got"] == ["nothing"]
    assert report["flaws"][0]["line"] == 15
    assert command("test", "--json", "--tap").code == 2
