"""Errors of the checker itself, as opposed to errors of the program that it checks."""

from __future__ import annotations


class CheckerBug(RuntimeError):
    """A verdict contradicts its own replay: the checker is wrong, not the program."""
