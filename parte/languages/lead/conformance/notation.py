"""The notation of matches in the case files of LEAD: `5: A=a0 l=[B=b1; B=b2]` ends at 5 and binds an event and a list;
an item that binds nothing is `-`. `5 [1, "x"]: A=a0` is of the partition with these values.

The emitted events follow as JSON, behind `=>`. A match that does not fit this notation is written in JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from parte.conformance.casefiles.cases import notation_of
from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.exchange import Shapes, reference
from parte.conformance.trace_shapes import ITEM, definitions
from parte.languages.lead.running import RULE
from parte.semantics.events.bounds import Text
from parte.semantics.events.strictjson import dumped

Json = Any
_LINE = re.compile(r"(?P<end>-?\d{1,19})(?: (?P<partition>\[.*?\]))?:(?P<bindings>.*?)(?: => (?P<emits>\[.*\]))?")
_TOKEN = re.compile(
    r" *(?:(?P<name>[\w#]+)=(?:(?P<event>[\w#.-]+)|(?P<open>\[))|(?P<next>;)|(?P<empty>-)|(?P<close>\]))"
)
_DEPTH = 20


def _match(line: str) -> Json:
    read = _LINE.fullmatch(line)
    if read is None:
        raise Misread(f"expected a match, as 5: A=a0 l=[B=b1; B=b2], found {dumped(line)}"[:200])
    emits = [] if read["emits"] is None else read_json(read["emits"])
    partition = {} if read["partition"] is None else {"partition": read_json(read["partition"])}
    bindings = _bindings(read["bindings"])
    return {"rule": RULE, **partition, "bindings": bindings, "end": int(read["end"]), "emits": emits}


def _bindings(text: str) -> Json:
    """Return the bindings that a text writes; lists are opened and closed on a stack."""
    root: dict[str, Json] = {}
    stack: list[tuple[dict[str, Json], list[Json] | None]] = [(root, None)]
    place = 0
    while text[place:].strip():
        token = _TOKEN.match(text, place)
        if token is None or len(stack) > _DEPTH:
            raise Misread(f"expected bindings, found {dumped(text[place:])}"[:200])
        place = token.end()
        current, items = stack[-1]
        if token["event"] is not None:
            current[token["name"]] = token["event"]
        elif token["open"] is not None:
            opened: list[Json] = []
            current[token["name"]] = opened
            stack.append(({}, opened))
        elif items is None:
            raise Misread(f"expected bindings, found {dumped(text[place - 1 :])}"[:200])
        elif token["empty"] is not None:
            items.append({})
        else:
            items += [current] if current else []
            stack[-1:] = [] if token["close"] is not None else [({}, items)]
    if len(stack) > 1:
        raise Misread("expected `]`, found the end of the line")
    return root


def _written(match: Json) -> str:
    emits = f" => {dumped(match['emits'])}" if match["emits"] else ""
    bindings = _texts(match["bindings"])
    partition = f" {dumped(match['partition'])}" if match.get("partition") else ""
    return f"{match['end']}{partition}:{' ' if bindings else ''}{bindings}{emits}"


def _texts(bindings: Json, depth: int = 0) -> str:
    if not isinstance(bindings, dict) or depth > _DEPTH:
        return ""
    return " ".join(
        f"{name}={bound}"
        if isinstance(bound, str)
        else f"{name}=[{'; '.join(_texts(item, depth + 1) or '-' for item in bound)}]"
        for name, bound in bindings.items()
        if isinstance(bound, str | list)
    )


NOTATION = notation_of(_match, _written)


@dataclass(frozen=True, slots=True)
class _Emit:
    """An emitted event."""

    template: Text
    timestamp: int
    attributes: dict[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class _Match:
    """A match: ids of events, or lists of bindings, by their names; its end, and the events that it emits; with
    PARTITION BY also the value of each key. The value of a window is its number, from 1."""

    rule: Text
    bindings: dict[str, Any]
    end: int
    emits: tuple[_Emit, ...]
    partition: tuple[str | int | float | bool, ...] = ()


SHAPES = Shapes("fixture-lead-1", ITEM, reference("Match"), definitions=definitions(_Match))
