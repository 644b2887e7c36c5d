"""What can go wrong with the checker itself, as opposed to the program that it checks."""

from __future__ import annotations


class SolverMissing(ImportError):
    """The optional dependency z3 is not installed."""

    def __init__(self) -> None:
        super().__init__("the checker needs the solver z3, which is not installed: pip install 'parte[z3]'")


class CheckerBug(RuntimeError):
    """A verdict that its own replay contradicts: the checker is wrong, not the program."""
