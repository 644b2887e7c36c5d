"""The protocol: messages to and from JSON, the server, the reference behind it, and verdicts on replies."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import pytest

from parte.conformance.casefiles.cases import read_cases
from parte.conformance.engines.registry import engine_called, foreign
from parte.conformance.engines.server import serve
from parte.conformance.messages import excess, reply_from_json, reply_to_json, request_from_json, request_to_json
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.notation import NOTATION
from parte.conformance.protocol import (
    DEFAULT_LANGUAGE,
    INVALID_DOMAIN,
    INVALID_TRACE,
    MAX_NESTING,
    MAX_PARTS,
    Accepted,
    Advance,
    Bye,
    Failed,
    Farewell,
    Feed,
    Found,
    Greeting,
    Hello,
    Load,
    ProtocolError,
    Rejected,
    Reply,
    Request,
    Run,
    Unsupported,
)
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Prepared, judge_case, prepare, sources_in
from parte.conformance.runner.running import Settings, judged
from parte.conformance.runner.sessions import LocalSession
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import Conformity
from parte.semantics.events.differences import differences
from parte.semantics.events.promises import Promises
from parte.semantics.events.trace import LineReader
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.reported_matches import key_in
from parte.semantics.partelang.schedules import SeededRandom
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.elaborate import parse
from tests.conformance.schemas import schema_validator

REQUESTS: list[Request] = [
    Hello(1, "1.0"),
    Hello(suite="1.0"),
    Load("rule", {"rules": []}, {"p": {"true_for": []}}, {"disorder": 0, "sources": []}),
    Load("rule", None, {}, {"disorder": 3, "sources": [{"source": "s", "template": "A", "promises": "progress"}]}),
    Load("rule", {}, {}, {"disorder": 0, "sources": []}, "another"),
    Load("rule", {}, {}, {"disorder": 0, "sources": []}, "another", {"policy": "recent"}),
    Run(({"template": "A", "timestamp": 1},)),
    Feed(()),
    Advance(),
    Bye(),
]
REPLIES: list[Reply] = [
    Greeting("engine", "1.2", ("incremental",)),
    Greeting("engine", "1.2", (), 1),
    Greeting("engine", "1.2", (), 2, ("PARTElang", "another")),
    Accepted(),
    Accepted(({"code": "unused-type", "line": 1, "column": 2},)),
    Rejected(({"code": "x", "line": 1},)),
    Unsupported("no"),
    Found(({"rule": "R", "bindings": {}, "emits": []},)),
    Found((), ({"rule": "R"},)),
    Failed("oh"),
    Farewell(),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda message: type(message).__name__)
def test_requests_to_json_and_back(request_: Request) -> None:
    written = request_to_json(request_, 7)
    schema_validator("protocol").validate(written)
    seq, read = request_from_json(json.loads(json.dumps(written)))
    assert seq == 7
    assert request_to_json(read, 7) == written


@pytest.mark.parametrize("reply", REPLIES, ids=lambda message: type(message).__name__)
def test_replies_to_json_and_back(reply: Reply) -> None:
    written = reply_to_json(reply, 7)
    schema_validator("protocol").validate(written)
    assert reply_from_json(json.loads(json.dumps(written)), 7) == reply


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"seq": 7},
        {"seq": "7", "reply": "ok"},
        {"seq": True, "reply": "ok"},
        {"seq": 8, "reply": "ok"},
        {"seq": 7, "reply": "fine"},
        {"seq": 7, "reply": "rejected", "diagnostics": []},
        {"seq": 7, "reply": "rejected", "diagnostics": [{"line": 1}]},
        {"seq": 7, "reply": "matches"},
        {"seq": 7, "reply": "matches", "matches": [1]},
        {"seq": 7, "reply": "ok", "warnings": 3},
        {"seq": 7, "reply": "hello", "name": "x"},
        {"seq": 7, "reply": "unsupported"},
    ],
)
def test_what_is_no_reply(data: Any) -> None:
    with pytest.raises(ProtocolError):
        reply_from_json(data, 7)


def served(*lines: str) -> list[Any]:
    replies, errors = io.BytesIO(), io.BytesIO()
    serve(ReferenceEngine(), io.BytesIO("".join(f"{line}\n" for line in lines).encode()), replies, errors)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def test_the_server_answers_every_line_until_bye() -> None:
    validator = schema_validator("protocol")
    cases = load_suite(PARTELANG).select(cases=["strata", "rejects/unknown-type-1", "warnings", "novalue"])
    lines = [json.dumps(request_to_json(Hello(), 1))]
    for case in cases:
        for request in (prepare(case, PARTELANG).load, Run(case.trace)):
            message = request_to_json(request, len(lines) + 1)
            validator.validate(message)
            lines.append(json.dumps(message))
    replies = served(*lines, json.dumps(request_to_json(Bye(), 999)), "never read")
    assert [reply["seq"] for reply in replies] == [*range(1, len(lines) + 1), 999]
    for reply in replies:
        validator.validate(reply)


def test_what_is_new_in_version_2_is_left_out_where_it_says_nothing() -> None:
    assert request_to_json(Load("rule", {}), 1).keys() == {"seq", "request", "program", "domain", "deployment"}
    old, new = (served(json.dumps(request_to_json(Hello(version), 1)))[0] for version in (1, 2))
    assert old == {key: value for key, value in (new | {"protocol": 1}).items() if key != "languages"}
    assert new["languages"] == [DEFAULT_LANGUAGE]


def test_whoever_is_asked_does_not_insist_on_what_it_can_do_without() -> None:
    request = {"seq": 1, "request": "load", "program": {"text": "rule"}}
    assert request_from_json(request) == (1, Load("rule", None, {}, {"disorder": 0, "sources": []}))


def test_a_language_that_an_engine_does_not_list_is_not_asked_for() -> None:
    load = Load("rule", {}, language="another")
    assert served(json.dumps(request_to_json(load, 1)))[0]["reply"] == "unsupported"
    case = replace(CASE, load=load)
    judgement = judged(LocalSession(Canned([Failed("asked")])), Greeting("canned", "1"), case, Settings())
    assert (judgement.verdict, "does not speak another" in judgement.message) == (CaseVerdict.UNSUPPORTED, True)


def test_the_server_survives_nonsense() -> None:
    replies = served("garbage", "[]", '{"seq": 1, "request": "dance"}', '{"seq": 2, "request": "run", "trace": []}')
    assert [reply["reply"] for reply in replies] == ["error"] * 4
    assert replies[-1]["message"] == "no program is loaded"


# --- The reference ----------------------------------------------------------------------------------------------------


def test_every_model_greets() -> None:
    for name in ENGINES.keys() - set(foreign(ENGINES)):  # what a foreign engine needs may not be installed
        assert name in engine_called(ENGINES, name).hello().name


def test_the_reference_line_by_line() -> None:
    for case in load_suite(PARTELANG).select(cases=["negation", "strata", "sources", "order", "laws", "novalue"]):
        session = LocalSession(ReferenceEngine())
        judgement = judge_case(session, prepare(case, PARTELANG), 60, incremental=True)
        assert judgement.verdict is CaseVerdict.PASS, (case.id, judgement)


def test_each_line_that_is_fed_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes line by line is decoded, held against the program and given its promise when it comes, not again."""
    work: Counter[str] = Counter()

    def counted(owner: object, name: str) -> None:
        plain = getattr(owner, name)

        def counting(*arguments: Any) -> Any:
            work[name] += 1
            return plain(*arguments)

        monkeypatch.setattr(owner, name, counting)

    counted(LineReader, "read")
    counted(Conformity, "check")
    counted(Promises, "arrival")
    case = CASE.fixture
    engine = ReferenceEngine()
    engine.load(CASE.load)
    for number in range(100):
        reply = engine.feed(
            ({"id": f"e{number}", "template": "A", "source": "s", "timestamp": number, "attributes": {"k": 1}},)
        )
        assert isinstance(reply, Found)
    assert isinstance(last := engine.advance(), Found)
    assert len(last.matches) == 100
    assert set(work.values()) == {100}, case.id


def test_a_bad_line_spoils_what_is_fed_after_it_until_the_next_load() -> None:
    engine = ReferenceEngine()
    good: Any = {"template": "A", "source": "s", "timestamp": 0, "attributes": {"k": 1}}
    for bad in ({"template": "A"}, good | {"template": "B"}, good | {"timestamp": -5}):
        engine.load(CASE.load)
        assert isinstance(engine.feed((good,)), Found)
        refused = engine.feed((bad,))
        assert isinstance(refused, Rejected)
        assert [diagnostic["line"] for diagnostic in refused.diagnostics] == [2]
        assert engine.feed((good,)) == engine.advance() == refused
    engine.load(CASE.load)
    assert isinstance(engine.feed((good,)), Found)


def test_only_the_sound_machine_in_turn_goes_line_by_line() -> None:
    for engine in (ReferenceEngine("algebra"), ReferenceEngine(SOUND, SeededRandom(1))):
        assert "incremental" not in engine.hello().features
        assert isinstance(engine.feed(()), Unsupported)
        assert isinstance(engine.advance(), Unsupported)


# --- Verdicts ----------------------------------------------------------------------------------------------------


@dataclass
class Canned:
    """An engine that says what it is told to, and the same to every request after the last."""

    replies: list[Reply]

    def hello(self) -> Greeting:
        return Greeting("canned", "1")

    def load(self, request: Load) -> Reply:
        assert request.text
        return self._next()

    def run(self, trace: object) -> Reply:
        assert trace is not None
        return self._next()

    def feed(self, trace: object) -> Reply:
        return self.run(trace)

    def advance(self) -> Reply:
        return self._next()

    def _next(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


((_, EMITS),) = read_cases(
    """
case x/y
  about A case that emits
  profile emission
  since 1.0
  clauses emissions
  program
    template A { k : Integer }
    template O { f : Float }
    rule R where a : A then emit O at a.timestamp with { f = a.k }
  trace a1@0(k=1) a2@1(k=0)
  expect
    R a=a1
      -> R(a=a1):O@0(f=1.0)
    R a=a2
      -> R(a=a2):O@1(f=0.0)
""",
    NOTATION,
).cases
CASE = prepare(EMITS, PARTELANG)
MATCHES = CASE.fixture.expected.matches
REJECTED = prepare(next(iter(load_suite(PARTELANG).select(cases=["rejects/unknown-type-1"]))), PARTELANG)


def verdict(case: Prepared, *replies: Reply) -> tuple[str, str]:
    judgement = judge_case(LocalSession(Canned(list(replies))), case, 60)
    return judgement.verdict.value, judgement.message


def test_matches_in_any_order_with_numbers_of_any_looks() -> None:
    reordered = json.loads(json.dumps(MATCHES[::-1]).replace("1.0", "1").replace("0.0", "-0.0"))
    assert verdict(CASE, Accepted(), Found(tuple(reordered))) == ("pass", "")
    assert verdict(CASE, Accepted(), Found((*MATCHES, MATCHES[0])))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(MATCHES[:1]))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(tuple(json.loads(json.dumps(MATCHES).replace("1.0", '"1"')))))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(tuple(json.loads(json.dumps(MATCHES).replace("1.0", "true")))))[0] == "fail"


def test_missing_and_spurious() -> None:
    wrong = MATCHES[0] | {"bindings": {"a": "a9"}}
    judgement = judge_case(LocalSession(Canned([Accepted(), Found((wrong, MATCHES[1]))])), CASE, 60)
    assert (judgement.missing, judgement.spurious) == ((MATCHES[0],), (wrong,))
    assert differences(MATCHES, MATCHES, key_in(parse(CASE.fixture.text))) == ((), ())


def test_rejections_and_what_stands_in_their_place() -> None:
    expected = REJECTED.fixture.expected.rejected
    assert expected is not None
    right: Any = {"code": expected.code, "line": expected.line, "column": expected.column}
    assert verdict(REJECTED, Rejected((right,)))[0] == "pass"
    judged_as, message = verdict(REJECTED, Rejected(({"code": "other"}, {"code": expected.code})))
    assert (judged_as, "for other reasons too" in message) == ("fail", True)
    everywhere: Any = tuple(
        {"code": expected.code, "line": line, "column": column} for line in range(9) for column in range(99)
    )
    assert verdict(REJECTED, Rejected(everywhere))[1].startswith("names too many places")
    assert verdict(REJECTED, Rejected((right | {"column": 99},)))[0] == "fail"
    assert verdict(REJECTED, Rejected(({"code": "other"},)))[0] == "fail"
    assert verdict(REJECTED, Accepted(), Found(()))[0] == "fail"
    assert verdict(REJECTED, Unsupported("does not read text")) == ("unsupported", "does not read text")
    assert verdict(CASE, Rejected((right,)))[0] == "fail"
    assert verdict(CASE, Failed("out of memory"))[0] == "error"
    assert verdict(CASE, Farewell())[0] == "error"
    assert verdict(CASE, Accepted(), Unsupported("later"))[0] == "unsupported"


def test_who_lists_all_codes_names_none() -> None:
    """A list of all codes is right about nothing that must be rejected; that the reference is, the suite says."""
    everything = Rejected(tuple({"code": code} for code in (*CODES, INVALID_DOMAIN, INVALID_TRACE)))
    cases = [prepare(case, PARTELANG) for case in load_suite(PARTELANG).select(["rejects"])]
    assert len(cases) > 150
    assert {verdict(case, everything)[0] for case in cases} == {"fail"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"k": [1, 2, {"k": "[[[\\\\"}]}', None),
        (b'"' + b"[{,:" * MAX_PARTS + b'"', None),
        (b'"\\"' + b"[" * 99 + b'"', None),
        (b"[" * MAX_NESTING + b"]" * MAX_NESTING, None),
        (b"[" * (MAX_NESTING + 1), "it nests deeper than 64 levels"),
        (b'["\\\\",' + b'{"k":' * MAX_NESTING, "it nests deeper than 64 levels"),
        (b"[0" + b",0" * MAX_PARTS + b"]", "it has more than 500,000 parts"),
        (b'""' * 3 * MAX_PARTS, "it has more than 500,000 parts"),
        (b'"unended' + b"[" * 99, None),
    ],
)
def test_what_a_reply_has_too_much_of(line: bytes, expected: str | None) -> None:
    assert excess(line) == expected


def test_warnings_failures_and_suppressions_are_judged_if_given() -> None:
    warned = prepare(next(iter(load_suite(PARTELANG).select(cases=["warnings/unused-type"]))), PARTELANG)
    matched = Found(warned.fixture.expected.matches)
    assert verdict(warned, Accepted(), matched)[0] == "pass"
    assert verdict(warned, Accepted(()), matched)[0] == "fail"
    assert verdict(warned, Accepted(({"code": "unused-type"},)), matched)[0] == "pass"
    failing = prepare(next(iter(load_suite(PARTELANG).select(cases=["novalue/emission-timestamp"]))), PARTELANG)
    assert verdict(failing, Accepted(), Found(failing.fixture.expected.matches, ()))[0] == "fail"
    suppressing = prepare(next(iter(load_suite(PARTELANG).select(cases=["level-2/suppression/once"]))), PARTELANG)
    expected = suppressing.fixture.expected
    assert verdict(suppressing, Accepted(), Found(expected.matches))[0] == "pass"
    assert verdict(suppressing, Accepted(), Found(expected.matches, None, expected.suppressed[::-1]))[0] == "pass"
    changed = ({**expected.suppressed[0], "passed": "R(a=a5)"}, *expected.suppressed[1:])
    for wrong in ((), expected.suppressed[1:], changed):
        reply = verdict(suppressing, Accepted(), Found(expected.matches, None, wrong))
        assert (reply[0], "reports other suppressed emissions" in str(reply)) == ("fail", True)


def test_the_event_that_passed_before_a_suppressed_one_is_judged_if_given() -> None:
    (case,) = load_suite(PARTELANG).select(cases=["level-2/suppression/passed-before"])
    matches, suppressed = case.expected.matches, case.expected.suppressed
    assert [(lost["bindings"], lost["passed"]) for lost in suppressed[:2]] == [
        ({"a": name}, "R(a=a1)") for name in ("a2", "a3")
    ]
    wrong = (suppressed[0], suppressed[1] | {"passed": "R(a=a2)"}, *suppressed[2:])
    for reported, expected in ((None, "pass"), (suppressed, "pass"), (wrong, "fail"), (suppressed[:3], "fail")):
        assert verdict(prepare(case, PARTELANG), Accepted(), Found(matches, suppressed=reported))[0] == expected


def test_an_engine_that_raises_is_in_error() -> None:
    class Raising(Canned):
        def run(self, trace: object) -> Reply:
            raise ZeroDivisionError(f"in the engine, on {trace}")

    judgement = judge_case(LocalSession(Raising([Accepted()])), CASE, 60)
    assert judgement.verdict is CaseVerdict.ERROR
    assert "ZeroDivisionError" in judgement.message


def test_what_is_told_too_early_fails_line_by_line() -> None:
    case = prepare(next(iter(load_suite(PARTELANG).select(cases=["negation/after-at-4"]))), PARTELANG)
    early = {"rule": "R", "bindings": {"a": "a1"}, "emits": []}
    engine = Canned([Accepted(), Found(()), Accepted(), Found((early,)), Found(())])
    judgement = judge_case(LocalSession(engine), case, 60, incremental=True)
    assert judgement.verdict is CaseVerdict.FAIL
    assert "after line 1" in judgement.message


def test_sources_of_a_deployment() -> None:
    trace = [
        {"template": "A", "timestamp": 1},
        {"source": "default", "template": "A", "progress": 3},
        {"template": "B"},
    ]
    assert sources_in(trace) == [
        {"source": "default", "template": "A", "promises": "progress"},
        {"source": "default", "template": "B", "promises": "timestamps"},
    ]
    assert replace(CASE).load.deployment["sources"] == [{"source": "s", "template": "A", "promises": "timestamps"}]
