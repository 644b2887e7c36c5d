"""The smoke test: does an engine speak the protocol at all, before it is judged by what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parte.conformance.language import C, Language, P
from parte.conformance.protocol import Accepted, Found, Greeting, Rejected, Reply, Request, Run, Unsupported
from parte.conformance.runner.judging import told
from parte.conformance.runner.running import Settings, begin
from parte.conformance.runner.sessions import EngineFault, EngineSpec, Session
from parte.semantics.events.differences import differences


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: whether it went well, and what was found."""

    name: str
    passed: bool
    found: str
    stderr: str = ""


def smoke(spec: EngineSpec, settings: Settings, language: Language[P, C]) -> Iterator[Check]:
    """The checks, one after the other, up to the first that fails."""
    try:
        session, greeting = begin(spec, settings)
    except EngineFault as fault:
        yield Check("starts and answers hello", False, fault.message, fault.stderr)
        return
    try:
        yield Check("starts and answers hello", True, _who(greeting))
        for name, request, wanted in _exchanges(language):
            check = _try(session, settings.timeout, name, request, wanted)
            yield check
            if not check.passed:
                return
        # Only a process can fail to end, and then it is ended.
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


def _exchanges(language: Language[P, C]) -> Iterator[tuple[str, Request, Callable[[Reply], bool]]]:
    example = language.example
    load, key = told(language, example.program, example.trace)
    yield "loads a program", load, lambda reply: isinstance(reply, Accepted)
    yield (
        "finds one match",
        Run(example.trace),
        lambda reply: isinstance(reply, Found) and not any(differences((example.match,), reply.matches, key)),
    )
    yield "loads it again", load, lambda reply: isinstance(reply, Accepted)
    yield "has forgotten the first trace", Run(()), lambda reply: isinstance(reply, Found) and reply.matches == ()
    yield (
        "rejects an invalid program, or says that it does not read text",
        told(language, example.invalid, ())[0],
        lambda reply: isinstance(reply, Rejected | Unsupported),
    )


def _try(session: Session, timeout: float, name: str, request: Request, wanted: Callable[[Reply], bool]) -> Check:
    try:
        reply = session.ask(request, timeout)
    except EngineFault as fault:
        return Check(name, False, fault.message, fault.stderr)
    return Check(name, wanted(reply), f"replied {reply}"[:400])
