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
"""The supported versions. Engines of version 1 have one language, and do not list languages."""

DEFAULT_LANGUAGE = "PARTElang"
"""The language of messages and reports that name none."""

MAX_REPLY = 2**24
"""The longest reply that is read, in bytes: 16 MiB."""

MAX_NESTING = 64
"""The maximum nesting of objects and lists in a reply."""

MAX_PARTS = 500_000
"""The most opening brackets, commas and colons of a reply: so many are decoded in a second, in 100 MB."""

MAX_MATCHES = 10_000
"""The most matches of a reply, emissions without a value, and suppressed ones: so many are compared in a second."""

SPARE_DIAGNOSTICS = 10
"""The number of diagnostics that a correct rejection may have beyond those of the definition; an engine that lists
every place fails."""

INVALID_DOMAIN, INVALID_TRACE = "invalid-domain", "invalid-trace"
"""The codes of a rejection of the domain tables or the trace instead of the program."""

INCREMENTAL = "incremental"
"""The feature of engines that answer `feed` and `advance`."""

OPTIONS = "options"
"""The feature of engines that take the options of a run, beside program and trace."""

OWN_IDS = "own-ids"
"""The feature of engines that name emitted events in their own way."""

Json = Any
Object = dict[str, Json]


class ProtocolError(ValueError):
    """A message that does not follow the protocol."""


# --- Requests ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """The greeting, which is sent once to every process."""

    protocol: int = PROTOCOL
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """A program: its text, and its tree in the JSON of the language, None if the program must be rejected.

    `language` names one of those that the engine lists. `domain` contains tables as a domain file does. `deployment`
    states the sources, how each promises progress, and the disorder in milliseconds. `options` are further settings of
    the run, by names of the language. It replaces the program loaded before, and all state.
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
    """Every source has ended: all promises are +∞ from now on."""


@dataclass(frozen=True, slots=True)
class Bye:
    """The engine replies and exits."""


Request = Hello | Load | Run | Feed | Advance | Bye

# --- Replies ----------------------------------------------------------------------------------------------------------


class DiagnosticRecord(TypedDict):
    """A problem, and its place, if that is known: line and column from 1."""

    code: str
    line: NotRequired[int]
    column: NotRequired[int]
    message: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Greeting:
    """The reply to `hello`: the engine's name and version, its optional features, and its languages.

    `constructs` are the supported constructs of the language, None if the engine does not declare them.
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
    """The engine cannot express the program or the trace; with the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """Matches in any order: of the trace, or for `feed` and `advance` of all events since `load`.

    The language defines matches and their form. `failures` (emissions without a value) and `suppressed` (emissions that
    `once` suppressed) are None from engines that do not report them.
    """

    matches: Annotated[tuple[Object, ...], Bounds(longest=MAX_MATCHES)]
    failures: Annotated[tuple[Object, ...], Bounds(longest=MAX_MATCHES)] | None = None
    suppressed: Annotated[tuple[Object, ...], Bounds(longest=MAX_MATCHES)] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """An error in the engine, which continues."""

    message: str


@dataclass(frozen=True, slots=True)
class Farewell:
    """The reply to `bye`."""


Reply = Greeting | Accepted | Rejected | Unsupported | Found | Failed | Farewell


class Engine(Protocol):
    """An engine in this process."""

    def hello(self) -> Greeting:
        """Return the greeting: name, version, features and languages."""
        ...

    def load(self, request: Load) -> Reply:
        """Load a program and return Accepted, Rejected, Unsupported or Failed."""
        ...

    def run(self, trace: Sequence[Json]) -> Reply:
        """Run a whole trace and return Found, Rejected, Unsupported or Failed."""
        ...

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Like `run`, for the matches that are certain so far; Unsupported without the feature `incremental`."""
        ...

    def advance(self) -> Reply:
        """Like `feed`, when every source has ended."""
        ...


def answer(engine: Engine, request: Request) -> Reply:
    """Return the reply of an engine in this process."""
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
