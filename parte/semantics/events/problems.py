"""Problems of a trace or a domain: the error, its place, and a hint (specification: trace-problems)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from parte.semantics.events.event import NO_LINE

SHOWN: Final = 100
"""Maximum number of different mistakes that an error prints; `problems` has the others."""
KEPT: Final = 1000
"""Maximum number of problems that are stored: input may be hostile, and every line of it wrong."""
_LINES: Final = 5
"""Maximum number of further lines with the same mistake that are listed."""
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_VARYING: Final = re.compile(
    rf"^event {_STRING}: |(?<=found the )(?:string {_STRING}|(?:integer|number) \S+?(?=,|;|$))"
)
"""The parts of messages that may differ for the same mistake: the event, and the actual value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the input. `line` counts from 1; it is `NO_LINE` if the input was not read from a line.

    Problems of one `kind`, if it is not empty, are the same mistake, whatever their messages and hints are.
    """

    filename: str
    line: int
    message: str
    hint: str = ""
    kind: str = ""

    def render(self) -> str:
        """Return `file:line: message`, without the line if there is none, and the hint on a line of its own."""
        place = self.filename if self.line == NO_LINE else f"{self.filename}:{self.line}"
        return f"{place}: {self.message}" + (f"\n  hint: {self.hint}" if self.hint else "")

    @property
    def mistake(self) -> tuple[str, str, str]:
        """A key that is equal for the same mistake on other lines."""
        if self.kind:
            return self.filename, self.kind, ""
        return self.filename, self.message if self.line == NO_LINE else _VARYING.sub("…", self.message), self.hint


class Problems(list[Problem]):
    """The first `KEPT` problems, and counts of the others.

    `unlisted` counts the others, and `repeated` those that are the same mistake as a stored problem, by its index.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unlisted = 0
        self.repeated = Counter[int]()
        self._indices: dict[tuple[str, str, str], int] = {}

    @property
    def count_of_all(self) -> int:
        """The number of all problems."""
        return len(self) + self.unlisted

    def append(self, problem: Problem, /) -> None:
        """Store a problem, or count it."""
        if len(self) < KEPT:
            self._indices.setdefault(problem.mistake, len(self))
            super().append(problem)
            return
        self.unlisted += 1
        first = self._indices.get(problem.mistake)
        if first is not None:
            self.repeated[first] += 1

    def extend(self, problems: Iterable[Problem], /) -> None:
        """Store or count each problem."""
        for problem in problems:
            self.append(problem)

    def take(self, error: InputError) -> None:
        """Add the problems of an error."""
        before = len(self)
        self.extend(error.problems)
        self.unlisted += error.unlisted
        self.repeated.update({before + place: count for place, count in error.repeated.items()})


class InputError(Exception):
    """Input that cannot be used; `problems` are in the order of the input.

    `unlisted` counts the problems beyond them, and `repeated` those of them that repeat a problem, by its index.
    """

    def __init__(
        self, problems: Iterable[Problem], unlisted: int = 0, repeated: Mapping[int, int] | None = None
    ) -> None:
        self.unlisted, self.repeated = unlisted, dict(repeated or {})
        if isinstance(problems, Problems):
            self.unlisted += problems.unlisted
            self.repeated |= problems.repeated
        self.problems = tuple(problems)
        super().__init__(self.render())

    def render(self) -> str:
        """Return the first `SHOWN` mistakes, each once with its lines, and the number of further problems.

        Each hint occurs once.
        """
        same: dict[tuple[str, str, str], list[int]] = {}
        for place, problem in enumerate(self.problems):
            same.setdefault(problem.mistake, []).append(place)
        mistakes = list(same.values())[:SHOWN]
        left = len(self.problems) + self.unlisted - sum(map(self._count, mistakes))
        lines, hints = list[str](), set[str]()
        for places in mistakes:
            lines += self._listed(places)
            hint = self.problems[places[0]].hint
            if hint and hint not in hints:
                lines.append(f"  hint: {hint}")
            hints.add(hint)
        return "\n".join([*lines, f"and {left} more"] if left else lines)

    def _count(self, places: list[int]) -> int:
        return len(places) + self.repeated.get(places[0], 0)

    def _listed(self, places: list[int]) -> list[str]:
        first, *others = (self.problems[place] for place in places)
        lines = [replace(first, hint="").render()]
        more = self._count(places) - 1
        if more:
            lines.append(f"  {further([problem.line for problem in others], more)}")
        return lines


def further(lines: Sequence[int], count: int) -> str:
    """Return the phrase for `count` more of a mistake, which are on `lines` and, if they are fewer, on others."""
    numbers = [str(line) for line in lines[:_LINES] if line != NO_LINE]
    if not numbers:
        return f"and {count:,} more of these"
    numbers += ["…"] * (count > _LINES)
    return f"and {count:,} more of these, on line{'s' * (count > 1)} {', '.join(numbers)}"


class TraceError(InputError):
    """A trace that is malformed, does not conform to the program, or breaks its own promises."""


class DomainError(InputError):
    """Domain predicates that are missing, surplus or malformed."""
