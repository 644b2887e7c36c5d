"""The smoke test: does an engine speak the protocol at all, before it is judged by what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.matching import differences
from conformance.protocol import Accepted, Found, Greeting, Load, Rejected, Reply, Request, Run, Unsupported
from conformance.runner.judging import sources_in
from conformance.runner.running import Settings, begin
from conformance.runner.sessions import EngineFault, EngineSpec, Session
from semantics.syntax.elaborate import parse
from semantics.syntax.json_form import program_to_json

PROGRAM = "template A { k : Integer }\nrule Seen where a : A { k = 1 }\n"
TRACE = tuple({"id": f"a{k}", "template": "A", "timestamp": k, "source": "s", "attributes": {"k": k}} for k in range(3))
MATCH = {"rule": "Seen", "bindings": {"a": "a1"}, "emits": []}
INVALID = "template A { k : Integr }\n"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: whether it went well, and what was found."""

    name: str
    passed: bool
    found: str
    stderr: str = ""


def smoke(spec: EngineSpec, settings: Settings) -> Iterator[Check]:
    """The checks, one after the other, up to the first that fails."""
    try:
        session, greeting = begin(spec, settings)
    except EngineFault as fault:
        yield Check("starts and answers hello", False, fault.message, fault.stderr)
        return
    try:
        yield Check("starts and answers hello", True, _who(greeting))
        for name, request, wanted in _exchanges():
            check = _try(session, settings.timeout, name, request, wanted)
            yield check
            if not check.passed:
                return
        # Only a process can fail to end, and then it is ended.
        session.close(politely=True)
        yield Check("ends after bye", True, "ended")
    finally:
        session.close()


def _who(greeting: Greeting) -> str:
    features = ", ".join(greeting.features) or "none"
    return f"{greeting.name} {greeting.version}; optional features: {features}"


def _exchanges() -> Iterator[tuple[str, Request, Callable[[Reply], bool]]]:
    load = Load(PROGRAM, program_to_json(parse(PROGRAM)), {}, {"disorder": 0, "sources": sources_in(TRACE)})
    yield "loads a program", load, lambda reply: isinstance(reply, Accepted)
    yield (
        "finds one match",
        Run(TRACE),
        lambda reply: isinstance(reply, Found) and not any(differences((MATCH,), reply.matches, {})),
    )
    yield "loads it again", load, lambda reply: isinstance(reply, Accepted)
    yield "has forgotten the first trace", Run(()), lambda reply: isinstance(reply, Found) and reply.matches == ()
    wrong = Load(INVALID, None, {}, {"disorder": 0, "sources": []})
    yield (
        "rejects an invalid program, or says that it does not read text",
        wrong,
        lambda reply: isinstance(reply, Rejected | Unsupported),
    )


def _try(session: Session, timeout: float, name: str, request: Request, wanted: Callable[[Reply], bool]) -> Check:
    try:
        reply = session.ask(request, timeout)
    except EngineFault as fault:
        return Check(name, False, fault.message, fault.stderr)
    return Check(name, wanted(reply), f"replied {reply}"[:400])
