"""An editor as the language server sees one: messages over standard input and output, answers by their numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Json = Any


class Editor:
    """One end of a connection to a server that runs."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._number = 0
        self._documents = 0
        self.notifications: list[Json] = []

    def ask(self, method: str, **params: Json) -> Json:
        """The result of a request; AssertionError with what is wrong if the server says so."""
        reply = self.reply(method, **params)
        assert "error" not in reply, reply["error"]
        return reply["result"]

    def reply(self, method: str, **params: Json) -> Mapping[str, Json]:
        """The reply to a request, whatever it is."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self.reply_to(self._number)

    def reply_to(self, identity: Json) -> Mapping[str, Json]:
        """The reply with an id."""
        while True:
            message = self._receive()
            if "id" in message and message["id"] == identity and "method" not in message:
                return message
            self.notifications.append(message)

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def tell(self, method: str, **params: Json) -> None:
        """A notification."""
        self._send({"method": method, "params": params})

    def opened(self, text: str, ending: str, identity: str = "", uri: str = "") -> str:
        """Open a text; its name."""
        self._documents += 1
        uri = uri or f"untitled:{self._documents}{ending}"
        document = {"uri": uri, "languageId": identity, "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=document)
        return uri

    def changed(self, uri: str, version: int, text: str) -> None:
        """Replace a text by another."""
        document = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self, uri: str, version: int | None) -> list[Json]:
        """What the server says of a version of a text; waits for it."""
        while True:
            for message in self.notifications:
                params = message.get("params", {})
                if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri:
                    self.notifications.remove(message)
                    if params.get("version") == version:
                        return list(params["diagnostics"])
                    break
            else:
                self.notifications.append(self._receive())

    def _send(self, message: Mapping[str, Json]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _receive(self) -> Mapping[str, Json]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        assert length, "the server is gone"
        message: Mapping[str, Json] = json.loads(self._process.stdout.read(length))
        return message


@contextmanager
def editor(encodings: list[str] | None = None, folders: Sequence[str] = ()) -> Iterator[Editor]:
    """A server and an editor that has introduced itself, with the URIs of its folders; at the end the server has ended
    without a word."""
    command = [sys.executable, "-m", "parte", "lsp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            connected = Editor(process)
            general = {"positionEncodings": encodings} if encodings else {}
            named: Json = {"workspaceFolders": [{"uri": uri, "name": uri} for uri in folders]} if folders else {}
            connected.ask("initialize", processId=None, rootUri=None, capabilities={"general": general}, **named)
            connected.tell("initialized")
            yield connected
            connected.ask("shutdown")
            connected.tell("exit")
            _, said = process.communicate(timeout=30)
            assert process.returncode == 0
            assert said == b""
        finally:
            process.kill()
