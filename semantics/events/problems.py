"""What is wrong with a trace or a domain, where, and what to do about it (specification: trace-problems)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from parte.semantics.events.event import NO_LINE

SHOWN: Final = 100
"""How many problems an error prints; more of them are in `problems`."""
KEPT: Final = 1000
"""How many are kept: input may be hostile, and every line of it wrong."""


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


class Problems(list[Problem]):
    """Problems as they are found: the first `KEPT`, and of the others how many there are."""

    def __init__(self) -> None:
        super().__init__()
        self.unlisted = 0

    @property
    def found(self) -> int:
        """How many were found."""
        return len(self) + self.unlisted

    def append(self, problem: Problem, /) -> None:
        """Keep one more, or count it."""
        if len(self) < KEPT:
            super().append(problem)
        else:
            self.unlisted += 1

    def extend(self, problems: Iterable[Problem], /) -> None:
        """Keep or count each."""
        for problem in problems:
            self.append(problem)

    def take(self, error: InputError) -> None:
        """Keep what an error has found."""
        self.extend(error.problems)
        self.unlisted += error.unlisted


class InputError(Exception):
    """Input that cannot be used; `problems` holds what was found, in the order of the input, and `unlisted` says how
    many more there are, of which no more is known."""

    def __init__(self, problems: Iterable[Problem], unlisted: int = 0) -> None:
        self.unlisted = unlisted + (problems.unlisted if isinstance(problems, Problems) else 0)
        self.problems = tuple(problems)
        super().__init__(self.render())

    def render(self) -> str:
        """The first `SHOWN` problems, one after the other, and how many more there are."""
        shown = [problem.render() for problem in self.problems[:SHOWN]]
        left = len(self.problems) + self.unlisted - len(shown)
        return "\n".join([*shown, f"and {left} more"] if left else shown)


class TraceError(InputError):
    """A trace that is malformed, does not conform to the program, or breaks its own promises."""


class DomainError(InputError):
    """Domain predicates that are missing, surplus or malformed."""
