"""Messages that break the protocol: each id gets one reply, the server goes on, and it ends when it is told to."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types

from parte.editing import server
from parte.editing.analysis import Analysis
from parte.editing.frames import MAX_FRAME_BYTES, BadFrame, frames
from parte.editing.support import supported
from parte.semantics.source.limits import MAX_SOURCE_CHARACTERS
from tests.parte.editing.editor import Editor, Json, editor
from tests.parte.editing.messages import METHODS, NOTIFICATIONS, framed, message

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800
HERE = {"textDocument": {"uri": "untitled:a.parte"}, "position": {"line": 0, "character": 0}}


@pytest.fixture(scope="module")
def shared() -> Iterator[Editor]:
    with editor() as connected:
        yield connected


# --- Frames -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "said"),
    [
        ("-5", "`Content-Length: -5`: expected a number of bytes"),
        ("abc", "`Content-Length: abc`: expected a number of bytes"),
        ("", "`Content-Length: `: expected a number of bytes"),
        ("9" * 20, f"a message of {'9' * 20} bytes; at most {MAX_FRAME_BYTES} are read"),
        (MAX_FRAME_BYTES + 1, f"a message of {MAX_FRAME_BYTES + 1} bytes; at most {MAX_FRAME_BYTES} are read"),
        ("9" * 5_000, "expected one header"),
    ],
)
def test_a_length_that_is_none_is_answered_and_the_next_message_is_read(
    shared: Editor, length: object, said: str
) -> None:
    shared.send(framed(b'{"jsonrpc": "2.0", "id": "lost", "method": "shutdown"}', length))
    problem = shared.reply_to(None)["error"]
    assert problem["code"] == PARSE_ERROR
    assert said in problem["message"]
    assert shared.ask("textDocument/hover", **HERE) is None


@pytest.mark.parametrize("length", ["-5", "abc", "9" * 20])
def test_after_such_a_length_the_process_ends(length: str) -> None:
    hover = message("textDocument/hover", {}, 1)
    sent = framed(b"{}", length) + hover + message("shutdown", None, 2) + message("exit", None)
    command = [sys.executable, "-m", "parte", "lsp"]
    ended = subprocess.run(command, input=sent, capture_output=True, timeout=60, check=False)
    assert ended.returncode == 1  # it was not initialized, so it was not shut down
    assert ended.stderr == b""
    assert ended.stdout.count(b'"jsonrpc"') == 3


def read(data: bytes) -> list[object]:
    return [
        bad_frame.problem if isinstance(bad_frame, BadFrame) else bad_frame for bad_frame in frames(io.BytesIO(data))
    ]


def test_frames() -> None:
    good = framed(b"{}")
    header_error = "expected one header `Content-Length: NUMBER`, and an empty line behind it"
    assert read(good + b"\r\n\n" + good) == [b"{}", b"{}"]
    assert read(b"Content-Type: x\r\n" + good.lower().replace(b"\r", b"")) == [b"{}"]
    assert read(b"garbage}" + good) == [header_error, b"{}"]
    assert read(b"garbage: " + good) == [header_error]
    assert read(b"Content-Length: 1\r\n" + good * 2) == [header_error, b"{}"]
    assert read(framed(b"{}garbage}", 2) + good) == [b"{}", header_error, b"{}"]
    assert read(framed(b"{}", 3) + good) == [b"{}C", header_error]
    assert read(framed(b"{}", 3)) == ["the input ends after 2 of 3 bytes"]
    assert read(b"Content-Length: 3") == [header_error]
    assert read(framed(b"x" * 4_090, "none") + good * 2) == [
        "`Content-Length: none`: expected a number of bytes",
        *([b"{}"] * 2),
    ]
    for size in range(4_040, 4_110):  # the next header lies across two pieces that are read
        assert read(framed(b"x" * size, "none") + good)[1:] == [b"{}"]


def test_a_text_as_long_as_the_limit_fits_into_a_frame(shared: Editor) -> None:
    uri = shared.opened("𝄞" * MAX_SOURCE_CHARACTERS, ".parte")
    assert shared.diagnostics(uri, 1)
    uri = shared.opened("a" * (MAX_SOURCE_CHARACTERS + 1), ".parte")
    (diagnostic,) = shared.diagnostics(uri, 1)
    assert diagnostic["code"] == "source-too-large"
    assert f"at most {MAX_SOURCE_CHARACTERS} are read" in diagnostic["message"]


# --- Messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (None, "params"),
        ([], "params"),
        (5, "params"),
        ({}, "required field missing @ $.params.text_document"),
        ({**HERE, "textDocument": "untitled:a.parte"}, "$.params.text_document"),
        ({**HERE, "textDocument": {"uri": 5}}, "expected str @ $.params.text_document.uri"),
        ({**HERE, "position": {"line": -1, "character": 0}}, "Position.line should be in range"),
        ({**HERE, "position": {"line": 2**31, "character": 0}}, "Position.line should be in range"),
        ({**HERE, "position": {"line": "0", "character": 0}}, "expected int @ $.params.position.line"),
        ({**HERE, "position": {"line": True, "character": 0}}, "expected int @ $.params.position.line"),
        ({**HERE, "position": {"line": 0}}, "params.position.character"),
    ],
)
def test_params_of_a_wrong_shape_are_refused(shared: Editor, params: Json, said: str) -> None:
    for identity in (7_000, "seven thousand"):
        shared.send(message("textDocument/hover", params, identity))
        problem = shared.reply_to(identity)["error"]
        assert problem["code"] == INVALID_PARAMS
        assert said in problem["message"]


def test_a_second_introduction_is_refused(shared: Editor) -> None:
    reply = shared.reply("initialize", processId=None, rootUri=None, capabilities={})
    assert reply["error"] == {"code": INVALID_REQUEST, "message": "`initialize` was sent before"}


@pytest.mark.parametrize(
    ("body", "identity", "code"),
    [
        (b"{", None, PARSE_ERROR),
        (b"\xff\x00", None, PARSE_ERROR),
        (b"[" * 100_000, None, PARSE_ERROR),
        (b"1" * 10_000, None, PARSE_ERROR),
        (b"[]", None, INVALID_REQUEST),
        (b"{}", None, INVALID_REQUEST),
        (b'{"id": 8000}', 8_000, INVALID_REQUEST),
        (b'{"id": 8000, "jsonrpc": "1.0", "method": "shutdown"}', 8_000, INVALID_REQUEST),
        (b'{"id": 8000, "jsonrpc": "2.0", "method": {}}', 8_000, INVALID_REQUEST),
        (b'{"id": null, "jsonrpc": "2.0", "method": "shutdown"}', None, INVALID_REQUEST),
        (b'{"id": 1.5, "jsonrpc": "2.0", "method": "shutdown"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": "shutdown"}', None, INVALID_REQUEST),
        (b'{"id": 8000, "jsonrpc": "2.0", "method": "exit"}', 8_000, INVALID_REQUEST),
        (b'{"id": 8000, "jsonrpc": "2.0", "method": "no/such"}', 8_000, METHOD_NOT_FOUND),
        (b'{"id": 8000, "jsonrpc": "2.0", "method": "window/showMessage", "params": {}}', 8_000, INVALID_REQUEST),
    ],
)
def test_what_is_no_request_is_refused(shared: Editor, body: bytes, identity: Json, code: int) -> None:
    shared.send(framed(body))
    assert shared.reply_to(identity)["error"]["code"] == code
    assert shared.ask("textDocument/hover", **HERE) is None


def test_replies_to_requests_that_the_server_did_not_send_are_passed_over(shared: Editor) -> None:
    shared.send(framed(b'{"jsonrpc": "2.0", "id": 1, "result": {"jsonrpc": "2.0"}}'))
    shared.send(framed(b'{"jsonrpc": "2.0", "id": [], "error": {}}'))
    assert shared.reply_to(None)["error"]["code"] == INVALID_REQUEST
    assert shared.ask("textDocument/hover", **HERE) is None


def test_a_notification_of_a_wrong_shape_is_shown(shared: Editor) -> None:
    shared.tell("textDocument/didOpen", textDocument={"uri": 5})
    shared.ask("textDocument/hover", **HERE)
    (warning,) = (
        notification for notification in shared.notifications if notification.get("method") == "window/showMessage"
    )
    shared.notifications.remove(warning)
    assert "textDocument/didOpen: " in warning["params"]["message"]


def test_before_initialize_and_after_shutdown_requests_are_refused() -> None:
    with serving() as (connected, codes):
        assert connected.reply("textDocument/hover", **HERE)["error"]["code"] == NOT_INITIALIZED
        connected.tell("textDocument/didOpen")
        connected.ask("initialize", processId=None, rootUri=None, capabilities={})
        connected.ask("shutdown")
        for method in ("textDocument/hover", "initialize", "shutdown"):
            assert connected.reply(method, **HERE)["error"]["code"] == INVALID_REQUEST
        connected.tell("exit")
    assert codes == [0]


# --- Work that takes long ---------------------------------------------------------------------------------------------


@contextmanager
def serving() -> Iterator[tuple[Editor, list[int]]]:
    """A server in a thread of this process, and its exit code once it ended."""
    (source, sent), (received, output) = os.pipe(), os.pipe()
    codes: list[int] = []
    with os.fdopen(sent, "wb") as to, os.fdopen(received, "rb") as back:

        def serve() -> None:
            with os.fdopen(source, "rb") as reading, os.fdopen(output, "wb") as writing:
                codes.append(server.Server().connection.serve(reading, writing))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Editor(cast(Any, SimpleNamespace(stdin=to, stdout=back))), codes
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Texts that begin with `endless` take for ever; counts how often somebody has begun with one."""
    begun = threading.Semaphore(0)

    def slow(whole: Any) -> Any:
        def answer(document: Any, *rest: Any) -> Any:
            if document.analysis.text.startswith("endless"):
                begun.release()
                while True:
                    time.monotonic()
            return whole(document, *rest)

        return answer

    monkeypatch.setattr(server, "_diagnostics", slow(server._diagnostics))
    monkeypatch.setattr(server, "_hover", slow(server._hover))
    return begun


def test_the_next_edit_stops_the_reading_of_a_text(endless: threading.Semaphore) -> None:
    with serving() as (connected, codes):
        connected.ask("initialize", processId=None, rootUri=None, capabilities={})
        opened = [connected.opened("endless", ".parte") for _ in range(server.MOST_READINGS)]
        assert all(endless.acquire(timeout=30) for _ in opened)
        text = "template A { k : Integr }"
        for uri in opened:
            assert connected.ask("textDocument/documentSymbol", textDocument={"uri": uri}) == []
            connected.changed(uri, 2, text)
            assert [diagnostic["code"] for diagnostic in connected.diagnostics(uri, 2)] == ["unknown-type"]
        closed = connected.opened("endless", ".parte")
        assert endless.acquire(timeout=30)
        connected.tell("textDocument/didClose", textDocument={"uri": closed})
        assert connected.diagnostics(closed, None) == []
        connected.ask("shutdown")
        connected.tell("exit")
    assert codes == [0]


def test_a_request_is_cancelled_while_it_is_worked_on(endless: threading.Semaphore) -> None:
    with serving() as (connected, codes):
        connected.ask("initialize", processId=None, rootUri=None, capabilities={})
        uri = connected.opened("endless", ".parte")
        assert endless.acquire(timeout=30)
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        connected.send(message("textDocument/hover", place, "cancelled"))
        assert endless.acquire(timeout=30)
        connected.tell("$/cancelRequest", id="cancelled")
        assert connected.reply_to("cancelled")["error"]["code"] == CANCELLED
        connected.send(message("textDocument/hover", place, "left"))
        assert endless.acquire(timeout=30)
        connected.tell("exit")
        assert connected.reply_to("left")["error"]["code"] == CANCELLED
    assert codes == [1]


def test_one_large_text_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of a text are found once for all who ask; who asks of another text does not wait."""
    begun, go_on = threading.Event(), threading.Event()
    support = supported()[0]
    slow, quick = Analysis(support, "slow"), Analysis(support, "rule R where a : A")

    def waiting(text: str) -> Any:
        begun.set()
        assert go_on.wait(60)
        return text

    tokens = type(support).tokens
    monkeypatch.setattr(
        type(support), "tokens", lambda self, text: tokens(self, waiting(text) if text == "slow" else text)
    )
    thread = threading.Thread(target=lambda: slow.tokens)
    thread.start()
    assert begun.wait(30)
    quick_thread = threading.Thread(target=lambda: quick.names.names)
    quick_thread.start()
    quick_thread.join(30)
    alive = quick_thread.is_alive()
    go_on.set()
    thread.join()
    assert not alive


def test_every_method_of_the_server_is_asked_at_random() -> None:
    protocol = server.Server().connection.protocol
    known = {*protocol.fm.features, *protocol.fm.builtin_features} - {types.EXIT, types.SHUTDOWN}
    assert known <= {*METHODS, *NOTIFICATIONS}
