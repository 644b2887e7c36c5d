"""Replies to messages that pygls leaves without one: every request gets a reply, even if it is malformed."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

import cattrs
from cattrs.v import format_exception
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter

from parte.editing.cancelling import Pool
from parte.editing.frames import BadFrame

_LONGEST = 500
"""The greatest number of characters of a message to the editor."""


def converter() -> cattrs.Converter:
    """Return the converter of pygls, changed so that it takes no number for a text, and no text for a number."""
    strict: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls says no type
    for kind in (str, int, bool):
        strict.register_structure_hook(kind, _exactly(kind))
    return strict


def _exactly(kind: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(kind)
        return value

    return structure


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with checks of every message."""

    def receive(self, frame: bytes | BadFrame) -> None:
        """Handle a message. Raise SystemExit if it is `exit`."""
        identity = None
        try:
            message = _message(frame)
            identity = _identity(message)
            self._handle(message, identity)
        except JsonRpcException as problem:
            problem.message = problem.message[:_LONGEST]
            if identity is not None or isinstance(problem, JsonRpcInvalidRequest | JsonRpcParseError):
                self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": _error(problem)})
            else:
                self._server.report_server_error(problem, JsonRpcException)

    def _handle(self, message: dict[str, Any], identity: str | int | None) -> None:
        method = message.get("method")
        if method is None and identity is not None and ("result" in message or "error" in message):
            return  # a reply; the server sends no requests
        if message.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            raise JsonRpcInvalidRequest('expected "jsonrpc": "2.0" and the name of a method')
        kind = self.get_message_type(method)
        if identity is not None and kind is not None and not _is_request(kind):
            raise JsonRpcInvalidRequest(f"`{method}` is a notification: it has no id")
        if method == types.EXIT:
            raise SystemExit(0 if self._shutdown else 1)
        if problem := self._out_of_order(method):
            if identity is None:
                return
            raise problem
        if kind is None or method not in {*self.fm.features, *self.fm.builtin_features, types.CANCEL_REQUEST}:
            if identity is None:
                return
            raise JsonRpcMethodNotFound.of(method)
        if identity is None and _is_request(kind):
            raise JsonRpcInvalidRequest(f"`{method}` is a request: it needs an id")
        try:
            structured = self._converter.structure(message, kind)
        except Exception as problem:
            raise JsonRpcInvalidParams(f"{method}: {'; '.join(_problems(problem))}") from None
        self.handle_message(structured)

    def _out_of_order(self, method: str) -> JsonRpcException | None:
        """Return the error of a method that is not allowed at this time, or None."""
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shut down, and only `exit` may follow")
        if self._workspace is None and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("the first request must be `initialize`")
        if self._workspace is not None and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("`initialize` was sent before")
        return None

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        # The converter accepts any value if a type is one of several.
        future: Future[Any] | None = self._request_futures.get(msg_id) if isinstance(msg_id, str | int) else None
        if future is not None:
            cast(Pool, self._server.thread_pool).stop(future)


def _message(frame: bytes | BadFrame) -> dict[str, Any]:
    """Return the object in a frame."""
    if isinstance(frame, BadFrame):
        raise JsonRpcParseError(frame.problem)
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError) as problem:
        raise JsonRpcParseError(f"a message that is not JSON: {problem}") from None
    if not isinstance(message, dict):
        raise JsonRpcInvalidRequest("a message must be one object")
    return message


def _identity(message: dict[str, Any]) -> str | int | None:
    """Return the id of a request; None for a notification."""
    identity = message.get("id")
    if "id" in message and type(identity) not in (str, int):
        raise JsonRpcInvalidRequest("an id must be a string or an integer")
    return identity


def _is_request(kind: type) -> bool:
    return "id" in kind.__annotations__


def _problems(problem: Exception) -> list[str]:
    """Return the problems of the parts of a message, each with its place."""
    try:
        return list(cattrs.transform_error(problem, format_exception=_worded))
    except Exception:  # cattrs has no message for some errors
        return [str(problem)]


def _worded(problem: BaseException, kind: type | None) -> str:
    return str(problem) if type(problem) is ValueError else format_exception(problem, kind)


def _error(problem: JsonRpcException) -> dict[str, Any]:
    return {"code": problem.code, "message": problem.message}
