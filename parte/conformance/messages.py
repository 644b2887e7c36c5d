"""The messages of the engine protocol as JSON (`protocol.schema.json`; specification: protocol-lines)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Annotated, Any, Literal, TypeVar, cast

from parte.conformance.protocol import (
    DEFAULT_LANGUAGE,
    MAX_NESTING,
    MAX_PARTS,
    PROTOCOL,
    PROTOCOLS,
    Accepted,
    Advance,
    Bye,
    Failed,
    Farewell,
    Feed,
    Found,
    Greeting,
    Hello,
    Json,
    Load,
    Object,
    ProtocolError,
    Rejected,
    Reply,
    Request,
    Run,
    Unsupported,
)
from parte.semantics.events.bounds import Bounds, Natural, Text
from parte.semantics.events.codec import Codec, FormatError, Tagged
from parte.semantics.events.values import describe

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Source:
    """A source, one of the templates that it sends, and how it promises progress for it."""

    source: Text
    template: Text
    promises: Literal["timestamps", "progress"]


@dataclass(frozen=True, slots=True)
class _Deployment:
    disorder: Natural = 0
    sources: tuple[_Source, ...] = ()


@dataclass(frozen=True, slots=True)
class _Program:
    text: str
    ast: Annotated[
        Object | None, Bounds(meaning="as the language has it in JSON; null if the program must be rejected")
    ] = None


@dataclass(frozen=True, slots=True)
class _Load:
    """The language is one of those that the engine lists; absent: PARTElang."""

    program: _Program
    domain: Object = field(default_factory=dict)
    deployment: _Deployment = _Deployment()
    language: Text = DEFAULT_LANGUAGE
    options: dict[str, str] = field(default_factory=dict)


class OutOfSequence(ProtocolError):
    """A reply to a request other than the last."""

    def __init__(self, seq: int, echoed: int) -> None:
        super().__init__(f"out of sequence: the reply to request {seq} has the seq {str(echoed)[:20]}")
        self.earlier = 0 < echoed < seq


def _greeting(name: str, version: str = "", **more: Any) -> Greeting:
    return Greeting(name[:200], version[:200], **more)


_REQUESTS = Tagged(
    "request",
    {Hello: "hello", _Load: "load", Run: "run", Feed: "feed", Advance: "advance", Bye: "bye"},
    key="request",
)
_REPLIES = Tagged(
    "reply",
    {
        Greeting: "hello",
        Accepted: "ok",
        Rejected: "rejected",
        Unsupported: "unsupported",
        Found: "matches",
        Failed: "error",
        Farewell: "bye",
    },
    key="reply",
)
# Requests are sent with all keys, but engines need not require them. Version 1 had no key `language`.
_SENT: dict[str, Any] = {"first": {_Load: ["language"]}, "sparse": {_Load: ["language", "options"]}}
_ASKING = Hello | _Load | Run | Feed | Advance | Bye
_DEPLOYMENTS: Codec[_Deployment] = Codec(_Deployment)
_ASKED: Codec[Any] = Codec(_ASKING, _REQUESTS, **_SENT, lenient=_REQUESTS.tags)
_ANSWERED: Codec[Reply] = Codec(
    Reply,
    _REPLIES,
    first={Greeting: ["protocol"]},
    sparse={Accepted: ["warnings"], Found: ["failures", "suppressed"], Greeting: ["constructs"]},
    optional={Greeting: ["version", "features", "languages"]},
    lenient=_REPLIES.tags,
    constructors={Greeting: _greeting},
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of messages: of requests as they are sent, and of replies as they are understood."""
    title = f"Messages of the PARTE engine protocol, version {PROTOCOL}"
    identifier = f"https://parte.example/schemas/protocol-{PROTOCOL}.json"
    requests, replies = (
        codec.schema(identifier, title) for codec in (Codec[Any](_ASKING, _REQUESTS, **_SENT, optional={}), _ANSWERED)
    )
    messages = requests["$defs"] | replies["$defs"]
    for name, message in messages.items():
        if name.startswith(("request.", "reply.")):
            number = {"type": "integer", "minimum": 1} if name.startswith("request.") else {"type": "integer"}
            message["properties"] = {"seq": number, **message["properties"]}
            message["required"] = ["seq", *message["required"]]
    for name in ("request.hello", "reply.hello"):
        messages[name]["properties"]["protocol"] = {"enum": [*PROTOCOLS]}
    replies["description"] = (
        "One message a line. A request is answered by exactly one reply with the same seq. Replies may have more keys, "
        "which are ignored."
    )
    del replies["$ref"]
    return replies | {"oneOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/reply"}], "$defs": messages}


def request_to_json(request: Request, seq: int) -> dict[str, Json]:
    """Return a request as JSON, with its `seq`."""
    form: Any = request
    if isinstance(request, Load):
        deployment = _DEPLOYMENTS.decode(request.deployment)
        program = _Program(request.text, request.ast)
        form = _Load(program, dict(request.domain), deployment, request.language, dict(request.options))
    return {"seq": seq} | cast(dict[str, Json], _ASKED.encode(form))


def request_from_json(data: Json) -> tuple[int, Request]:
    """Return the `seq` and the request of a message. ProtocolError if it is not a request."""
    seq, form = _message(data, _ASKED)
    if isinstance(form, _Load):
        program, deployment = form.program, cast(Object, _DEPLOYMENTS.encode(form.deployment))
        return seq, Load(program.text, program.ast, form.domain, deployment, form.language, form.options)
    return seq, form


def reply_to_json(reply: Reply, seq: int) -> dict[str, Json]:
    """Return a reply as JSON; a reply in version 1 has no languages."""
    written = {"seq": seq} | cast(dict[str, Json], _ANSWERED.encode(reply))
    if isinstance(reply, Greeting) and reply.protocol == 1:
        del written["languages"]
    return written


def reply_from_json(data: Json, seq: int) -> Reply:
    """Return the reply to the request numbered `seq`. ProtocolError if it is not a reply, OutOfSequence if it has
    another `seq`."""
    echoed, reply = _message(data, _ANSWERED)
    if echoed != seq:
        raise OutOfSequence(seq, echoed)
    return reply


_NOT_OPENING = bytes(set(range(256)) - set(b"[{,:"))
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_DEEPER = {byte: 1 if byte in b"[{" else -1 for byte in b"[]{}"}


def excess(line: bytes) -> str | None:
    """Return which limit a line of JSON exceeds, or None; it is checked before decoding, which may need a hundred times
    the memory.

    For a line that is not JSON the result is arbitrary: such a line is rejected in either case.
    """
    plain = line.replace(b"\\\\", b"").replace(b'\\"', b"")  # a quotation mark now begins or ends a string
    if plain.count(b'"') <= 4 * MAX_PARTS:
        plain = b"".join(plain.split(b'"')[::2])
        if len(plain.translate(None, _NOT_OPENING)) <= MAX_PARTS:
            brackets = plain.translate(None, _NO_BRACKET)
            if max(accumulate(map(_DEEPER.__getitem__, brackets)), default=0) <= MAX_NESTING:
                return None
            return f"it nests deeper than {MAX_NESTING} levels"
    return f"it has more than {MAX_PARTS:,} parts"


def _message(data: Json, codec: Codec[T]) -> tuple[int, T]:
    if type(data) is not dict:
        raise ProtocolError(f"expected a JSON object, found {describe(data)}")
    if "seq" not in data:
        raise ProtocolError("the key 'seq' is missing")
    if type(data["seq"]) is not int:
        raise ProtocolError(f"$.seq: expected an integer, found {describe(data['seq'])}")
    try:
        return data["seq"], codec.decode({key: part for key, part in data.items() if key != "seq"})
    except FormatError as error:
        raise ProtocolError(str(error)) from None
