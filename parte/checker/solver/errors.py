"""What can go wrong with the checker itself, as opposed to the program that it checks."""

from __future__ import annotations


class CheckerBug(RuntimeError):
    """A verdict that its own replay contradicts: the checker is wrong, not the program."""
