"""Rejection of single lines: those of a log that are no events of a program, while the others are read."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from parte.semantics.events.conformity import Conformity
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.ids import Ids
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.events.trace import LineReader
from parte.semantics.events.types import Declarations, has_optional

FOUND: Final = ", found "
"""In a reason, the actual value follows."""
_REASONS: Final = 100
"""The number of different reasons that are counted by themselves: lines may be hostile, and each wrong in its way."""
_EVENT: Final = re.compile(r'^event "(?:[^"\\]|\\.)*": ')
_OTHERS: Final = "of other reasons"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that is no event, by its line (of a table its row), from 1, or by its id where rows have no order."""

    file: str
    line: int | None
    reason: str
    id: str | None = None

    def to_json(self) -> str:
        """Return it as a line of JSON."""
        place = {"id": self.id} if self.line is None else {"line": self.line}
        return json.dumps({"file": self.file, **place, "reason": self.reason}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Undeclared:
    """An event of a template that the program does not declare."""

    template: str


Verdict = str | Undeclared | None
"""The reason why a line is no event, or None for an event."""
LineCheck = Callable[[str, int], Verdict]
"""Return the verdict on a line by itself, and on its id among the lines before; lines are numbered from 1."""


@dataclass(slots=True)
class Rejections:
    """The lines that are left out, in numbers; `reject` gets those that are rejected."""

    file: str
    reject: Callable[[Rejected], None]
    accepted: int = 0
    undeclared: Counter[str] = field(default_factory=Counter)
    """Events of templates that the program does not declare, by template."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Rejected lines, by their reason without the actual value."""

    def takes(self, verdict: Verdict, line: int | None, id_: str | None = None) -> bool:
        """Return whether a verdict is that of an event; count, and reject, what is none."""
        if verdict is None:
            self.accepted += 1
        elif isinstance(verdict, Undeclared):
            self.undeclared[verdict.template] += 1
        else:
            reason = _EVENT.sub("", verdict).partition(FOUND)[0]
            self.reasons[reason if reason in self.reasons or len(self.reasons) < _REASONS else _OTHERS] += 1
            self.reject(Rejected(self.file, line, verdict, id_))
        return verdict is None


class Sieve:
    """The lines of a trace with empty ones instead of those that are no events, so that lines keep their numbers.

    Each line is checked the first time. With `again` a trace can be read several times; a byte of each line is stored.
    """

    def __init__(self, check: LineCheck, rejections: Rejections, *, again: bool) -> None:
        self._check, self._rejections, self._again = check, rejections, again
        self._kept = bytearray()

    def __call__(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of the trace."""
        for place, line in enumerate(lines):
            if place < len(self._kept):
                is_stored = bool(self._kept[place])
            else:
                number = place + 1
                is_stored = not line or line.isspace() or self._rejections.takes(self._check(line, number), number)
                if self._again:
                    self._kept.append(is_stored)
            yield line if is_stored else "\n"


class EventCheck:
    """The check of lines that are events or promises of progress, of a program if one is given."""

    def __init__(self, program: Declarations | None, ids: Ids | None = None) -> None:
        self._reader = LineReader("", ids=_Unchecked(), nulls=program is not None and has_optional(program))
        self._conformity = None if program is None else Conformity(program, "", distinct=True)
        self._ids: Ids = {} if ids is None else ids

    def __call__(self, line: str, number: int) -> Verdict:
        """Return the verdict on a line."""
        try:
            item = self._reader.read(line, number)
        except TraceError:  # a first line that is like one of another format
            item = None
        if item is None:
            reason = reason_of(self._reader.problems)
            self._reader.problems = Problems()
            return reason
        return self.item(item, number)

    def item(self, item: TraceItem, number: int) -> Verdict:
        """Return the verdict on an item of a certain line or row."""
        conformity = self._conformity
        if conformity is not None:
            if item.template not in conformity.templates:
                return Undeclared(item.template)
            conformity.check(item)
            if conformity.problems:
                reason = reason_of(conformity.problems)
                conformity.problems = Problems()
                return reason
        if isinstance(item, Event):
            earlier = self._ids.setdefault(item.id, number)
            if earlier != number:
                return f"its id is that of an earlier event{FOUND}{quoted(item.id)} of line {earlier}"
        return None


class _Unchecked:
    """Ids that are checked later, when it is known that their line is an event."""

    def setdefault(self, _id: str, line: int, /) -> int:
        """Return `line`."""
        return line


def reason_of(problems: Iterable[Problem]) -> str:
    """Return the reason for which problems reject a line."""
    return "; ".join(problem.message for problem in problems)
