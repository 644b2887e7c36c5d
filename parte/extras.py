"""Packages that only some commands need, and the error that says how to get them."""

from __future__ import annotations

from importlib.util import find_spec


class ExtraMissing(ImportError):
    """A package of an extra is not installed; the message says which one, and what to install."""

    def __init__(self, extra: str, package: str) -> None:
        self.hint = f"pip install 'parte[{extra}]'"
        super().__init__(f"this needs the package {package}, which is not installed: {self.hint}")


def needs(extra: str, *packages: str) -> None:
    """ExtraMissing for the first of the packages that is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise ExtraMissing(extra, package)
