"""The notation of results in the case files of EQL: `["x", 1] a0 b1` has two key values and two events.

Keys are left out if there are none. Results that this notation cannot express are written in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parte.conformance.casefiles.cases import Answers, Notation
from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.exchange import Shapes, reference
from parte.conformance.trace_shapes import ITEM, definitions
from parte.semantics.events.bounds import Text
from parte.semantics.events.strictjson import dumped

Json = Any
_RESULT = re.compile(r"(?:(?P<keys>\[.*\]) )?(?P<events>[^\s\[{]\S*( \S+)*)")


def read_answers(lines: Sequence[str]) -> Answers:
    """Return the results. Raise Misread, with the line, if a line is no result."""
    answers: list[Json] = []
    for offset, line in enumerate(lines):
        result = _RESULT.fullmatch(line)
        try:
            if line.startswith("{"):
                answers.append(read_json(line))
            elif result is not None:
                keys = [] if result["keys"] is None else read_json(result["keys"])
                answers.append({"keys": keys, "events": result["events"].split()})
            elif line:
                raise Misread(f'expected a result, as ["x"] a0 b1, found {dumped(line)}'[:200])
        except Misread as error:
            raise Misread(str(error), offset) from None
    return Answers(tuple(answers))


def write_answers(answers: Answers) -> list[str]:
    """Return the lines that `read_answers` reads."""
    return [_written(result) for result in answers.matches]


def _written(result: Json) -> str:
    if isinstance(result, dict) and isinstance(result.get("events"), list):
        keys = f"{dumped(result['keys'])} " if result.get("keys") else ""
        line = keys + " ".join(map(str, result["events"]))
        try:
            if line.isprintable() and dumped(read_answers([line])) == dumped(Answers((result,))):
                return line
        except Misread:
            pass
    return dumped(result)


NOTATION = Notation(read_answers, write_answers)


@dataclass(frozen=True, slots=True)
class _Match:
    """The values of the keys, and the ids of the events by stage."""

    keys: tuple[str | int | float | bool | None, ...]
    events: tuple[Text, ...]


SHAPES = Shapes("fixture-eql-1", ITEM, reference("Match"), definitions=definitions(_Match))
