"""Errors for missing optional packages, and for what they need besides Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def data_file(package: str, name: str) -> Path:
    """Return a data file of an imported package. `importlib.resources` is slow to import."""
    return Path(sys.modules[package].__file__ or "").with_name(name)


class Unavailable(Exception):
    """Something optional is not installed here: `message` names it, `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}: {self.hint}"


class PackageMissing(Unavailable, ImportError):
    """A package of an extra is not installed. The caller may give its own `message`."""

    def __init__(self, package: str, extra: str, message: str = "") -> None:
        from parte.semantics.events.installation import install_command

        super().__init__(message or f"this needs the package {package}, which is not installed", install_command(extra))
        self.args = package, extra, message  # for pickle
        self.package = package


def require(extra: str, *packages: str) -> None:
    """Raise PackageMissing for the first of the packages that is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise PackageMissing(package, extra)


@contextmanager
def importing(extra: str, *packages: str, message: str = "") -> Iterator[None]:
    """Raise PackageMissing if an import in this context fails because one of the packages is missing.

    `{}` in the message stands for the package's name. Without packages, any missing module counts.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        package = (problem.name or "").split(".")[0]
        if packages and package not in packages:
            raise
        raise PackageMissing(package, extra, message.format(package)) from None
