"""A server of the page of the playground, and of the documentation, for browsers on this machine."""

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
"""The one address that the server listens to: no other machine can reach it."""

BUILT: Final = Path(__file__).resolve().parents[2] / "build" / "playground"
"""The folder in which `make playground` puts the page, in a checkout."""

BUILT_SITE: Final = BUILT.with_name("docs")
"""The folder in which `make docs` puts the documentation, in a checkout."""

SITE: Final = "/docs/"
"""The path at which the documentation is served."""

_SITE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
)
"""The content that pages of the documentation may load: Sphinx writes scripts and styles into them."""

POLICY: Final = "policy.txt"
"""The file of a built page with the policy for it and its worker: they may load the content of this server, and
nothing else."""
_LONGEST = 4_000


class _Handler(SimpleHTTPRequestHandler):
    """Files of the page and of the documentation, with types that do not depend on the settings of the machine."""

    policy = ""
    site: Path | None = None
    server_version = "parte"
    sys_version = ""
    extensions_map = {  # noqa: RUF012 - as the class above has it
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".txt": "text/plain; charset=utf-8",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".wasm": "application/wasm",
        "": "application/octet-stream",
    }

    def end_headers(self) -> None:
        """Send the headers of every answer. A page that was built anew replaces the one before in the browser."""
        name = getattr(self, "path", "")  # there is none if the request could not be read
        of_site = self._of_site(name) and not name.startswith(f"{SITE}playground/")
        policy = _SITE_POLICY if of_site else self.policy
        self.send_header("Content-Security-Policy", f"{policy}; frame-ancestors 'self'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def _of_site(self, path: str) -> bool:
        return self.site is not None and f"{path.partition('?')[0]}/".startswith(SITE)

    def translate_path(self, path: str) -> str:
        """Return the file of a path; the documentation is in a folder of its own."""
        if not self._of_site(path):
            return super().translate_path(path)
        usual, self.directory = self.directory, str(self.site)
        try:
            return super().translate_path(path[len(SITE) - 1 :] or "/")
        finally:
            self.directory = usual

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer as the class above does, but reply "not found" for a path that cannot be a file name."""
        try:
            return super().send_head()
        except ValueError:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def list_directory(self, path: str | PathLike[str]) -> None:
        """Refuse to list folders."""
        del path
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Print nothing: the terminal is the user's."""


class _Server(ThreadingHTTPServer):
    """A server that ignores closed connections, as when a browser loads a page anew."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def server(page: Path, port: int, site: Path | None = None) -> ThreadingHTTPServer:
    """Return a server of a built page, and of a built site below `SITE`; `server_port` is the port, for 0 a free one.

    Raise OSError if the port is taken, or if there is no page.
    """
    policy = " ".join(read_text(page / POLICY, _LONGEST).split())
    handler = type("_Of", (_Handler,), {"policy": policy, "site": site})
    return _Server((HERE, port), partial(handler, directory=str(page)))
