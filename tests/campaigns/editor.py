"""Whatever an editor sends to the language server, in whatever order: each request is answered once, and it ends."""

from __future__ import annotations

import io
import json
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from lsprotocol import types

from parte.editing import server
from tests.campaigns.running import Broken
from tests.parte.editing.messages import Sent, conversation, message

PATIENCE = 60.0
"""Seconds for all answers; the machine may be busy."""
_CAPABILITIES = {"processId": None, "rootUri": None, "capabilities": {"general": {"positionEncodings": ["utf-8"]}}}
_INTERNAL = -32603


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an editor sends after `initialize`; `half` of a frame at its end, or `shutdown` and `exit`."""

    sent: tuple[Sent, ...]
    half: bytes


class _Input(io.RawIOBase):
    """What is sent first, and what once that is read."""

    def __init__(self, first: bytes, then: Callable[[], bytes]) -> None:
        self._left = io.BytesIO(first)
        self._then: Callable[[], bytes] | None = then

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if data := self._left.read(len(buffer)):
            buffer[: len(data)] = data
            return len(data)
        if self._then is None:
            return 0
        self._left, self._then = io.BytesIO(self._then()), None
        return self.readinto(buffer)


class _Output(io.BytesIO):
    """What the server writes, by any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def write(self, data: Any) -> int:
        with self._lock:
            return super().write(data)

    def messages(self) -> list[Mapping[str, Any]]:
        """All messages so far."""
        with self._lock:
            left = io.BytesIO(self.getvalue())
        messages = []
        while line := left.readline():
            while left.readline().strip():
                pass
            messages.append(json.loads(left.read(int(line.split()[1]))))
        return messages


class Editing:
    """The campaign."""

    name = "editor"

    def draw(self, source: random.Random) -> Conversation:
        """A conversation."""
        sent = tuple(conversation(source, source.choice([1, 5, 40])))
        body = message(types.TEXT_DOCUMENT_HOVER, {})
        return Conversation(sent, body[: source.randrange(1, len(body))] if source.random() < 0.2 else b"")

    def attack(self, case: Conversation, counts: Counter[str]) -> None:
        """Hold a conversation."""
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # as the command does
        editor, output = server.Server(), _Output()
        requests = [sent.identity for sent in case.sent if sent.identity is not None]
        counts["messages"] += len(case.sent)
        counts["requests"] += len(requests)

        def then() -> bytes:
            until = time.monotonic() + PATIENCE
            while editor.watching or len(_replies(output.messages())) < len(requests) + 1:
                if time.monotonic() > until:
                    return b""
                time.sleep(0.01)
            return case.half or message(types.SHUTDOWN, None, "end") + message(types.EXIT, None)

        first = message(types.INITIALIZE, _CAPABILITIES, "begin") + b"".join(sent.data for sent in case.sent)
        pause, server.PAUSE = server.PAUSE, 0.0
        try:
            code = editor.connection.serve(cast(Any, io.BufferedReader(_Input(first, then))), cast(Any, output))
        finally:
            server.PAUSE = pause
        messages = output.messages()
        replies = _replies(messages)
        answered = Counter(repr(reply["id"]) for reply in replies)
        wanted = Counter(map(repr, ["begin", *requests, *([] if case.half else ["end"])]))
        if answered != wanted:
            raise Broken("not one answer for each id", f"lacking {wanted - answered}, too many {answered - wanted}")
        for reply in replies:
            problem = reply.get("error", {})
            counts[f"replies {problem.get('code', 'with a result')}"] += 1
            if problem.get("code") == _INTERNAL:
                raise Broken("an internal error", json.dumps(problem))
        counts["errors without an id"] += sum("id" in message and message["id"] is None for message in messages)
        counts["diagnostics"] += sum(message.get("method") == "textDocument/publishDiagnostics" for message in messages)
        if code != 0:
            raise Broken("exit code", str(code))

    def smaller(self, case: Conversation) -> Iterator[Conversation]:
        """Without a part of the messages."""
        for size in (len(case.sent) // 2, len(case.sent) // 4, 1):
            for start in range(0, len(case.sent), size) if size else ():
                yield Conversation(case.sent[:start] + case.sent[start + size :], case.half)
        if case.half:
            yield Conversation(case.sent, b"")

    def show(self, case: Conversation) -> str:
        """What is sent."""
        return "\n".join(repr(sent.data[:1_000]) for sent in (*case.sent, Sent(case.half)))


def _replies(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [message for message in messages if message.get("id") is not None and "method" not in message]
