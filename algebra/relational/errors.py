"""What a relational engine says when it cannot run a program. It never answers wrongly instead."""

from __future__ import annotations


class Unsupported(ValueError):
    """A program that means something (SPEC §2), but that this engine cannot be asked."""


class EngineMissing(ImportError):
    """A package that the engine consists of is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"the model duckdb needs the package {package}, which is not installed: pip install 'parte[duckdb]'"
        )
        self.package = package
