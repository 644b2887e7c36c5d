"""The engine protocol: JSON Lines on standard streams, a reply for each request (`protocol.schema.json`;
specification: protocol-lines).

Requests are `hello`, `load`, `run`, `feed`, `advance` and `bye`; every reply echoes the `seq` of its request. This
module holds the messages as values; `parte.conformance.messages` has their JSON.

An engine in this process implements `Engine` and can be served to others by `parte.conformance.engines.server`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NotRequired, Protocol, TypedDict

from parte.semantics.events.bounds import Bounds

PROTOCOL = 2
"""The version of the protocol."""

PROTOCOLS = (1, 2)
"""The versions that are spoken. Engines of version 1 know one language, and nothing of there being others."""

DEFAULT_LANGUAGE = "PARTElang"
"""The language that is meant where none is named."""

MAX_REPLY = 2**24
"""The longest reply that is read, in bytes: 16 MiB."""

MAX_NESTING = 64
"""How deep the objects and lists of a reply may nest."""

MAX_PARTS = 500_000
"""The most opening brackets, commas and colons that a reply may have: so much is decoded in a second, in 100 MB."""

MAX_MATCHES = 10_000
"""The most matches of a reply, and the most emissions without a value: so many are compared in a second."""

SPARE_DIAGNOSTICS = 10
"""How many diagnostics a right rejection may have beyond those of the definition; who lists every place names none."""

INVALID_DOMAIN, INVALID_TRACE = "invalid-domain", "invalid-trace"
"""What a rejection is called when not the program is to blame, but its domain tables or the trace."""

INCREMENTAL = "incremental"
"""The feature of engines that answer `feed` and `advance`."""

OPTIONS = "options"
"""The feature of engines that are told what a run is asked for beside program and trace."""

OWN_IDS = "own-ids"
"""The feature of engines that name emitted events in a way of their own."""

Json = Any
Object = dict[str, Json]


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
    """A program: its text, and its tree as the language has it in JSON, None if the program is to be rejected.

    `language` names one of those that the engine lists. `domain` holds tables as a domain file does. `deployment` says
    which sources there are, how each promises progress, and the disorder in milliseconds. `options` are what the run is
    asked for beside, by names that the language has. It replaces the program loaded before, and all state.
    """

    text: str
    ast: Json
    domain: Mapping[str, Json] = field(default_factory=dict)
    deployment: Mapping[str, Json] = field(default_factory=dict)
    language: str = DEFAULT_LANGUAGE
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A whole trace, the items of its lines in the order of arrival; every source ends with it."""

    trace: Sequence[Object]


@dataclass(frozen=True, slots=True)
class Feed:
    """More lines of a trace, after those before; only for engines with the feature `incremental`."""

    trace: Sequence[Object]


@dataclass(frozen=True, slots=True)
class Advance:
    """Every source has come to its end: all promises are +∞ from now on."""


@dataclass(frozen=True, slots=True)
class Bye:
    """The engine replies and ends."""


Request = Hello | Load | Run | Feed | Advance | Bye

# --- Replies ----------------------------------------------------------------------------------------------------------


class DiagnosticRecord(TypedDict):
    """What is wrong, and where, if that is known: line and column from 1."""

    code: str
    line: NotRequired[int]
    column: NotRequired[int]
    message: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Greeting:
    """The reply to `hello`: who the engine is, which optional features it has, and which languages it speaks.

    `constructs` are what of the language it has, None if it does not say.
    """

    name: str
    version: str = ""
    features: tuple[str, ...] = ()
    protocol: int = PROTOCOL
    languages: tuple[str, ...] = (DEFAULT_LANGUAGE,)
    constructs: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The program is loaded. `warnings` (code, line, column) is None from engines that give none."""

    warnings: tuple[DiagnosticRecord, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """Program, domain or trace is wrong, for at least one reason."""

    diagnostics: Annotated[tuple[DiagnosticRecord, ...], Bounds(shortest=1)]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The engine cannot express this, and says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Matches in any order: of the trace, or for `feed` and `advance` of all that came since `load`.

    What a match is and how it is written is for the language to say. `failures` (emissions without a value) is None
    from engines that do not report them.
    """

    matches: Annotated[tuple[Object, ...], Bounds(longest=MAX_MATCHES)]
    failures: Annotated[tuple[Object, ...], Bounds(longest=MAX_MATCHES)] | None = None


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
