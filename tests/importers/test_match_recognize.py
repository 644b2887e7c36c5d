"""Queries with MATCH_RECOGNIZE as rules: their matches, what is refused and where, and input that is no SQL."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import parte
from parte.importers.imported import Imported, Options, Place, Refused, importer
from parte.importers.match_recognize import exclusion, queries, translation
from parte.logs.mapping import Time
from parte.semantics.events.types import Scalar
from tests.campaigns.recognizing import Recognizing, sql
from tests.campaigns.running import run
from tests.sampling import sampled

TABLE = (
    "CREATE TABLE t (g VARCHAR NOT NULL, k VARCHAR NOT NULL, x INT, y DOUBLE, ok BOOLEAN, d DECIMAL(10, 2), n CHAR(3),"
    " b BYTES, ts TIMESTAMP(3), fine TIMESTAMP(6), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND);\n"
)
APART = "apart"
"""Definitions: A, B and C are the rows whose `k` is a, b and c."""


def query(
    pattern: str,
    define: str = "",
    *,
    skip: str = "AFTER MATCH SKIP TO NEXT ROW",
    order: str = "ts",
    measures: str = "",
    rows: str = "",
    partition: str = "PARTITION BY g",
    end: str = ")",
) -> str:
    """A query, each clause on a line of its own; the table is on the first line."""
    if define == APART:
        define = ", ".join(f"{name} AS {name}.k = '{name.lower()}'" for name in "ABC" if name in pattern)
    parts = [
        TABLE + "SELECT * FROM t MATCH_RECOGNIZE (",
        partition,
        f"ORDER BY {order}",
        measures and f"MEASURES {measures}",
        rows,
        skip,
        f"PATTERN ({pattern})",
        define and f"DEFINE {define}",
    ]
    return "\n".join([*parts, end])


def result(text: str, *, nearest: bool = False) -> Imported | Refused:
    [only] = queries("q.sql", text, Options(nearest=nearest))
    return only


def imported(text: str, *, nearest: bool = False) -> Imported:
    rule = result(text, nearest=nearest)
    assert isinstance(rule, Imported), rule
    return rule


def matches(rule: Imported, trace: str) -> list[str]:
    """The matches on events such as `a1@5`: the kind, an id, and the time; a number behind `:` is the attribute x."""
    program = parte.parse(rule.program)
    names = {attribute.name for attribute in program.templates[0].attributes}
    events = []
    for written in trace.split():
        name, _, rest = written.partition("@")
        time, _, number = rest.partition(":")
        values = {"g": "g", "k": name[0]} | ({"x": int(number)} if number else {})
        attributes = {key: value for key, value in values.items() if key in names}
        events.append(parte.Event(name, program.templates[0].name, int(time), attributes))
    all_matches = parte.run(program, events, model="algebra")
    assert all_matches == parte.run(program, events)
    return [" ".join(identity for _, identity in match.bindings) for match in all_matches]


# --- Matches -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "define", "trace", "expected"),
    [
        ("A B", APART, "a1@1 b2@2 a3@3 c4@4 b5@5", ["a1 b2"]),  # rows are beside each other
        ("A B C", APART, "a1@1 b2@2 c3@3", ["a1 b2 c3"]),
        ("A X*? B", APART, "a1@1 c2@2 b3@3 b4@4", ["a1 b3"]),  # the first B
        ("A X* B", APART, "a1@1 c2@2 b3@3 b4@4 c5@5", ["a1 b4"]),  # the last B
        ("A C* B", APART, "a1@1 c2@2 b3@3 a4@4 a5@5 b6@6", ["a1 b3", "a5 b6"]),
        ("A C+? B", APART, "a1@1 b2@2 a3@3 c4@4 b5@5", ["a3 b5"]),
        ("A{3,} B", APART, "a1@1 a2@2 a3@3 a4@4 b5@5", ["a1 b5", "a2 b5"]),
        ("A C{1,2} B", APART, "a1@1 c2@2 c3@3 b4@4 a5@5 b6@6", ["a1 b4"]),
        ("A X{2}? B", APART, "a1@1 b2@2 c3@3 b4@4", ["a1 b2 c3 b4"]),
        ("A X{9} B", APART, "a1@1 " + " ".join(f"c{n}@{n}" for n in range(2, 11)) + " b11@11", ["a1 b11"]),
        ("A X+? B", APART, "a1@1 b2@2 b3@3", ["a1 b2 b3"]),
        ("(A | B) C", APART, "a1@1 c2@2 b3@3 c4@4", ["a1 c2", "b3 c4"]),
        ("A B+", APART, "a1@1 b2@2 b3@3", ["a1 b2"]),
        ("A X*? B Y*? C", APART, "a1@1 b2@2 b3@3 c4@4 c5@5", ["a1 b2 c4"]),
        ("A U", "U AS U.x > PREV(U.x)", "a1@1:1 a2@2:2 a3@3:2", ["a1 a2"]),
        ("A B", "B AS B.ts < A.ts + INTERVAL '0.002' SECOND", "a1@1 a2@2 a3@4", ["a1 a2"]),
        ("A A B", f"{APART} WITHIN INTERVAL '0.003' SECOND", "a1@1 a2@2 b3@3 a4@4 a5@5 b6@7", ["a1 a2 b3"]),
    ],
)
def test_a_rule_has_the_matches_of_its_query(pattern: str, define: str, trace: str, expected: list[str]) -> None:
    definitions, _, within = define.partition(" WITHIN")
    text = query(pattern, definitions).replace("\nDEFINE", f" WITHIN{within}\nDEFINE" if within else "\nDEFINE")
    assert matches(imported(text), trace) == expected


@pytest.mark.parametrize(
    ("pattern", "trace", "expected"),
    [
        ("A B", "a1@1 b2@1", []),
        ("A B", "a1@1 c2@1 b3@2", []),
        ("A X*? B", "a1@1 b2@2 b3@2", []),
        ("A C* B", "a1@1 c2@2 c3@2 b4@3", ["a1 b4"]),  # rows of a gap may have one time: their order means nothing
    ],
)
def test_rows_of_one_time_match_only_if_their_order_means_nothing(
    pattern: str, trace: str, expected: list[str]
) -> None:
    assert matches(imported(query(pattern, APART)), trace) == expected


@pytest.mark.parametrize("skip", ["", "AFTER MATCH SKIP PAST LAST ROW", "AFTER MATCH SKIP TO LAST B"])
def test_a_skip_clause_that_skips_no_match_means_the_same(skip: str) -> None:
    assert not imported(query("A B", APART, skip=skip)).differences
    overlapping = result(query("A B", "B AS B.k = 'b'", skip=skip))
    # the second row is the next one, so that to skip to it is to skip nothing
    assert isinstance(overlapping, Imported) == ("LAST B" in skip)


def test_nulls_of_a_partition_are_one_partition() -> None:
    text = query("A B", "A AS A.g = 'u' OR A.g IS NULL").replace("g VARCHAR NOT NULL", "g VARCHAR")
    program = parte.parse(imported(text).program)
    events = [parte.Event(f"e{n}", "T", n, {"g": g} if g else {}) for n, g in enumerate(["u", "", "u", ""])]
    assert [dict(match.bindings) for match in parte.run(program, events)] == [
        {"a": "e0", "b": "e2"},
        {"a": "e1", "b": "e3"},
    ]


def test_measures_are_emitted() -> None:
    measures = "A.x AS first_x, C.x + 1 AS next_x, COUNT(B.*) AS many, MIN(B.x) AS least, A.ts AS begins, C.ok AS o"
    rule = imported(query("A B* C", APART, measures=measures))
    program = parte.parse(rule.program)
    events = [
        parte.Event(f"e{n}", "T", n, {"g": "g", "k": kind, **({"x": x} if x is not None else {})})
        for n, (kind, x) in enumerate([("a", 5), ("b", 3), ("b", 2), ("b", None), ("c", 7)])
    ]
    [match] = parte.run(program, events)
    assert match.emits[0].timestamp == 4
    assert match.emits[0].attributes == {"g": "g", "first_x": 5, "next_x": 8, "many": 3, "least": 2, "begins": 0}


def test_a_table_may_be_declared_behind_its_query() -> None:
    table, text = query("A B", "A AS A.g = 'u'").split("\n", 1)
    assert parte.parse(imported(f"{text};{table}").program) == parte.parse(imported(f"{table}{text}").program)


def test_types_follow_from_literals_if_no_table_is_declared() -> None:
    text = "SELECT * FROM log MATCH_RECOGNIZE (PARTITION BY who ORDER BY ts PATTERN (A B) DEFINE A AS A.n > 1 AND"
    text += " who <> '', B AS B.n > A.m AND B.m < 1.5 AND NOT B.ok AND B.s LIKE 'a%' AND B.z = 1)"
    rule = imported(text.replace("PATTERN", "AFTER MATCH SKIP TO NEXT ROW PATTERN"))
    template = parte.parse(rule.program).templates[0]
    assert {attribute.name: attribute.type for attribute in template.attributes} == {
        "n": Scalar.FLOAT,
        "who": Scalar.STRING,
        "m": Scalar.FLOAT,
        "ok": Scalar.BOOLEAN,
        "s": Scalar.STRING,
        "z": Scalar.INTEGER,
    }
    assert all(attribute.optional for attribute in template.attributes)
    assert rule.mapping is not None
    assert rule.mapping.timestamp == Time("ts", ("iso", "epoch"))


def test_names_of_sql_become_names_of_the_language() -> None:
    text = (
        'CREATE TABLE "my log" ("no" INT NOT NULL, `time stamp` INT NOT NULL, "timestamp" INT NOT NULL, t TIMESTAMP);'
        'SELECT * FROM "my log" MATCH_RECOGNIZE (PARTITION BY "no" ORDER BY t PATTERN ("first" "when\n) rule x") '
        'DEFINE "first" AS "first".`time stamp` > 1 AND "timestamp" > 2 AND "no" > 0) AS m'
    )
    rule = imported(text.replace("; SELECT", ";SELECT"), nearest=True)
    program = parte.parse(rule.program)
    assert program.templates[0].name == "MyLog"
    assert rule.mapping is not None
    assert {slot.path or name for name, slot in rule.mapping.templates[0].slots.items()} == {
        '"time stamp"',
        "timestamp",
        "no",
    }


def test_views_and_files_name_the_rules(tmp_path: Path) -> None:
    query = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (A))"
    text = f"CREATE VIEW brute_force AS {query};\nINSERT INTO alerts {query};\n{query} AS m;\n{query};\nSELECT 1"
    (tmp_path / "some file.sql").write_text(text, encoding="utf-8")
    results = list(
        importer("match-recognize")([str(tmp_path / "some file.sql"), str(tmp_path / "none.sql")], Options())
    )
    assert [rule.name for rule in results] == ["brute_force", "alerts", "m", "some_file", "some file", "none"]
    assert [isinstance(rule, Imported) for rule in results] == [True] * 4 + [False] * 2
    assert results[4].place == Place(str(tmp_path / "some file.sql"), 5, 1)


# --- What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        (query("A B | C"), "alternatives of several rows", 8, 10),
        (query("(A B)+"), "a quantifier behind several rows", 8, 15),
        (query("A* B"), "may begin with no row", 8, 10),
        (query("^ A"), "`^`", 8, 10),
        (query("A $"), "`$`", 8, 12),
        (query("{- A -} B"), "`{- … -}`", 8, 10),
        (query("PERMUTE(A, B)"), "PERMUTE", 8, 10),
        (query("A{2,1}"), "not less than the first", 8, 15),
        (query("A{9999999}"), "a number up to 100,000", 8, 12),
        (query("A B{17,}"), "over 16 rows at the end", 8, 12),
        (query("A X* Y* B"), "beside each other with quantifiers", 8, 15),
        (query("A X* Y*"), "beside each other with quantifiers", 8, 15),  # a campaign's: the last gap hid the other
        (query(" ".join("ABCDEFGHIJKLMNOPQ")), "over 16 rows", 8, 10),
        (query(""), "the pattern is empty", 8, 1),
        (query("A 1"), "expected a variable, found `1`", 8, 12),
        (query("A B", "B AS B.x > SUM(A.x)"), "SUM in DEFINE", 9, 23),
        (query("A B", "B AS PREV(A.x) > 1"), "PREV of the first row", 9, 18),
        (query("A B", "A AS NEXT(A.x) > 1"), "not bound to an event yet", 9, 18),
        (query("A X* B", "X AS X.x > PREV(X.x)"), "a row of X, which has a quantifier", 9, 24),
        (query("A X* B", "B AS B.x > X.x"), "a row of X, which has a quantifier", 9, 19),
        (query("A B", "A AS A.x > B.x"), "B has no row yet", 9, 19),
        (query("A B", "A AS LAST(A.x, 1) > 1"), "fewer rows of A", 9, 18),
        (query("(A | B) C", "C AS C.x > A.x"), "depends on the alternative", 9, 19),
        (query("A", "A AS A.q > 1"), "has no column q", 9, 13),
        (query("A", "A AS A.b = 1"), "a rule has integers, floats, strings and booleans", 1, 115),
        (query("A", "A AS A.x"), "expected a condition, found a value: A.x", 9, 13),
        (query("A", "A AS A.x = NULL"), "expected IS NULL", 9, 8),
        (query("A", "A AS A.x = 'a'"), "found Integer and String", 9, 13),
        (query("A", "A AS A.x * 0.1 > 1"), "SQL computes decimals", 9, 13),
        (query("A", "A AS A.x / 2 > 1"), "a division of integers", 9, 13),
        (query("A", "A AS UPPER(A.k) = 'A'"), "the function UPPER", 9, 19),
        (query("A", "A AS CASE WHEN A.ok THEN TRUE END"), "not among what the importer reads", 9, 23),
        (query("A", "A AS A.x IN (SELECT 1)"), "IN of a query", 9, 13),
        (query("A", "A AS A.k LIKE A.g"), "a constant pattern", 9, 13),
        (query("A", "A AS A.x > 99999999999999999999"), "not an integer of 64 bit", 9, 8),
        (query("A", "A AS A.ts IS NULL"), "an event has a timestamp", 9, 13),
        (query("A", "A AS A.ts > A.ts + INTERVAL '1' MONTH"), "SECOND, MINUTE, HOUR or DAY", 9, 8),
        (query("A", "A AS A.ts > A.ts + INTERVAL '0.0001' SECOND"), "no whole number of milliseconds", 9, 8),
        (query("A", "A AS A.k = 'a', A AS A.k = 'b'"), "A is defined twice", 9, 24),
        (query("A", "Z AS Z.k = 'a'"), "no variable of the pattern", 9, 8),
        (query("A", order="ts DESC"), "goes forward in time", 4, 10),
        (query("A", order="x"), "ordered by x of type INT", 1, 57),
        (query("A", order="ts + INTERVAL '1' DAY"), "expected a column", 4, 10),
        (query("A", order="ts").replace("ORDER BY ts", ""), "ORDER BY is missing", 2, 17),
        (query("A", partition="PARTITION BY ts"), "the time of the rows", 3, 14),
        (query("A", rows="ALL ROWS PER MATCH WITH UNMATCHED ROWS"), "a rule reports matches only", 6, 1),
        (query("A B", skip="AFTER MATCH SKIP TO FIRST A"), "with which SQL fails", 7, 1),
        (query("A B? C", skip="AFTER MATCH SKIP TO B"), "which may have no row", 7, 1),
        (query("A B", skip="AFTER MATCH SKIP TO MOON"), "expected PAST LAST ROW", 7, 1),
        (query("A", end=") WHERE g = 'a'"), "WHERE beside MATCH_RECOGNIZE", 10, 9),
        (query("A", end=") LIMIT 1"), "LIMIT beside MATCH_RECOGNIZE", 2, 17),
        (query("A").replace("SELECT *", "SELECT COUNT(*)"), "SELECT computes", 2, 14),
        (query("A").replace("FROM t M", "FROM (SELECT * FROM t) M"), "reads a query", 2, 23),
        (query("A").replace("FROM t M", "FROM s JOIN t ON TRUE M"), "beside MATCH_RECOGNIZE", 2, 22),
        (query("A SUBSET").replace("A SUBSET)", "A)\nSUBSET U = (A)"), "SUBSET", 9, 1),
        (query("A) WITHIN INTERVAL '1' MONTH").replace("MONTH)", "MONTH"), "SECOND, MINUTE", 8, 13),
        (query("A) WITHIN 5").replace("5)", "5"), "WITHIN INTERVAL", 8, 13),
    ],
)
def test_what_no_rule_says_is_refused_with_its_place(text: str, reason: str, line: int, column: int) -> None:
    refused = result(text)
    assert isinstance(refused, Refused)
    assert reason in refused.reason
    assert refused.place == Place("q.sql", line, column)
    assert not refused.nearest
    assert isinstance(result(text, nearest=True), Refused)


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        (query("A B", skip=""), "AFTER MATCH SKIP PAST LAST ROW (the default)", 2, 17),
        (query("A B", skip="AFTER MATCH SKIP PAST LAST ROW"), "AFTER MATCH SKIP PAST LAST ROW:", 7, 1),
        (query("A X B", skip="AFTER MATCH SKIP TO LAST B"), "AFTER MATCH SKIP TO LAST B", 7, 1),
        (query("A X+ B", "X AS X.x > 1, B AS B.x > 2"), "SQL prefers many rows of X", 8, 12),
        (query("A X+? B C", "X AS X.x > 1, B AS B.x > 2"), "SQL prefers few rows of X", 8, 12),
        (query("A X*? B Y*? C", "C AS C.x > B.x"), "depends on that row", 8, 12),
        (query("A X* B", rows="ALL ROWS PER MATCH"), "the rows of variables with quantifiers", 6, 1),
        (query("A", order="ts, x"), "orders rows of one time", 4, 14),
        (query("A", order="fine"), "more precise than milliseconds", 1, 141),
        (query("A", "A AS A.d > 1"), "a DECIMAL, which is rounded", 1, 86),
        (query("A", "A AS A.n = 'abc'"), "ignores spaces", 1, 104),
        (query("A B", measures="AVG(A.x) AS m"), "rounds the exact value once", 5, 14),
        (query("A", measures="CLASSIFIER() AS m"), "the measure m is left out", 5, 26),
        # a campaign's: the last row of A is not the first one, which is bound
        (query("A+", measures="A.x AS m"), "the measure m is left out: a row of A", 5, 10),
        (query("A B* C", "B AS B.k = 'b', C AS C.k = 'c'", measures="SUM(B.x) AS m"), "SUM of no values", 5, 14),
    ],
)
def test_what_is_near_is_written_with_a_comment(text: str, reason: str, line: int, column: int) -> None:
    refused = result(text)
    assert isinstance(refused, Refused)
    assert refused.nearest
    assert reason in refused.reason
    assert refused.place == Place("q.sql", line, column)
    rule = imported(text, nearest=True)
    assert rule.differences
    comments = " ".join(line.removeprefix("//").strip() for line in rule.program.splitlines() if line.startswith("//"))
    assert all(" ".join(difference.text.split()) in comments for difference in rule.differences)


# --- Hostile input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";;;",
        "'",
        "/*",
        "\0",
        "MATCH_RECOGNIZE",
        "MATCH_RECOGNIZE (",
        "SELECT * FROM t MATCH_RECOGNIZE ()",
        "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A",
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (A) DEFINE A)",
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts PATTERN (A) WITHIN)",
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts AFTER MATCH SKIP PATTERN (A{",
        "CREATE TABLE t (",
        "CREATE TABLE t (WATERMARK",
        "CREATE TABLE (a INT)",
        "CREATE TABLE t (a INT, A INT); SELECT 1",
        query("(" * 100 + "A" + ")" * 100),
        query("A", "A AS " + "(" * 100 + "TRUE" + ")" * 100),
        query("A", "A AS " + "NOT " * 3_000 + "A.ok"),
        query("A", "A AS " + "A.x + " * 1_000 + "A.x > 1"),
        query("A", "A AS " + "A.ok AND " * 5_000 + "A.ok"),
        query("A", "A AS CASE WHEN " + "A.x + " * 1_500 + "A.x > 1 THEN TRUE END"),
        "SELECT * FROM t MATCH_RECOGNIZE (" + "WITHIN SUBSET " * 60_000,
        "CREATE TABLE t (a INT); CREATE TABLE t (a INT)",
        query("A", "A AS A.x > " + "9" * 5_000),
        query("A", "A AS A.x > 1e999"),
        " " * 1_000_001,
    ],
)
def test_broken_and_hostile_texts_are_refused(text: str) -> None:
    results = list(queries("q.sql", text, Options(nearest=True)))
    assert results
    for refused in results:
        assert isinstance(refused, Refused)
        assert len(refused.reason) < 1_000
        assert refused.place.line >= 1
        assert refused.place.column >= 1


def test_a_long_condition_is_no_deep_one() -> None:
    assert imported(query("A", "A AS " + "A.ok AND " * 500 + "A.ok"))


def test_texts_that_are_cut_or_changed_anywhere_are_no_failure() -> None:
    source = random.Random(7)
    text = query("A{2,} (B|C) X*? D", APART, measures="A.x AS m", skip="AFTER MATCH SKIP TO LAST D")
    signs = "(){}*+?|,.;'\"`^$- \n0A"
    for _ in range(150):
        at = source.randrange(len(TABLE) if source.random() < 0.9 else 0, len(text))
        changed = text[:at] + source.choice(("", source.choice(signs), source.choice(signs) * 3)) + text[at + 1 :]
        changed = changed[: source.choice((at + 1, len(text), len(text)))]
        assert list(queries("q.sql", changed, Options(nearest=source.random() < 0.5)))


# --- Drawn queries ---------------------------------------------------------------------------------------------------


def drawn(cases: int, seed: int) -> Counter[str]:
    said: list[str] = []
    failures, counts = run(Recognizing(), seed=seed, seconds=600, cases=cases, say=said.append)
    assert not failures, said
    return counts


def test_drawn_queries_have_the_matches_of_an_evaluator_of_sql() -> None:
    counts = drawn(60, seed=11)
    assert counts["imported"] >= 10
    assert counts["imported, with a match"] >= 4


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=sampled(seed, usual=4)) for seed in range(20, 24)])
def test_many_drawn_queries_have_the_matches_of_an_evaluator_of_sql(seed: int) -> None:
    counts = drawn(600, seed)
    assert counts["imported"] >= 100
    assert counts["imported, with a match"] >= 40


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=sampled(number, usual=2))
        for number, fault in enumerate(("solver", "contiguity", "null", "first"))
    ],
)
def test_the_comparison_detects_faults_of_the_importer(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.campaigns.running.SHRINKING", 0.0)
    match fault:
        case "solver":
            monkeypatch.setattr(translation, "exclusive", lambda _text: True)
        case "contiguity":
            monkeypatch.setattr(translation.Translation, "_follow", lambda _self: None)
        case "null":
            monkeypatch.setattr(translation, "untrue", lambda term: f"not ({term.text})")
        case "first":
            choice = translation.Translation._choice
            monkeypatch.setattr(
                translation.Translation, "_choice", lambda self, at: choice(self, at).replace("first", "any")
            )
    exclusion.exclusive.cache_clear()
    failures, _ = run(Recognizing(), seed=5, seconds=600, cases=1_500, say=lambda _text: None)
    assert failures
    assert "MATCH_RECOGNIZE" in sql(failures[0].case)
