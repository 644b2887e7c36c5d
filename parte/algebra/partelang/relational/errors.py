"""The error of a relational engine that cannot run a program. It never returns wrong matches instead."""

from __future__ import annotations

from typing import Final


class Unsupported(ValueError):
    """A valid program that this engine cannot run (specification: relational-evaluator)."""


SETS: Final = "a rule with a set (`all`) is not evaluated in increments"
