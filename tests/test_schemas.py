"""The readers of our formats take what their schemas take: on documents of ours with one thing changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.checker.environment.deployment import read_deployment
from parte.checker.partelang import relations
from parte.checker.partelang.bounds import report as sizes
from parte.checker.partelang.check import check
from parte.checker.report import json_form as checks
from parte.conformance import results
from parte.conformance.casefiles.rule_tests import Count, RuleTest
from parte.languages.partelang import PARTELANG
from parte.proofs import json_form as proofs
from parte.proofs.prove import prove
from parte.rule_tests import reports as tests
from parte.rule_tests.discovery import Flaw, Program
from parte.rule_tests.running import Engines, run_test
from parte.semantics.events.differences import as_written
from parte.semantics.partelang.syntax import parse
from parte.semantics.source.text import TEXT
from tests.documents import agree, changed

PROGRAM = """
template T { k : Integer }
predicate p(Integer)
rule R where a : T { k > 1, p(a.k) } b : T { k = a.k } when b in a [0 seconds, 9 seconds]
rule Q where a : T { k > 3 } b : T { k = a.k } when b in a [0 seconds, 8 seconds]
rule N where a : T { k > 3, k < 2 }
"""
DEPLOYMENT = '[[source]]\nname = "bank"\nlate = "3 ms"\nevery = "1 seconds"\n[[source.emits]]\ntemplate = "T"\n'
ENGINE = results.EngineInfo("sound", "parte serve", "sound", "1", ("text",))
FAILURE = results.Result("sound", "a/1", "core", "", results.CaseVerdict.FAIL, 0.5, "no", ({"rule": "R"},), (), 1)

ASKED = results.Asked("a/1", ("windows-closed",), (), ("rule",), ("{}",), ("disorder: 1 ms",), ({"rule": "R"},), 1)
CAUSE = results.Cause("sound", "it behaves like another", ("a/1",), "sound/x", ("windows-closed",))


class Format(NamedTuple):
    schema: dict[str, Any]
    read: Callable[[Any], object]
    documents: tuple[Any, ...]


def _check() -> Format:
    documents = (
        checks.report_to_json(check(PROGRAM), "program"),
        checks.report_to_json(check(PROGRAM, read_deployment(DEPLOYMENT))),
    )

    def read(document: Any) -> None:
        checks.CODEC.decode(document)
        if document["bounds"] is not None:
            sizes.CODEC.decode(document["bounds"])

    return Format(checks.schema(sizes.schema()), read, documents)


def _relation() -> Format:
    record = relations.equivalent(parse(PROGRAM), "R", "Q").record("program")
    return Format(relations.schema(), relations.CODEC.decode, (record,))


def _proofs() -> Format:
    records = proofs.results_to_json((*prove(["at-*-avg"]), *prove(["expiry-left-join-1"], model="published")))
    return Format(proofs.schema(), proofs.CODEC.decode, (records,))


def _suite_report() -> Format:
    ends: tuple[results.Line, ...] = (
        results.Head("parte-report", 2, "1", "d", "", (ENGINE,)),
        FAILURE,
        ASKED,
        CAUSE,
        results.End(1),
    )
    return Format(results.schema(), results.CODEC.decode, tuple(results.CODEC.encode(line) for line in ends))


def _rule_tests() -> Format:
    test = RuleTest("a", 1, trace=(), expected=(Count("", 1),))
    read = parse(PROGRAM)
    program = Program("p.parte", PARTELANG, PROGRAM, PROGRAM, read, PARTELANG[TEXT].tree(read), as_written)
    outcome = run_test("p.cases", test, program, Engines("sound"))
    flaw = Flaw("q.cases", 1, 1, "the file has no case", "write one")
    record = json.loads(tests.as_json(tests.Run("sound", (outcome,), (flaw,))))
    return Format(tests.schema(), tests.CODEC.decode, (record,))


@pytest.mark.parametrize("make_format", [_check, _relation, _proofs, _suite_report, _rule_tests])
def test_reader_and_schema_agree(make_format: Callable[[], Format]) -> None:
    format_ = make_format()
    for document in format_.documents:
        agree(format_.schema, format_.read, document)
        format_.read(document)

    @settings(max_examples=60)
    @given(st.sampled_from(format_.documents).flatmap(changed))
    def changed_documents(document: Any) -> None:
        agree(format_.schema, format_.read, document)

    changed_documents()
