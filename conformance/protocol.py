"""The engine protocol: JSON Lines on standard streams, a reply for each request (SPEC §7, `protocol.schema.json`).

Requests are `hello`, `load`, `run`, `feed`, `advance` and `bye`; every reply echoes the `seq` of its request. This
module holds the messages as values and their JSON; it neither starts engines nor judges them.

An engine in this process implements `Engine` and can be served to others by `conformance.engines.server`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

PROTOCOL = 1
"""The version of the protocol."""

MAX_REPLY = 2**24
"""The longest reply that is read, in bytes: 16 MiB."""

INVALID_DOMAIN, INVALID_TRACE = "invalid-domain", "invalid-trace"
"""What a rejection is called when not the program is to blame, but its domain tables or the trace."""

INCREMENTAL = "incremental"
"""The feature of engines that answer `feed` and `advance`."""

Json = Any


class ProtocolError(ValueError):
    """A message that is none of the protocol's."""


# --- Requests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Who is there? Sent once to every process."""

    protocol: int = PROTOCOL
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """A program: its text, and its elaborated tree (`program.schema.json`), None if the program is to be rejected.

    `domain` holds tables as a domain file does. `deployment` says which sources there are, how each promises progress,
    and the disorder in milliseconds. It replaces the program loaded before, and all state.
    """

    text: str
    ast: Json
    domain: Mapping[str, Json] = field(default_factory=dict)
    deployment: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A whole trace, the items of its lines in the order of arrival; every source ends with it."""

    trace: Sequence[Json]


@dataclass(frozen=True, slots=True)
class Feed:
    """More lines of a trace, after those before; only for engines with the feature `incremental`."""

    trace: Sequence[Json]


@dataclass(frozen=True, slots=True)
class Advance:
    """Every source has come to its end: all promises are +∞ from now on."""


@dataclass(frozen=True, slots=True)
class Bye:
    """The engine replies and ends."""


Request = Hello | Load | Run | Feed | Advance | Bye

# --- Replies ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Greeting:
    """The reply to `hello`: who the engine is and which optional features it has."""

    name: str
    version: str
    features: tuple[str, ...] = ()
    protocol: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Accepted:
    """The program is loaded. `warnings` (code, line, column) is None from engines that give none."""

    warnings: tuple[Json, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Program, domain or trace is wrong: diagnostics, each with a `code`, and with `line` and `column` if known."""

    diagnostics: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The engine cannot express this, and says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Matches in any order: of the trace, or for `feed` and `advance` of all that came since `load`.

    `failures` (emissions without a value) is None from engines that do not report them.
    """

    matches: tuple[Json, ...]
    failures: tuple[Json, ...] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong in the engine, which goes on."""

    message: str


@dataclass(frozen=True, slots=True)
class Farewell:
    """The reply to `bye`."""


Reply = Greeting | Accepted | Rejected | Unsupported | Found | Failed | Farewell


class Engine(Protocol):
    """An engine in this process."""

    def hello(self) -> Greeting:
        """Who the engine is."""
        ...

    def load(self, request: Load) -> Reply:
        """Accepted, Rejected, Unsupported or Failed."""
        ...

    def run(self, trace: Sequence[Json]) -> Reply:
        """Found, Rejected, Unsupported or Failed, for a whole trace."""
        ...

    def feed(self, trace: Sequence[Json]) -> Reply:
        """As `run`, for the matches that are certain so far; Unsupported without the feature `incremental`."""
        ...

    def advance(self) -> Reply:
        """As `feed`, when every source has come to its end."""
        ...


def answer(engine: Engine, request: Request) -> Reply:
    """What an engine in this process replies."""
    match request:
        case Hello():
            return engine.hello()
        case Load():
            return engine.load(request)
        case Run(trace):
            return engine.run(trace)
        case Feed(trace):
            return engine.feed(trace)
        case Advance():
            return engine.advance()
        case Bye():
            return Farewell()


# --- JSON -------------------------------------------------------------------------------------------------------------


def request_to_json(request: Request, seq: int) -> dict[str, Json]:
    """A request as it is sent."""
    match request:
        case Hello(protocol, suite):
            return {"seq": seq, "request": "hello", "protocol": protocol, "suite": suite}
        case Load(text, ast, domain, deployment):
            program = {"text": text, "ast": ast}
            tables = {"domain": dict(domain), "deployment": dict(deployment)}
            return {"seq": seq, "request": "load", "program": program, **tables}
        case Run(trace):
            return {"seq": seq, "request": "run", "trace": list(trace)}
        case Feed(trace):
            return {"seq": seq, "request": "feed", "trace": list(trace)}
        case Advance():
            return {"seq": seq, "request": "advance"}
        case Bye():
            return {"seq": seq, "request": "bye"}


def request_from_json(data: Json) -> tuple[int, Request]:
    """A request as an engine receives it, with its `seq`. ProtocolError if it is none."""
    seq = _member(data, "seq", int)
    match _member(data, "request", str):
        case "hello":
            return seq, Hello(_member(data, "protocol", int), str(data.get("suite", "")))
        case "load":
            program = _member(data, "program", dict)
            domain, deployment = data.get("domain", {}), data.get("deployment", {})
            return seq, Load(_member(program, "text", str), program.get("ast"), domain, deployment)
        case "run":
            return seq, Run(_member(data, "trace", list))
        case "feed":
            return seq, Feed(_member(data, "trace", list))
        case "advance":
            return seq, Advance()
        case "bye":
            return seq, Bye()
        case other:
            raise ProtocolError(f"there is no request {other!r}")


def reply_to_json(reply: Reply, seq: int) -> dict[str, Json]:
    """A reply as it is sent."""
    head: dict[str, Json] = {"seq": seq}
    match reply:
        case Greeting(name, version, features, protocol):
            who = {"name": name, "version": version, "features": list(features)}
            return head | {"reply": "hello", "protocol": protocol, **who}
        case Accepted(warnings):
            return head | {"reply": "ok"} | ({} if warnings is None else {"warnings": list(warnings)})
        case Rejected(diagnostics):
            return head | {"reply": "rejected", "diagnostics": list(diagnostics)}
        case Unsupported(reason):
            return head | {"reply": "unsupported", "reason": reason}
        case Found(matches, failures):
            found = head | {"reply": "matches", "matches": list(matches)}
            return found if failures is None else found | {"failures": list(failures)}
        case Failed(message):
            return head | {"reply": "error", "message": message}
        case Farewell():
            return head | {"reply": "bye"}


def reply_from_json(data: Json, seq: int) -> Reply:
    """The reply to the request numbered `seq`. ProtocolError if it is none, or the reply to another."""
    echoed = _member(data, "seq", int)
    if echoed != seq:
        raise ProtocolError(f"out of sequence: the reply to request {seq} has the seq {echoed}")
    match _member(data, "reply", str):
        case "hello":
            features = tuple(map(str, _optional(data, "features") or ()))
            protocol = _member(data, "protocol", int)
            return Greeting(_member(data, "name", str)[:200], str(data.get("version", ""))[:200], features, protocol)
        case "ok":
            return Accepted(_objects(_optional(data, "warnings"), "warnings"))
        case "rejected":
            diagnostics = _objects(_member(data, "diagnostics", list), "diagnostics") or ()
            if not diagnostics or not all(type(item.get("code")) is str for item in diagnostics):
                raise ProtocolError("a rejection has at least one diagnostic, each with a code")
            return Rejected(diagnostics)
        case "unsupported":
            return Unsupported(_member(data, "reason", str))
        case "matches":
            matches = _objects(_member(data, "matches", list), "matches") or ()
            return Found(matches, _objects(_optional(data, "failures"), "failures"))
        case "error":
            return Failed(_member(data, "message", str))
        case "bye":
            return Farewell()
        case other:
            raise ProtocolError(f"there is no reply {other!r}")


def _member(data: Json, key: str, kind: type) -> Json:
    if type(data) is not dict:
        raise ProtocolError(f"expected a JSON object, found {type(data).__name__}")
    if key not in data:
        raise ProtocolError(f"the key {key!r} is missing")
    if type(data[key]) is not kind:
        raise ProtocolError(f"{key!r}: expected {kind.__name__}, found {type(data[key]).__name__}")
    return data[key]


def _optional(data: Mapping[str, Json], key: str) -> list[Json] | None:
    value = data.get(key)
    if value is not None and type(value) is not list:
        raise ProtocolError(f"{key!r}: expected list, found {type(value).__name__}")
    return value


def _objects(items: Iterable[Json] | None, key: str) -> tuple[Json, ...] | None:
    if items is None:
        return None
    items = tuple(items)
    if not all(type(item) is dict for item in items):
        raise ProtocolError(f"{key!r}: expected objects")
    return items
