"""The notation of results in the case files of CEL: `0-2 a1 b3` is the interval from 0 to 2 with two events.

Results that this notation cannot express are written in JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from parte.conformance.casefiles.cases import notation_of
from parte.conformance.casefiles.layout import Misread
from parte.conformance.exchange import Shapes, reference
from parte.conformance.trace_shapes import ITEM, definitions
from parte.semantics.events.bounds import Natural, Text
from parte.semantics.events.strictjson import dumped

Json = Any
_RESULT = re.compile(r"(?P<start>\d{1,18})-(?P<end>\d{1,18})(?P<events>( \S+)*)")


def _read(line: str) -> Json:
    result = _RESULT.fullmatch(line)
    if result is None:
        raise Misread(f"expected a result, as 0-2 a1 b3, found {dumped(line)}"[:200])
    return {"start": int(result["start"]), "end": int(result["end"]), "events": result["events"].split()}


def _written(result: Json) -> str:
    return f"{result['start']}-{result['end']}{''.join(f' {event_id}' for event_id in result['events'])}"


NOTATION = notation_of(_read, _written)


@dataclass(frozen=True, slots=True)
class _Match:
    """An interval of positions, and the ids of the events of the result by position."""

    start: Natural
    end: Natural
    events: tuple[Text, ...]


SHAPES = Shapes("fixture-cel-1", ITEM, reference("Match"), definitions=definitions(_Match))
