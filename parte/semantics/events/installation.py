"""The way PARTE was installed on this machine, and the command that installs more of it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

NAME: Final = "parte"
_OF_EXTRA: Final = re.compile(r"\s*(?P<requirement>[^;]+?)\s*;.*extra\s*==\s*['\"](?P<extra>[A-Za-z0-9._-]+)['\"]")


def version() -> str:
    """The version that is installed; that of a folder of sources that nobody installed is not known."""
    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return "0+unknown"


def install_command(extra: str) -> str:
    """The command that installs an extra where PARTE is: from the same checkout, file, address or index.

    If the file is gone by now, it names the packages of the extra themselves.
    """
    # `python -m parte` in a checkout finds the metadata of its sources first, which do not tell where pip took them.
    installed = sorted(metadata.distributions(name=NAME), key=lambda one: not one.read_text("direct_url.json"))
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
    """Each extra with a package that it needs, as the installed package declares them."""
    for requirement in (distribution or metadata.distribution(NAME)).requires or ():
        if parts := _OF_EXTRA.match(requirement):
            yield parts["extra"], parts["requirement"]


def _from(origin: dict[str, Any], extra: str, distribution: metadata.Distribution) -> str:
    """From where pip says that it took the package (PEP 610)."""
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
    return " ".join(["pip install", *(each if each == "-e" else shlex.quote(each) for each in arguments)])
