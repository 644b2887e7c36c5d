"""The notation of results in the case files of EQL: `["x", 1] a0 b1` has two key values and two events.

Keys are left out if there are none. Results that this notation cannot express are written in JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from parte.conformance.casefiles.cases import notation_of
from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.exchange import Shapes, reference
from parte.conformance.trace_shapes import ITEM, definitions
from parte.semantics.events.bounds import Text
from parte.semantics.events.strictjson import dumped

Json = Any
_RESULT = re.compile(r"(?:(?P<keys>\[.*\]) )?(?P<events>[^\s\[{]\S*( \S+)*)")


def _read(line: str) -> Json:
    result = _RESULT.fullmatch(line)
    if result is None:
        raise Misread(f'expected a result, as ["x"] a0 b1, found {dumped(line)}'[:200])
    return {"keys": [] if result["keys"] is None else read_json(result["keys"]), "events": result["events"].split()}


def _written(result: Json) -> str:
    return f"{dumped(result['keys'])} " * bool(result["keys"]) + " ".join(map(str, result["events"]))


NOTATION = notation_of(_read, _written)


@dataclass(frozen=True, slots=True)
class _Match:
    """The values of the keys, and the ids of the events by stage."""

    keys: tuple[str | int | float | bool | None, ...]
    events: tuple[Text, ...]


SHAPES = Shapes("fixture-eql-1", ITEM, reference("Match"), definitions=definitions(_Match))
