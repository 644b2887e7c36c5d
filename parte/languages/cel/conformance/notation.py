"""The notation of results in the case files of CEL: `0-2 a1 b3` is the interval from 0 to 2 with two events.

Results that this notation cannot express are written in JSON.
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
from parte.semantics.events.bounds import Natural, Text
from parte.semantics.events.strictjson import dumped

Json = Any
_RESULT = re.compile(r"(?P<start>\d{1,18})-(?P<end>\d{1,18})(?P<events>( \S+)*)")


def read_answers(lines: Sequence[str]) -> Answers:
    """Return the results. Raise Misread, with the line, if a line is no result."""
    answers: list[Json] = []
    for offset, line in enumerate(lines):
        result = _RESULT.fullmatch(line)
        if line.startswith("{"):
            try:
                answers.append(read_json(line))
            except Misread as error:
                raise Misread(str(error), offset) from None
        elif result is not None:
            start, end, events = int(result["start"]), int(result["end"]), result["events"].split()
            answers.append({"start": start, "end": end, "events": events})
        elif line:
            raise Misread(f"expected a result, as 0-2 a1 b3, found {dumped(line)}"[:200], offset)
    return Answers(tuple(answers))


def write_answers(answers: Answers) -> list[str]:
    """Return the lines that `read_answers` reads."""
    return [_written(result) for result in answers.matches]


def _written(result: Json) -> str:
    if isinstance(result, dict) and isinstance(result.get("events"), list):
        line = f"{result.get('start')}-{result.get('end')}{''.join(f' {event_id}' for event_id in result['events'])}"
        try:
            if line.isprintable() and dumped(read_answers([line])) == dumped(Answers((result,))):
                return line
        except Misread:
            pass
    return dumped(result)


NOTATION = Notation(read_answers, write_answers)


@dataclass(frozen=True, slots=True)
class _Match:
    """An interval of positions, and the ids of the events of the result by position."""

    start: Natural
    end: Natural
    events: tuple[Text, ...]


SHAPES = Shapes("fixture-cel-1", ITEM, reference("Match"), definitions=definitions(_Match))
