"""`parte lsp`: the language server."""

from __future__ import annotations

import typer

from parte.inputs import requests
from parte.semantics.source.packages import require


def lsp() -> None:
    """Serve an editor as a language server, on standard input and output: what is wrong, what names stand for, layout.

    For programs of every language, by the endings of their files. Editors start it; docs/editors.md says how.
    """
    require("lsp", "pygls", "lsprotocol")
    from parte.editing.server import serve

    requests()  # if there is none, that is said
    raise typer.Exit(serve())
