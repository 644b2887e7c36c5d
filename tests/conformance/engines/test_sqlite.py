"""SQLite against the suite: a strict list of known failures, each with its cause, and what SQLite is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.sqlite.adapter import SqliteAdapter
from parte.conformance.partelang.engines.sqlite.level_2 import text
from parte.conformance.partelang.engines.sqlite.manifest import DECLARED
from parte.conformance.partelang.engines.sqlite.queries import statements
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.strategies import Case
from parte.conformance.protocol import Failed, Found, Json, Load
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.partelang.syntax import parse
from tests.conformance.engines import level_2
from tests.conformance.engines.agreement import caused_by, differing, failures_now_and_known, with_integers


def test_the_failures_are_those_that_are_known() -> None:
    """If this fails after a change of the suite, docs/conformance.md (Foreign engines) says what to run."""
    failures, listed = failures_now_and_known("sqlite")
    assert failures == listed


def test_the_algebra_with_integers_that_become_floats_says_what_sqlite_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with_integers(monkeypatch, lambda exact: exact if -(2**63) <= exact < 2**63 else float(exact))
    assert not differing("sqlite", caused_by("sqlite", "integers-become-reals"))


@given(level_2.drawn(DECLARED))
@settings(max_examples=25)
def test_sqlite_finds_at_level_2_what_the_definition_finds(case: Case) -> None:
    level_2.as_the_definition(SqliteAdapter(), case)


# --- What SQLite is told ----------------------------------------------------------------------------------------------


def test_a_program_as_statements() -> None:
    program = parse(
        "template A { k : Integer }\ntemplate a { k : Integer, K : String }\ntemplate C { k : Integer }\n"
        "predicate odd(Integer)\n"
        "rule R where x : A { k > 1 }, X : a { k = x.k }, no b : A { k = x.k, odd(k) } when "
        "X in x [0 ms, 9 ms], no b in x [-1 ms, 2 ms] then emit C at x.timestamp + 3 ms with { k = -x.k }"
    )
    sql = statements(program, bind_domain(program, read_domain({"odd": {"true_for": [[1], [3]]}})))
    own = '"$id" TEXT NOT NULL, "$component" TEXT NOT NULL, "$timestamp" INTEGER NOT NULL, '
    own += '"$rule" TEXT, "$match" INTEGER, "$position" INTEGER'
    assert sql.tables[2:4] == (
        f'CREATE TABLE "a$2" ({own}, "k" INTEGER NOT NULL, "K$2" TEXT NOT NULL)',
        'CREATE INDEX "time$a$2" ON "a$2" ("$timestamp")',
    )
    assert sql.tables[-1] == 'CREATE TABLE "domain$odd" ("c1" INTEGER NOT NULL, PRIMARY KEY ("c1")) WITHOUT ROWID'
    assert sql.rules == (
        """CREATE TABLE "rule$R" AS
SELECT "x"."$id" AS "1", "X$2"."$id" AS "2", \
shortened('R(x=' || "x"."$component" || ',X=' || "X$2"."$component" || ')')\
 AS "1$id", ("x"."$timestamp" + 3) AS "1$timestamp", (- "x"."k") AS "1$1"
FROM "A" AS "x"
JOIN "a$2" AS "X$2" ON "X$2"."$timestamp" BETWEEN "x"."$timestamp" + 0 AND "x"."$timestamp" + 9 \
AND ("X$2"."k" = "x"."k")
WHERE ("x"."k" > 1) AND NOT EXISTS (SELECT 1 FROM "A" AS "b" WHERE "b"."$timestamp" BETWEEN "x"."$timestamp" + -1 AND\
 "x"."$timestamp" + 2 AND ("b"."k" = "x"."k") AND ("b"."k" IN "domain$odd"))""",
        """INSERT OR IGNORE INTO "C" ("$id", "$component", "$timestamp", "$rule", "$match", "$position", "k")
SELECT "1$id", "1$id", "1$timestamp", 'R', rowid, 1, "1$1" FROM "rule$R\"""",
    )


def test_literals() -> None:
    assert text("it's") == "'it''s'"
    assert text("a\0b") == "('a' || char(0) || 'b')"


def reply_to(program: str, trace: list[Json]) -> Any:
    engine = engine_called(ENGINES, "sqlite")
    engine.load(Load(program, None))
    return engine.run(trace)


def test_minus_zero_is_stored_as_zero() -> None:
    reply = reply_to(
        "template A { x : Float }\nrule R where a : A then emit E at a.timestamp with { x = -a.x }\n"
        "template E { x : Float }",
        [{"id": "a1", "template": "A", "timestamp": 0, "attributes": {"x": 0.0}}],
    )
    assert isinstance(reply, Found)
    assert repr(reply.matches[0]["emits"][0]["attributes"]["x"]) == "0.0"


def test_what_stops_sqlite_is_told() -> None:
    reply = reply_to(
        "template A { k : Integer }\nrule R where a : A { abs(k) > 0 }",
        [{"id": "a1", "template": "A", "timestamp": 0, "attributes": {"k": -(2**63)}}],
    )
    assert reply == Failed("SQLite stopped: integer overflow")
