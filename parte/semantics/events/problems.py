"""What is wrong with a trace or a domain, where, and what to do about it (specification: trace-problems)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from parte.semantics.events.event import NO_LINE

SHOWN: Final = 100
"""How many kinds of problems an error prints; more of them are in `problems`."""
KEPT: Final = 1000
"""How many are kept: input may be hostile, and every line of it wrong."""
_LINES: Final = 5
"""How many further lines with the same mistake are listed."""
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_VARYING: Final = re.compile(
    rf"^event {_STRING}: |(?<=found the )(?:string {_STRING}|(?:integer|number) \S+?(?=,|;|$))"
)
"""What may differ between the messages of one mistake: which event, and the value found."""


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

    @property
    def mistake(self) -> tuple[str, str, str]:
        """What it has in common with the same mistake on another line."""
        return self.filename, self.message if self.line == NO_LINE else _VARYING.sub("…", self.message), self.hint


class Problems(list[Problem]):
    """Problems as they are found: the first `KEPT`, and of the others how many there are, also how many are the mistake
    of one that is kept, by its index."""

    def __init__(self) -> None:
        super().__init__()
        self.unlisted = 0
        self.repeated = Counter[int]()
        self._kept: dict[tuple[str, str, str], int] = {}

    @property
    def found(self) -> int:
        """How many were found."""
        return len(self) + self.unlisted

    def append(self, problem: Problem, /) -> None:
        """Keep one more, or count it."""
        if len(self) < KEPT:
            self._kept.setdefault(problem.mistake, len(self))
            super().append(problem)
            return
        self.unlisted += 1
        first = self._kept.get(problem.mistake)
        if first is not None:
            self.repeated[first] += 1

    def extend(self, problems: Iterable[Problem], /) -> None:
        """Keep or count each."""
        for problem in problems:
            self.append(problem)

    def take(self, error: InputError) -> None:
        """Keep what an error has found."""
        before = len(self)
        self.extend(error.problems)
        self.unlisted += error.unlisted
        self.repeated.update({before + place: count for place, count in error.repeated.items()})


class InputError(Exception):
    """Input that cannot be used; `problems` holds what was found, in the order of the input. `unlisted` says how many
    more there are, and `repeated` how many of these are the mistake of a problem, by its index."""

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
        """The first `SHOWN` mistakes, each once with the lines that have it, and how many problems more there are; each
        hint once."""
        same: dict[tuple[str, str, str], list[int]] = {}
        for place, problem in enumerate(self.problems):
            same.setdefault(problem.mistake, []).append(place)
        shown = list(same.values())[:SHOWN]
        left = len(self.problems) + self.unlisted - sum(map(self._count, shown))
        lines, hints = list[str](), set[str]()
        for places in shown:
            lines += self._told(places)
            hint = self.problems[places[0]].hint
            if hint and hint not in hints:
                lines.append(f"  hint: {hint}")
            hints.add(hint)
        return "\n".join([*lines, f"and {left} more"] if left else lines)

    def _count(self, places: list[int]) -> int:
        return len(places) + self.repeated.get(places[0], 0)

    def _told(self, places: list[int]) -> list[str]:
        first, *others = (self.problems[place] for place in places)
        told = [replace(first, hint="").render()]
        more = self._count(places) - 1
        if more and first.line != NO_LINE:
            listed = [str(problem.line) for problem in others[:_LINES]] + ["…"] * (more > _LINES)
            told.append(f"  and {more:,} more of these, on line{'s' * (more > 1)} {', '.join(listed)}")
        return told


class TraceError(InputError):
    """A trace that is malformed, does not conform to the program, or breaks its own promises."""


class DomainError(InputError):
    """Domain predicates that are missing, surplus or malformed."""
