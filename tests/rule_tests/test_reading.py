"""Files of tests: the notation, and every mistake with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.casefiles.cases import Answers, Notation, read_cases
from parte.conformance.casefiles.layout import Misread
from parte.conformance.casefiles.rule_tests import Count, RuleTest, read_tests
from parte.conformance.kit import KIT
from parte.conformance.partelang.notation import NOTATION
from parte.languages.registry import languages

CASE = "case one\n  trace a1@0\n  expect no match\n"


def notation(_: str) -> Notation:
    return NOTATION


def rule_test_of(text: str) -> RuleTest:
    tests, problems = read_tests(text, notation)
    assert not problems
    (test,) = tests
    return test


def problems_in(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in read_tests(text, notation)[1]]


def test_everything_at_once() -> None:
    text = """\
# A remark
program ../rules/r.parte
domain tables.json
disorder 5 seconds
events A(k=0)

case "first one"
  about Two events
  disorder 7
  trace a1@0 a2@2026-11-24T08:00:00Z(k=2)
    b1:Other@3
  expect
    R a=a1 b=b1
      -> R(a=a1,b=b1):D@5(k=2)
  why R a=a2: k = 0
  why S : too late
"""
    test = rule_test_of(text)
    assert (test.id, test.about, test.program, test.disorder) == ("first one", "Two events", "../rules/r.parte", 7)
    assert (test.domain_file, test.places, test.line) == ("tables.json", (10, 10, 11), 7)
    assert [item["attributes"] for item in test.trace] == [{"k": 0}, {"k": 2}, {}]
    assert isinstance(test.expected, Answers)
    assert test.expected.matches[0]["emits"][0]["attributes"] == {"k": 2}
    assert [(str(miss), miss.text, miss.line) for miss in test.misses] == [
        ("R a=a2", "k = 0", 15),
        ("S", "too late", 16),
    ]


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("matches", Count("", None)),
        ("no match", Count("", 0)),
        ("no matches", Count("", 0)),
        ("1 match", Count("", 1)),
        ("3 matches", Count("", 3)),
        ("R matches", Count("R", None)),
        ("R no match", Count("R", 0)),
        ("R  12 matches", Count("R", 12)),
        ("matches matches", Count("matches", None)),
    ],
)
def test_numbers_of_matches(written: str, count: Count) -> None:
    test = rule_test_of(f"case one\n  trace\n  expect {written}\n")
    assert test.expected == (count,)
    assert rule_test_of(f"case one\n  trace\n  expect {count}\n").expected == (count,)


def test_nothing_is_no_answer() -> None:
    assert rule_test_of("case one\n  trace\n  expect nothing\n").expected == Answers(())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file has no case"),
        ("# only a remark\n", 1, "the file has no case"),
        ("program p.parte\n", 1, "the file has no case"),
        ("cas one\n", 1, 'no entry is called "cas"; did you mean case?'),
        ("profile core\n" + CASE, 1, 'no entry is called "profile"'),
        ("text A\n    template A {}\n" + CASE, 1, 'no entry is called "text"'),
        ("program p.parte\n  about x\n" + CASE, 2, "only a case has fields below it"),
        ("program\n" + CASE, 1, "expected the path of a file behind program"),
        ("Case one\n", 1, "expected a word in small letters"),
        ("case\n  trace\n  expect nothing\n", 1, "expected the id of a case"),
        ("case " + "x" * 201 + "\n  trace\n  expect nothing\n", 1, "expected an id of at most 200"),
        (CASE + CASE, 4, "one: a case in line 1 has this id too"),
        ("case one\n  trce a1@0\n  expect nothing\n", 2, "no field is called trce; did you mean trace?"),
        (
            "case one\n  program\n    template A {}\n  trace\n  expect nothing\n",
            3,
            "expected the path of a file behind program",
        ),
        ("case one\n  clauses x\n  trace\n  expect nothing\n", 2, "no field is called clauses"),
        ("case one\n  trace a1\n  expect nothing\n", 2, "expected an event like a1@5(k=2)"),
        ("case one\n  trace a1@0\n    b1 5\n  expect nothing\n", 3, "expected an event like a1@5(k=2)"),
        ("case one\n  trace a1@0(k=)\n  expect nothing\n", 2, "expected a value of JSON"),
        ("case one\n  trace\n  trace\n  expect nothing\n", 3, "a case has one field trace"),
        ("case one\n  trace\n  log x.jsonl\n  expect nothing\n", 3, "a trace or a log, not both"),
        ("case one\n  log\n  expect nothing\n", 2, "expected the path of a file behind log"),
        ("case one\n  expect nothing\n", 1, "the events are missing"),
        ("case one\n  trace a1@0\n", 1, "expect is missing"),
        ("case one\n  trace a1@0\n  expect\n", 3, "expected matches like R a=a1"),
        ("case one\n  trace a1@0\n  expect R a:a1\n", 3, "expected a rule and what it binds"),
        ("case one\n  trace a1@0\n  expect three matches please\n", 3, "expected a rule and what it binds"),
        ("case one\n  trace a1@0\n  expect -1 matches\n", 3, "expected a rule and what it binds"),
        ("case one\n  trace\n  expect\n    R 1 match\n    R a=a1\n", 4, "or numbers of them, not both"),
        ("case one\n  trace\n  expect\n    R 1 match\n    R no match\n", 5, "of R is stated already"),
        ("case one\n  trace\n  expect\n    matches\n    no match\n", 5, "the number of matches is stated already"),
        ("case one\n  trace\n  expect\n    nothing\n    R a=a1\n", 4, "`nothing` stands alone"),
        ("case one\n  trace\n  expect rejected unknown-type at 6:29\n", 3, "`parte check` reports errors"),
        ("case one\n  trace\n  expect warning unused-type at 1:6\n", 3, "`parte check` reports errors"),
        ("case one\n  trace\n  why\n", 3, "expected a rule, events and a reason"),
        ("case one\n  trace\n  why R a=a1\n", 3, "expected a rule, events and a reason"),
        ("case one\n  trace\n  why\n    R a=a1: x\n    R b: x\n", 5, "expected a rule, events and a reason"),
        ("case one\n  trace\n  disorder soon\n  expect nothing\n", 3, "expected a"),
        ("case one\n  trace\n  disorder -5 seconds\n  expect nothing\n", 3, "a disorder is not negative"),
        ("case one\n  trace\n  options x\n  expect nothing\n", 3, "not JSON"),
        ("case one\n  trace\n  domain {\n  expect nothing\n", 3, "not JSON"),
        ("case one\n   trace\n", 2, "expected a word in small letters"),
        ("case one\n trace\n", 2, "expected an entry at the margin"),
    ],
)
def test_a_mistake_has_its_line(text: str, line: int, message: str) -> None:
    problems = problems_in(text)
    assert any(where == line and message in said for where, said in problems), problems


def test_a_mistake_in_a_setting_is_reported_once() -> None:
    text = "disorder soon\n" + CASE + CASE.replace("one", "two")
    assert [line for line, _ in problems_in(text)] == [1]


def test_a_program_that_cannot_be_used_is_reported_where_it_is_named() -> None:
    def looked_up(program: str) -> Notation:
        if program == "":
            raise Misread("no program beside this file")
        if program == "bad.parte":
            raise Misread("no such program")
        return NOTATION

    text = f"{CASE}{CASE.replace('one', 'two')}program bad.parte\n{CASE.replace('one', 'three')}program p\n"
    tests, problems = read_tests(text + CASE.replace("one", "four"), looked_up)
    assert [test.id for test in tests] == ["four"]
    assert [(problem.line, problem.message) for problem in problems] == [
        (1, "no program beside this file"),
        (7, "no such program"),
    ]


def test_the_other_cases_stay() -> None:
    tests, problems = read_tests("case bad\n  trace x\n  expect nothing\n" + CASE, notation)
    assert [test.id for test in tests] == ["one"]
    assert len(problems) == 1


def test_a_suite_accepts_no_form_of_these_tests() -> None:
    """`expect` with numbers, `why`, `log` and a program in a file are for tests beside rules only."""
    head = "profile core\nsince 1.0\nclauses windows-closed\n"
    case = "case a/b\n  about Something here\n  program\n    template A {}\n  trace a1@0\n  expect nothing\n"
    assert not read_cases(head + case, NOTATION).problems
    for text in (
        head + "program p.parte\n" + case,
        head + case.replace("expect nothing", "expect 3 matches"),
        head + case.replace("expect nothing", "expect no match"),
        head + case.replace("trace a1@0", "log x.jsonl"),
        head + case + "  why R a=a1: x\n",
    ):
        assert read_cases(text, NOTATION).problems, text


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "case one",
                    "case two",
                    "program p",
                    "events A(k=0)",
                    "  trace a1@0",
                    "  expect no match",
                    "    a2@3",
                ),
                *("  why R a=a1: x", "  why", "  expect R a=a1", "# x", "", "  about x", "  = 5", "  domain {", "x y"),
                *(
                    "  expect",
                    "    R 1 match",
                    "  log f",
                    "disorder 5",
                    " x",
                    "  options k",
                    "\t",
                    "case",
                    "  disorder 3 s",
                ),
            ]
        ),
        max_size=12,
    )
)
def test_every_text_is_read_or_has_a_mistake_on_a_line_of_it(lines: list[str]) -> None:
    text = "\n".join(lines)
    tests, problems = read_tests(text, notation)
    assert tests or problems
    assert all(1 <= problem.line <= max(1, len(lines)) for problem in problems)
    assert len({test.id for test in tests}) == len(tests)


def test_every_language_has_a_notation_for_traces() -> None:
    for language in languages():
        kit = language[KIT]
        items = list(kit.notation.write_items(kit.example.trace, {}))
        written = "case one\n  trace\n" + "".join(f"    {item}\n" for item in items) + "  expect 1 match\n"
        (test,), problems = read_tests(written, lambda _, kit=kit: kit.notation)  # type: ignore[misc]
        assert not problems
        assert list(test.trace) == list(kit.example.trace)
