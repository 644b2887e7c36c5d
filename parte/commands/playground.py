"""`parte playground`: the page that runs the reference in a browser, and the documentation, served on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.playground.serving import BUILT, BUILT_SITE, HERE, POLICY, SITE, server


def playground(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, metavar="N", help="The port; 0 for any that is free.")
    ] = 8000,
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="DIR", help="The page as it was built. [default: that of the checkout]"),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="DIR", help="The documentation as it was built. [default: that of the checkout]"
        ),
    ] = None,
) -> None:
    """Serve the playground, a page that runs programs in the browser, on this machine: no other one reaches it.

    The page is built in a checkout, by 'make playground'. The documentation, if 'make docs' built it, is served below
    /docs/. Both are served until Ctrl-C. Exit code 2 if the page was not built, or if the port is taken.
    """
    folder = BUILT if page is None else Path(page)
    if not (folder / POLICY).is_file():
        hint = "in a checkout 'make playground' builds it, in build/playground; --page DIR says where it is"
        raise terminal.unusable(f"there is no page of the playground in {folder}", hint)
    documentation = BUILT_SITE if site is None else Path(site)
    documented = (documentation / "index.html").is_file()
    if site is not None and not documented:
        raise terminal.unusable(f"there is no documentation in {documentation}", "in a checkout 'make docs' builds it")
    try:
        serving = server(folder, port, documentation if documented else None)
    except OSError as error:
        hint = "name another port, or --port 0 for any that is free"
        raise terminal.unusable(f"port {port} cannot be had: {error.strerror}", hint) from None
    address = f"http://{HERE}:{serving.server_port}"
    terminal.report(f"{address}/ is the playground, until Ctrl-C")
    if documented:
        terminal.report(f"{address}{SITE} is the documentation")
    with serving:
        serving.serve_forever()
