"""The requests of the page and their answers, as values and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from parte.languages.language import Facet
from parte.semantics.events.codec import Codec
from parte.semantics.events.duration import parse_duration

Task = Literal["read", "run", "compare", "check", "why", "timeline", "network", "step"]
Where = Literal["program", "trace", "domain", "settings"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request: a program in a language, a trace as JSON Lines, a task, and its settings.

    `domain` is the text of a domain file, `disorder` a duration, `bindings` are like `a=e1,b=e2`; an empty setting is
    not given.
    """

    task: Task
    language: str
    program: str
    trace: str = ""
    domain: str = ""
    model: str = "sound"
    schedule: str = ""
    seed: int = 0
    disorder: str = ""
    rule: str = ""
    bindings: str = ""

    @property
    def lag(self) -> int:
        """The disorder in milliseconds. Raise ValueError for a text that is no duration."""
        milliseconds = parse_duration(self.disorder) if self.disorder.strip() else 0
        if milliseconds < 0:
            raise ValueError(f"a disorder is not negative, found {self.disorder!r}")
        return milliseconds


@dataclass(frozen=True, slots=True)
class Mark:
    """An error, a warning or a note, and its place: lines and columns from 1, columns in code points, 0 if unknown."""

    where: Where
    severity: Literal["error", "warning", "note"]
    message: str
    hint: str = ""
    code: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request.

    `good` is false if the command would end with an exit code other than 0. `text` is what the command would print;
    `matches` are the first of `count`; `drawing` is SVG, and `page` HTML for a frame; `rules` are the names of the
    rules of the program. A value that is too long is cut, and a mark reports that.
    """

    good: bool
    text: str = ""
    marks: tuple[Mark, ...] = ()
    matches: tuple[dict[str, Any], ...] = ()
    count: int = 0
    drawing: str = ""
    page: str = ""
    rules: tuple[str, ...] = ()


PLAYGROUND: Facet[dict[Task, Callable[[Request], Answer]]] = Facet("playground", "tasks of its own in the playground")
"""The tasks that a language does itself, because the general ones do them worse or not at all."""

GREATEST_EXACT: Final = 2**53 - 1
"""The greatest integer that a page reads without rounding."""


def matches_in(lines: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """Return matches as values, from lines of JSON. Integers that a page would round are texts."""
    return tuple(json.loads(line, parse_int=_exact) for line in lines)


def _exact(digits: str) -> int | str:
    value = int(digits)
    return value if abs(value) <= GREATEST_EXACT else digits


REQUESTS: Codec[Request] = Codec(Request)
ANSWERS: Codec[Answer] = Codec(Answer)


def errors(where: Where, messages: Sequence[str]) -> Answer:
    """Return an answer with errors only."""
    return Answer(False, marks=tuple(Mark(where, "error", message) for message in messages))
