"""What is wrong with a trace or a domain, where, and what to do about it (specification: trace-problems)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from parte.semantics.events.event import NO_LINE

SHOWN = 100
"""How many problems an error prints; all of them are in `problems`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. `line` counts from 1; it is `NO_LINE` when what is wrong was not read from a line."""

    filename: str
    line: int
    message: str
    hint: str = ""

    def render(self) -> str:
        """`file:line: message`, without the line if there is none, and the hint on a line of its own."""
        place = self.filename if self.line == NO_LINE else f"{self.filename}:{self.line}"
        return f"{place}: {self.message}" + (f"\n  hint: {self.hint}" if self.hint else "")


class InputError(Exception):
    """Input that cannot be used; `problems` holds everything that was found, in the order of the input."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.render())

    def render(self) -> str:
        """The first `SHOWN` problems, one after the other, and how many more there are."""
        shown = [problem.render() for problem in self.problems[:SHOWN]]
        left = len(self.problems) - len(shown)
        return "\n".join([*shown, f"and {left} more"] if left else shown)


class TraceError(InputError):
    """A trace that is malformed, does not conform to the program, or breaks its own promises."""


class DomainError(InputError):
    """Domain predicates that are missing, surplus or malformed."""
