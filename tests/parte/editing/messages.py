"""Messages to the language server at random: right ones, ones whose parts have the wrong shape, and damaged frames."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from parte.editing.support import supported
from tests.parte.editing.texts import examples

Json = Any
URIS = (
    *(f"untitled:a{support.colouring.ending}" for support in supported()),
    "untitled:b.txt",
    "untitled:unknown.parte",
    "",
)
_ODD: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 1, 2**31 - 1, 2**31, 2**63, 10**30, 1.5, -0.0, "", "x", "\ud800", "\x00", "é𝄞"),
    *("x" * 10_000, [], {}, [[]], {"": {}}, [None], {"jsonrpc": "2.0", "method": "exit"}, {"id": 1}, [1, "a", {}]),
)
METHODS = (
    *(types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_COMPLETION, types.TEXT_DOCUMENT_DEFINITION),
    *(types.TEXT_DOCUMENT_REFERENCES, types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL),
    *(types.TEXT_DOCUMENT_FORMATTING, types.TEXT_DOCUMENT_CODE_ACTION, types.TEXT_DOCUMENT_PREPARE_RENAME),
    *(types.TEXT_DOCUMENT_RENAME, types.WORKSPACE_EXECUTE_COMMAND, types.INITIALIZE, "no/such"),
)
NOTIFICATIONS = (
    *(types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE),
    *(types.CANCEL_REQUEST, types.SET_TRACE, types.INITIALIZED),
    *(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, types.WINDOW_WORK_DONE_PROGRESS_CANCEL),
    *(types.NOTEBOOK_DOCUMENT_DID_OPEN, types.NOTEBOOK_DOCUMENT_DID_CHANGE),
    *(types.NOTEBOOK_DOCUMENT_DID_CLOSE, "$/no/such", "no/such"),
)
_OPENING = (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE)


@dataclass(frozen=True, slots=True)
class Sent:
    """Bytes to the server; `identity` is the id of the request that they hold, None if they hold none."""

    data: bytes
    identity: Json = None


def framed(body: bytes, length: object = None) -> bytes:
    """A message as it is sent, with a length that may be wrong."""
    return b"Content-Length: %s\r\n\r\n%s" % (str(len(body) if length is None else length).encode(), body)


def message(method: str, params: Json, identity: Json = None) -> bytes:
    """A request, or a notification if it has no id."""
    whole = {"jsonrpc": "2.0", "method": method, "params": params}
    return framed(json.dumps(whole if identity is None else {**whole, "id": identity}).encode())


def conversation(source: random.Random, length: int) -> Iterator[Sent]:
    """Messages at random. Each is whole, so that the next one can be understood."""
    for number in range(1, length + 1):
        kind = source.random()
        if kind < 0.06:
            yield Sent(_damaged(source))
        elif kind < 0.1:
            yield _invalid(source, number)
        elif kind < 0.55:
            method = source.choice(_OPENING) if source.random() < 0.6 else source.choice(NOTIFICATIONS)
            yield Sent(message(method, _params(source, method)))
        else:
            method = source.choice(METHODS)
            identity = source.choice([number, f"id {number}"])
            yield Sent(message(method, _params(source, method), identity), identity)


def _damaged(source: random.Random) -> bytes:
    """A frame that holds no message."""
    junk = source.randbytes(source.choice([1, 30, 3_000]))
    body = b'{"jsonrpc": "2.0", "id": "damaged", "method": "shutdown"}'
    return source.choice(
        [
            *(framed(body, length) for length in (-5, "abc", "", "9" * 20, "9" * 5_000, "+5", "1e3", "0x10", 0, 20)),
            *(framed(junk), framed(b"[" * 20_000), framed(b"[]"), framed(b"null"), framed(b"{}"), framed(b"1" * 5_000)),
            b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
            b"no header\r\n\r\n",
            b"X-Other: 1\r\n\r\n",
            b"\r\n\r\n",
            junk.replace(b"\n", b" ") + b"\r\n",
            b"Content-Type: x\r\n" + framed(b"{"),
        ]
    )


def _invalid(source: random.Random, number: int) -> Sent:
    """JSON that is no message of the protocol."""
    whole: dict[str, Json] = {"jsonrpc": "2.0", "id": number, "method": types.TEXT_DOCUMENT_HOVER, "params": {}}
    part = source.choice(["jsonrpc", "method", "id"])
    whole[part] = source.choice(_ODD)
    identity = whole.get("id")
    readable = type(identity) in (int, str)
    return Sent(framed(json.dumps(whole).encode()), identity if readable else None)


def _params(source: random.Random, method: str) -> Json:
    """The parameters of a method, in two of five cases with something wrong among them."""
    params = _right(source, method)
    while source.random() < 0.4:
        params = _changed(source, params)
    return params


def _right(source: random.Random, method: str) -> Json:
    uri, text = source.choice(URIS), _text(source)
    document: Mapping[str, Json] = {"uri": uri}
    here = {"start": _position(source), "end": _position(source)}
    versioned = {"uri": uri, "version": source.randrange(100)}
    folder = {"uri": "file:///x", "name": "x"}
    cell = {"kind": 2, "document": uri}
    notebook = {"uri": uri, "notebookType": "x", "version": 1, "cells": [cell]}
    special: Mapping[str, Json] = {
        types.INITIALIZE: {"processId": None, "rootUri": None, "capabilities": {}},
        types.TEXT_DOCUMENT_DID_OPEN: {"textDocument": {**versioned, "languageId": "parte", "text": text}},
        types.TEXT_DOCUMENT_DID_CHANGE: {
            "textDocument": versioned,
            "contentChanges": [source.choice([{"text": text}, {"text": text, "range": here}]) for _ in range(2)],
        },
        types.CANCEL_REQUEST: {"id": source.choice([source.randrange(100), f"id {source.randrange(100)}"])},
        types.SET_TRACE: {"value": "verbose"},
        types.WORKSPACE_EXECUTE_COMMAND: {"command": "x", "arguments": [1]},
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: {"event": {"added": [folder], "removed": [folder]}},
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL: {"token": 1},
        types.NOTEBOOK_DOCUMENT_DID_OPEN: {
            "notebookDocument": notebook,
            "cellTextDocuments": [{**versioned, "languageId": "parte", "text": text}],
        },
        types.NOTEBOOK_DOCUMENT_DID_CHANGE: {"notebookDocument": versioned, "change": {"metadata": {}}},
        types.NOTEBOOK_DOCUMENT_DID_CLOSE: {"notebookDocument": document, "cellTextDocuments": [document]},
    }
    usual = {
        "textDocument": document,
        "position": _position(source),
        "range": here,
        "context": {"diagnostics": [], "includeDeclaration": True},
        "options": {"tabSize": 2, "insertSpaces": True},
        "newName": source.choice(["x", "rule", "", "é", "x" * 300]),
    }
    return special.get(method, usual)


def _position(source: random.Random) -> Json:
    return {
        "line": source.choice([0, source.randrange(30), 2**31 - 1]),
        "character": source.choice([0, source.randrange(80), 2**31 - 1]),
    }


def _text(source: random.Random) -> str:
    """A program, or what is left of one."""
    text = source.choice(examples(source.choice(supported())))
    for _ in range(source.choice([0, 0, 1, 3])):
        start = source.randrange(len(text) + 1)
        piece = source.choice(["", "(", "}", "\r", '"', "\ud800", "𝄞", "a." * 50])
        text = text[:start] + piece + text[start + source.randrange(20) :]
    return text


def _changed(source: random.Random, value: Json) -> Json:
    """A value with something else in one of its places."""
    if not value or not isinstance(value, dict | list) or source.random() < 0.25:
        return source.choice(_ODD)
    if isinstance(value, list):
        index = source.randrange(len(value))
        return [*value[:index], _changed(source, value[index]), *value[index + 1 :]]
    key = source.choice(list(value))
    rest = {name: item for name, item in value.items() if name != key}
    return rest if source.random() < 0.3 else {**rest, key: _changed(source, value[key])}
