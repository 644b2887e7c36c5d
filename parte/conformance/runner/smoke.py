"""The smoke test: whether an engine follows the protocol at all, before its answers are judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parte.conformance.constructs import declarable, unknown
from parte.conformance.kit import KIT
from parte.conformance.messages import reply_to_json
from parte.conformance.protocol import Accepted, Found, Greeting, Rejected, Reply, Request, Run, Unsupported
from parte.conformance.runner.judging import load_message
from parte.conformance.runner.running import Settings, begin
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Session
from parte.languages.language import Language
from parte.semantics.events.differences import differences

_LONGEST_REPLY = 400


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its name, whether it passed, and what the engine did."""

    name: str
    passed: bool
    outcome: str
    stderr: str = ""


def smoke(spec: EngineSpec, settings: Settings, language: Language) -> Iterator[Check]:
    """Yield the checks, up to the first that fails."""
    try:
        session, greeting = begin(spec, settings)
    except EngineFault as fault:
        yield Check("starts and answers hello", False, fault.message, fault.stderr)
        return
    try:
        yield Check("starts and answers hello", True, _who(greeting))
        if greeting.constructs is not None:
            problems = unknown(greeting.constructs, declarable(language))
            yield Check("declares constructs that there are", not problems, f"it declares {' and '.join(problems)}")
            if problems:
                return
        for exchange in _exchanges(language):
            check = _try(session, settings.timeout, exchange)
            yield check
            if not check.passed:
                return
        # Only a process can fail to end, and then it is killed.
        try:
            session.farewell()
        except EngineFault as fault:
            yield Check("says no more than it is asked", False, fault.message, fault.stderr)
            return
        session.close()
        yield Check("ends after bye", True, "ended")
    finally:
        session.close()


def _who(greeting: Greeting) -> str:
    features = ", ".join(greeting.features) or "none"
    return f"{greeting.name} {greeting.version}; optional features: {features}"


class _Exchange(NamedTuple):
    """A request with the name of its check, a test of the reply, and the expected reply in words."""

    name: str
    request: Request
    wanted: Callable[[Reply], bool]
    expected: str


def _exchanges(language: Language) -> Iterator[_Exchange]:
    example = language[KIT].example
    load, key = load_message(language, example.program, example.trace)
    yield _Exchange("loads a program", load, lambda reply: isinstance(reply, Accepted), "ok")
    yield _Exchange(
        "finds one match",
        Run(example.trace),
        lambda reply: isinstance(reply, Found) and not any(differences((example.match,), reply.matches, key)),
        f"the match {json.dumps(example.match, ensure_ascii=False)}",
    )
    yield _Exchange("loads it again", load, lambda reply: isinstance(reply, Accepted), "ok")
    yield _Exchange(
        "has forgotten the first trace",
        Run(()),
        lambda reply: isinstance(reply, Found) and reply.matches == (),
        "no matches of an empty trace, for a load begins anew",
    )
    yield _Exchange(
        "rejects an invalid program, or says that it does not read text",
        load_message(language, example.invalid, ())[0],
        lambda reply: isinstance(reply, Rejected | Unsupported),
        "rejected or unsupported",
    )


def _try(session: Session, timeout: float, exchange: _Exchange) -> Check:
    name, request, wanted, expected = exchange
    try:
        reply = session.ask(request, timeout)
    except EngineFault as fault:
        return Check(name, False, fault.message, fault.stderr)
    return Check(name, wanted(reply), f"expected {expected}; it replied {_reply_text(reply)}")


def _reply_text(reply: Reply) -> str:
    """Return a reply as the engine may have written it, without its `seq`."""
    written = {key: part for key, part in reply_to_json(reply, 1).items() if key != "seq"}
    text = json.dumps(written, ensure_ascii=False)
    return text if len(text) <= _LONGEST_REPLY else f"{text[:_LONGEST_REPLY]}…"
