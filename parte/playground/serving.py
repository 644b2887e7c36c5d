"""Hands the page of the playground to browsers on this machine."""

from __future__ import annotations

import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final

from parte.semantics.events.files import read_text

HERE: Final = "127.0.0.1"
"""The one address that is listened to: nobody reaches it from another machine."""

BUILT: Final = Path(__file__).resolve().parents[2] / "build" / "playground"
"""Where `make playground` puts the page, in a checkout."""

POLICY: Final = "policy.txt"
"""The file of a built page that says what it and its worker may load: what is served here, and nothing else."""
_LONGEST = 4_000


class _Handler(SimpleHTTPRequestHandler):
    """Files of one folder, with types that do not depend on what the machine is set to."""

    policy = ""
    server_version = "parte"
    sys_version = ""
    extensions_map = {  # noqa: RUF012 - as the class above has it
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        "": "application/octet-stream",
    }

    def end_headers(self) -> None:
        """What every answer says beside its content; a page that was built anew is not taken for the one before."""
        self.send_header("Content-Security-Policy", self.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def send_head(self) -> BytesIO | BinaryIO | None:
        """As the class above, but what can be the name of no file is not found."""
        try:
            return super().send_head()
        except ValueError:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def list_directory(self, path: str | PathLike[str]) -> None:
        """Folders are not listed."""
        del path
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal is the user's."""


class _Server(ThreadingHTTPServer):
    """One that says nothing of browsers that no longer want what they asked for, as when a page is loaded anew."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def server(page: Path, port: int) -> ThreadingHTTPServer:
    """What serves a built page; `server_port` is the port, for 0 a free one.

    OSError if the port is taken, or if there is no page.
    """
    policy = " ".join(read_text(page / POLICY, _LONGEST).split())
    handler = type("_Of", (_Handler,), {"policy": f"{policy}; frame-ancestors 'self'"})
    return _Server((HERE, port), partial(handler, directory=str(page)))
