"""`parte playground`: the page that runs the reference in a browser, served on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.playground.serving import BUILT, HERE, POLICY, server


def playground(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, metavar="N", help="The port; 0 for any that is free.")
    ] = 8000,
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="DIR", help="The page as it was built. [default: that of the checkout]"),
    ] = None,
) -> None:
    """Serve the playground, a page that runs programs in the browser, on this machine: no other one reaches it.

    The page is built in a checkout, by 'make playground'. It is served until Ctrl-C. Exit code 2 if it was not built,
    or if the port is taken.
    """
    folder = BUILT if page is None else Path(page)
    if not (folder / POLICY).is_file():
        hint = "in a checkout 'make playground' builds it, in build/playground; --page DIR says where it is"
        raise terminal.unusable(f"there is no page of the playground in {folder}", hint)
    try:
        serving = server(folder, port)
    except OSError as error:
        hint = "name another port, or --port 0 for any that is free"
        raise terminal.unusable(f"port {port} cannot be had: {error.strerror}", hint) from None
    terminal.report(f"http://{HERE}:{serving.server_port}/ is the playground, until Ctrl-C")
    with serving:
        serving.serve_forever()
