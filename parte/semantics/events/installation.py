"""The installed version of PARTE, and the command that installs an extra into the same installation."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from importlib import metadata

NAME: Final = "parte"
_OF_EXTRA: Final = re.compile(r"\s*(?P<requirement>[^;]+?)\s*;.*extra\s*==\s*['\"](?P<extra>[A-Za-z0-9._-]+)['\"]")


def version() -> str:
    """Return the installed version; `0+unknown` for a folder of sources that is not installed."""
    from importlib import metadata  # slow to import

    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return "0+unknown"


def install_command(extra: str) -> str:
    """Return the command that installs an extra from the same checkout, file, address or index as PARTE.

    If the file no longer exists, the command names the packages of the extra.
    """
    from importlib import metadata  # slow to import

    # `python -m parte` in a checkout finds the metadata of its sources first; only that of pip names the origin.
    installed = sorted(metadata.distributions(name=NAME), key=lambda package: not package.read_text("direct_url.json"))
    if not installed:  # sources on the path
        return _pip(f"{Path(__file__).resolve().parents[3]}[{extra}]")
    distribution = installed[0]
    try:
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    except ValueError:
        origin = {}
    if not isinstance(origin, dict) or not isinstance(origin.get("url"), str):
        return _pip(f"{NAME}[{extra}]")
    return _from(origin, extra, distribution)


def requirements(distribution: metadata.Distribution | None = None) -> Iterator[tuple[str, str]]:
    """Return each extra with a package that it needs, as the installed package declares them."""
    from importlib import metadata  # slow to import

    for requirement in (distribution or metadata.distribution(NAME)).requires or ():
        if parts := _OF_EXTRA.match(requirement):
            yield parts["extra"], parts["requirement"]


def _from(origin: dict[str, Any], extra: str, distribution: metadata.Distribution) -> str:
    """Return the command for the origin that pip recorded (PEP 610)."""
    url = origin["url"]
    parts = urlsplit(url)
    if "vcs_info" in origin:
        about = origin["vcs_info"]
        return _pip(f"{NAME}[{extra}] @ {about['vcs']}+{url}@{about['commit_id']}")
    if parts.scheme != "file":
        return _pip(f"{NAME}[{extra}] @ {url}")
    path = Path(unquote(parts.path))
    if not path.exists():
        return _pip(*(requirement for of, requirement in requirements(distribution) if of == extra))
    editable = ("-e",) if origin.get("dir_info", {}).get("editable") else ()
    return _pip(*editable, f"{'.' if path == Path.cwd() else path}[{extra}]")


def _pip(*arguments: str) -> str:
    return " ".join(["pip install", *(word if word == "-e" else shlex.quote(word) for word in arguments)])
