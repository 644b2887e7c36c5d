"""The protocol: messages to and from JSON, the server, the reference behind it, and verdicts on replies."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from conformance.authoring.drafts import Draft, admit
from conformance.engines.reference import ReferenceEngine
from conformance.engines.registry import FACTORIES, NEEDS, engine_called
from conformance.engines.server import serve
from conformance.fixtures import load_suite
from conformance.lint import schema_validator
from conformance.matching import declared_in, differences
from conformance.protocol import (
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
    reply_from_json,
    reply_to_json,
    request_from_json,
    request_to_json,
)
from conformance.results import Verdict
from conformance.runner.judging import Prepared, judge_case, prepare, sources_in
from conformance.runner.sessions import LocalSession
from semantics.repairs import SOUND
from semantics.schedules import SeededRandom
from semantics.syntax.elaborate import parse

REQUESTS: list[Request] = [
    Hello(1, "1.0"),
    Load("rule", {"rules": []}, {"p": {"true_for": []}}, {"disorder": 0, "sources": []}),
    Load("rule", None, {}, {"disorder": 3, "sources": [{"source": "s", "template": "A", "promises": "progress"}]}),
    Run(({"template": "A", "timestamp": 1},)),
    Feed(()),
    Advance(),
    Bye(),
]
REPLIES: list[Reply] = [
    Greeting("engine", "1.2", ("incremental",)),
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
    cases = load_suite().select(cases=["strata", "rejects/unknown-type-1", "warnings", "novalue"])
    lines = [json.dumps(request_to_json(Hello(), 1))]
    for case in cases:
        for request in (prepare(case).load, Run(case.trace)):
            message = request_to_json(request, len(lines) + 1)
            validator.validate(message)
            lines.append(json.dumps(message))
    replies = served(*lines, json.dumps(request_to_json(Bye(), 999)), "never read")
    assert [reply["seq"] for reply in replies] == [*range(1, len(lines) + 1), 999]
    for reply in replies:
        validator.validate(reply)


def test_the_server_survives_nonsense() -> None:
    replies = served("garbage", "[]", '{"seq": 1, "request": "dance"}', '{"seq": 2, "request": "run", "trace": []}')
    assert [reply["reply"] for reply in replies] == ["error"] * 4
    assert replies[-1]["message"] == "no program is loaded"


# --- The reference ----------------------------------------------------------------------------------------------------


def test_every_model_greets() -> None:
    for name in FACTORIES.keys() - NEEDS:  # what a foreign engine needs may not be installed
        assert name in engine_called(name).hello().name


def test_the_reference_line_by_line() -> None:
    for case in load_suite().select(cases=["negation", "strata", "sources", "order", "laws", "novalue"]):
        session = LocalSession(ReferenceEngine())
        judgement = judge_case(session, prepare(case), 60, incremental=True)
        assert judgement.verdict is Verdict.PASS, (case.id, judgement)


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


EMITS = "template O { f : Float }\nrule R where a : A then emit O at a.timestamp with { f = a.k }"
CASE = prepare(admit(Draft("x/y", "A case that emits", EMITS, "a1@0(k=1) a2@1(k=0)", "a1; a2")))
MATCHES = CASE.fixture.expected.matches
REJECTED = prepare(next(iter(load_suite().select(cases=["rejects/unknown-type-1"]))))


def verdict(case: Prepared, *replies: Reply) -> tuple[str, str]:
    judgement = judge_case(LocalSession(Canned(list(replies))), case, 60)
    return judgement.verdict.value, judgement.message


def test_matches_in_any_order_with_numbers_of_any_looks() -> None:
    found = json.loads(json.dumps(MATCHES[::-1]).replace("1.0", "1").replace("0.0", "-0.0"))
    assert verdict(CASE, Accepted(), Found(tuple(found))) == ("pass", "")
    assert verdict(CASE, Accepted(), Found((*MATCHES, MATCHES[0])))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(MATCHES[:1]))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(tuple(json.loads(json.dumps(MATCHES).replace("1.0", '"1"')))))[0] == "fail"
    assert verdict(CASE, Accepted(), Found(tuple(json.loads(json.dumps(MATCHES).replace("1.0", "true")))))[0] == "fail"


def test_missing_and_spurious() -> None:
    other = MATCHES[0] | {"bindings": {"a": "a9"}}
    judgement = judge_case(LocalSession(Canned([Accepted(), Found((other, MATCHES[1]))])), CASE, 60)
    assert (judgement.missing, judgement.spurious) == ((MATCHES[0],), (other,))
    assert differences(MATCHES, MATCHES, declared_in(parse(CASE.fixture.text))) == ((), ())


def test_rejections_and_what_stands_in_their_place() -> None:
    expected = REJECTED.fixture.expected.rejected
    assert expected is not None
    right = {"code": expected.code, "line": expected.line, "column": expected.column}
    assert verdict(REJECTED, Rejected((right,)))[0] == "pass"
    assert verdict(REJECTED, Rejected(({"code": "other"}, {"code": expected.code})))[0] == "pass"
    assert verdict(REJECTED, Rejected((right | {"column": 99},)))[0] == "fail"
    assert verdict(REJECTED, Rejected(({"code": "other"},)))[0] == "fail"
    assert verdict(REJECTED, Accepted(), Found(()))[0] == "fail"
    assert verdict(REJECTED, Unsupported("does not read text")) == ("unsupported", "does not read text")
    assert verdict(CASE, Rejected((right,)))[0] == "fail"
    assert verdict(CASE, Failed("out of memory"))[0] == "error"
    assert verdict(CASE, Farewell())[0] == "error"
    assert verdict(CASE, Accepted(), Unsupported("later"))[0] == "unsupported"


def test_warnings_and_failures_are_judged_if_given() -> None:
    warned = prepare(next(iter(load_suite().select(cases=["warnings/unused-type"]))))
    found = Found(warned.fixture.expected.matches)
    assert verdict(warned, Accepted(), found)[0] == "pass"
    assert verdict(warned, Accepted(()), found)[0] == "fail"
    assert verdict(warned, Accepted(({"code": "unused-type"},)), found)[0] == "pass"
    failing = prepare(next(iter(load_suite().select(cases=["novalue/emission-timestamp"]))))
    assert verdict(failing, Accepted(), Found(failing.fixture.expected.matches, ()))[0] == "fail"


def test_an_engine_that_raises_is_in_error() -> None:
    class Raising(Canned):
        def run(self, trace: object) -> Reply:
            raise ZeroDivisionError(f"in the engine, on {trace}")

    judgement = judge_case(LocalSession(Raising([Accepted()])), CASE, 60)
    assert judgement.verdict is Verdict.ERROR
    assert "ZeroDivisionError" in judgement.message


def test_what_is_told_too_early_fails_line_by_line() -> None:
    case = prepare(next(iter(load_suite().select(cases=["negation/after-at-4"]))))
    early = {"rule": "R", "bindings": {"a": "a1"}, "emits": []}
    engine = Canned([Accepted(), Found(()), Accepted(), Found((early,)), Found(())])
    judgement = judge_case(LocalSession(engine), case, 60, incremental=True)
    assert judgement.verdict is Verdict.FAIL
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
