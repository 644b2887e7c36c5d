"""Case files: whatever a case holds is written and read again, and every mistake is told where it stands."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.casefiles.cases import laid_out, read_cases, write_cases
from parte.conformance.fixtures import Expected, Fixture, Place, Repeated
from parte.conformance.partelang.notation import NOTATION

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "",
        " ",
        "a b",
        '"',
        '"x"',
        "[x]",
        "{",
        "a1@0",
        "#",
        "= x",
        "nothing",
        "  -> x",
        "\t",
        "\r\n",
        "x;y",
        "a  b",
        "\u2028",
    ]
)
NAMES = (
    st.sampled_from(["R", "a1", "A", "warning", "rejected", "failed", "nothing", "x y", "", 'é"', "a@1", "A>=7"])
    | TEXTS
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
ATTRIBUTES = st.dictionaries(NAMES, VALUES, max_size=3)
TIMES = st.integers(-(2**64), 2**64) | st.sampled_from(["2018-01-01T08:00:00Z", "7", "-", "x y"]) | st.floats(0, 9)
EVENTS = st.fixed_dictionaries(
    {"id": NAMES, "template": NAMES, "timestamp": TIMES, "attributes": ATTRIBUTES}, optional={"source": NAMES}
)
SHORT = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[a-z][0-9]", fullmatch=True),
        "template": st.sampled_from("AB"),
        "timestamp": st.integers(-9, 9),
        "source": st.sampled_from(["s", "x"]),
        "attributes": st.dictionaries(st.sampled_from("kx"), VALUES, max_size=2),
    }
)
PROMISES = st.fixed_dictionaries({"source": NAMES, "template": NAMES, "progress": TIMES}) | st.fixed_dictionaries(
    {"template": st.just("A"), "progress": TIMES}
)
ITEMS = SHORT | EVENTS | PROMISES | st.dictionaries(NAMES, VALUES, max_size=3)
EMITTED = st.fixed_dictionaries({"id": NAMES, "template": NAMES, "timestamp": TIMES, "attributes": ATTRIBUTES})
BINDINGS = st.dictionaries(NAMES, NAMES, max_size=3)
MATCHES = st.fixed_dictionaries({"rule": NAMES, "bindings": BINDINGS, "emits": st.lists(EMITTED, max_size=2)})
FAILURES = st.fixed_dictionaries({"rule": NAMES, "emission": st.integers(0, 9), "bindings": BINDINGS})
SUPPRESSED = st.builds(lambda failure, passed: failure | {"passed": passed}, FAILURES, NAMES)
CODES = st.from_regex(r"[a-z]+(-[a-z]+)*", fullmatch=True)
NUMBERS = st.integers(1, 10**6)
PLACES = st.builds(Place, CODES, NUMBERS, NUMBERS | st.none())
EXPECTED = st.builds(Expected, rejected=PLACES) | st.builds(
    lambda matches, warnings, failures, suppressed: Expected(
        tuple(matches), None, tuple(warnings), tuple(failures), tuple(suppressed)
    ),
    st.lists(MATCHES, max_size=3),
    st.lists(PLACES, max_size=2),
    st.lists(FAILURES, max_size=2),
    st.lists(SUPPRESSED, max_size=2),
)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)
LINES = TEXTS | st.builds(Repeated, TEXTS.filter(bool), st.integers(1, 1000))
CASES = st.builds(
    Fixture,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    LISTS,
    LISTS,
    st.just(()),
    TEXTS,
    st.lists(LINES, max_size=5).map(tuple),
    st.dictionaries(NAMES, VALUES, max_size=2),
    st.integers(0, 10**9),
    st.dictionaries(NAMES, NAMES, max_size=2),
    st.lists(ITEMS, max_size=4).map(tuple),
    EXPECTED,
)


@given(st.lists(CASES, max_size=2))
def test_what_is_written_is_read_again(cases: list[Fixture]) -> None:
    text = write_cases(cases, NOTATION)
    read = read_cases(text, NOTATION)
    assert not read.problems, text
    assert [dumped(case) for _, case in read.cases] == [dumped(case) for case in cases], text
    assert laid_out(text, NOTATION) == text


def dumped(case: Fixture) -> str:
    """All of a case, the order of keys and the kinds of numbers included."""
    return json.dumps(asdict(case))


FILE = """# What this file is about.

profile core
since 1.0
sources D §4.2
events A(k=0, s="") B(k=1)

# Both have one attribute.
text both
    template A { k : Integer, s : String }
  = ""
    template B { k : Integer }

case windows/one
  about One case
  clauses windows-closed
  program both
    rule R where a : A

    when b in a [0 ms, 1 ms]
  domain p {"true_for": [[1, "x"]]}
  disorder 4
  trace
    a1@0 a2:A@5/fast(s="x y") a3@5/(k=2) B>=7 B>=9/fast c1:A@2018-01-01T08:00:00Z b1@3
    {"id": "a b", "template": "A", "timestamp": 0}
    a4@9
  expect
    R a=a1
      -> R(a=a1):D@0(k=1, x=[1, 2])
    R a=a2
    failed R#2 a=a1
    warning unused-type at 3:7

events A(k=5)

case windows/two
  about "Another case"
  profile rejects
  clauses windows-closed events
  sources []
  program
  = {"repeat": "x", "times": 3}
  expect rejected invalid-trace at line 2
# The end.
"""


def test_a_file_by_example() -> None:
    read = read_cases(FILE, NOTATION)
    assert read.problems == ()
    ((first_line, first), (second_line, second)) = read.cases
    assert (first_line, second_line) == (14, 36)
    assert (first.id, first.description, first.profile) == ("windows/one", "One case", "core")
    assert (first.since, first.origin) == ("1.0", "hand")
    assert (first.clauses, first.sources, second.sources) == (("windows-closed",), ("D §4.2",), ())
    head = "template A { k : Integer, s : String }\n\ntemplate B { k : Integer }"
    assert first.text == f"{head}\nrule R where a : A\n\nwhen b in a [0 ms, 1 ms]"
    assert (first.domain, first.disorder) == ({"p": {"true_for": [[1, "x"]]}}, 4)
    a1 = {"id": "a1", "template": "A", "timestamp": 0, "source": "s", "attributes": {"k": 0, "s": ""}}
    assert first.trace == (
        a1,
        a1 | {"id": "a2", "timestamp": 5, "source": "fast", "attributes": {"k": 0, "s": "x y"}},
        {"id": "a3", "template": "A", "timestamp": 5, "attributes": {"k": 2, "s": ""}},
        {"source": "s", "template": "B", "progress": 7},
        {"source": "fast", "template": "B", "progress": 9},
        a1 | {"id": "c1", "timestamp": "2018-01-01T08:00:00Z"},
        a1 | {"id": "b1", "template": "B", "timestamp": 3, "attributes": {"k": 1}},
        {"id": "a b", "template": "A", "timestamp": 0},
        a1 | {"id": "a4", "timestamp": 9},
    )
    emitted = {"id": "R(a=a1)", "template": "D", "timestamp": 0, "attributes": {"k": 1, "x": [1, 2]}}
    assert first.expected == Expected(
        (
            {"rule": "R", "bindings": {"a": "a1"}, "emits": [emitted]},
            {"rule": "R", "bindings": {"a": "a2"}, "emits": []},
        ),
        None,
        (Place("unused-type", 3, 7),),
        ({"rule": "R", "emission": 2, "bindings": {"a": "a1"}},),
    )
    assert (second.description, second.text, second.clauses) == ("Another case", "xxx", ("windows-closed", "events"))
    assert second.expected == Expected((), Place("invalid-trace", 2))
    canonical = laid_out(FILE, NOTATION)
    changes = {'"Another case"': "Another case", "# The end": "\n# The end", '  = ""': "", "a2:A@5": "a2@5"}
    expected = FILE
    for old, new in changes.items():
        expected = expected.replace(old, new)
    assert canonical == expected
    assert laid_out(canonical, NOTATION) == canonical


SMALL = """\
since 1.0
case a/b
  about A case
  profile core
  clauses c
  expect nothing
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("since 1.0", "sense 1.0", 1, "expected case, text, events, profile"),
        ("since 1.0", "Since 1.0", 1, "a word in small letters"),
        ("since 1.0", " since 1.0", 1, "expected an entry at the margin"),
        ("since 1.0", "text a b", 1, "a name that no other text has"),
        ("since 1.0", "events A", 1, "a template with attributes"),
        ("since 1.0", "events A(k=0)\n  about x", 1, "only a case has fields"),
        ("case a/b", "case", 2, "expected the id"),
        ('case a/b', 'case "a', 2, "not JSON"),
        ("about A", 'about "A', 3, "not JSON"),
        ("profile", "profiles", 4, "a case has no further profiles"),
        ("clauses c", "clauses c\n  clauses d", 6, "a case has no further clauses"),
        ("clauses c", "clauses [1]", 5, "a list of JSON strings"),
        ("clauses c", "clauses c\n  program a b", 6, 'no text "a"'),
        ("clauses c", "clauses c\n  program\n  = 5", 7, "expected a JSON string"),
        ("clauses c", 'clauses c\n  program\n  = {"repeat": "a", "times": 9999999}', 7, "9,999,999 characters"),
        ("clauses c", 'clauses c\n  program\n  = {"repeat": "a", "times": -9}', 7, "expected a JSON string"),
        ("clauses c", 'clauses c\n  program\n  = {"repeat": "a", "times": 1e999}', 7, "beyond the finite binary64"),
        ("clauses c", "clauses c\n  domain\n    p {}\n    q [1e999]", 8, "beyond the finite binary64"),
        ("clauses c", "clauses c\n  trace a1@0(k=-1e999)", 6, "beyond the finite binary64"),
        ("clauses c", "clauses c\n   program x", 6, "after four blanks"),
        ("clauses c", "clauses c\n  domain\n    p {}\n    q {", 8, "not JSON"),
        ("clauses c", "clauses c\n  disorder -4", 6, "milliseconds"),
        ("clauses c", "clauses c\n  trace a1@0 a2", 6, 'found "a2"'),
        ("clauses c", "clauses c\n  trace\n    a1@0\n    a1@0(k=1", 8, "expected `,` or `)`"),
        ("clauses c", "clauses c\n  trace a1@0(k=1,k=2)", 6, "one more attribute"),
        ("clauses c", "clauses c\n  trace a1@0(k=NaN)", 6, "NaN"),
        ("clauses c", "clauses c\n  trace a1@0(k=x)", 6, "a value of JSON"),
        ("clauses c", "clauses c\n  trace a1@0(k=1)x", 6, "a blank behind the event"),
        ("clauses c", 'clauses c\n  trace {"a": 1', 6, "not JSON"),
        ("nothing", "", 6, "expected answers"),
        ("nothing", "R", 6, "expected a rule and what it binds"),
        ("nothing", "\n    R a=a1\n      -> x", 8, "expected an event"),
        ("nothing", "\n    R a=a1\n      -> e:E@0/x", 8, "an event without a source"),
        ("nothing", "\n    rejected x at 1:2\n    nothing", 7, "one rejection and nothing else"),
        ("nothing", "failed R a=a1", 6, "expected a rule and what it binds"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_where_it_stands(old: str, new: str, line: int, words: str) -> None:
    good = SMALL.replace("since 1.0\ncase a/b", "case c/d").replace("  about", "  since 1.0\n  about")
    read = read_cases(SMALL.replace(old, new, 1) + good, NOTATION)
    assert [problem.line for problem in read.problems if words in problem.message] == [line], read.problems
    assert [case.id for _, case in read.cases][-1] == "c/d"


def test_messages_are_short_whatever_is_in_the_file() -> None:
    for long in ("x" * 10**6, "[" * 10**6, '"' * 10**6):
        for old in ("a/b", "A case", "core", "c\n", "nothing"):
            read = read_cases(SMALL.replace(old, long, 1), NOTATION)
            assert sum(len(problem.message) for problem in read.problems) < 2000


def test_missing_fields_are_all_told() -> None:
    read = read_cases("case a/b\n", NOTATION)
    words = " ".join(problem.message for problem in read.problems)
    assert all(f"{name} is missing" in words for name in ("about", "profile", "since", "clauses", "expect"))
