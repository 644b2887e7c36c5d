"""The notation of streams and results in the case files of ETALIS: `a@1 b(2,"x")@3/2`, and `e(2,"x")[1,3/2]`.

Arguments are JSON. What this notation cannot express is written in JSON, on a separate line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from parte.conformance.casefiles.cases import notation_of
from parte.conformance.casefiles.events import Defaults
from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.exchange import Shapes, reference
from parte.semantics.events.bounds import Text
from parte.semantics.events.codec import Codec
from parte.semantics.events.strictjson import dumped

Json = Any
_ATOM = r'(?P<name>[a-z][A-Za-z0-9_]*)(\((?P<arguments>(?:[^\s"()]|"[^\s"\\()]*")*)\))?'
_TIME = r"[0-9]{1,18}(/[0-9]{1,18})?"
_ITEM = re.compile(rf"{_ATOM}@(?P<time>{_TIME})")
_RESULT = re.compile(rf"{_ATOM}\[(?P<start>{_TIME}),(?P<end>{_TIME})\]")


def read_items(lines: Sequence[str], _: Defaults) -> tuple[Json, ...]:
    """Return the events of a stream. Raise Misread, with the line, if a word is no event."""
    items: list[Json] = []
    for offset, line in enumerate(lines):
        try:
            items += [read_json(line)] if line.startswith("{") else [_item(word) for word in line.split()]
        except Misread as error:
            raise Misread(str(error), offset) from None
    return tuple(items)


def _item(word: str) -> Json:
    match = _ITEM.fullmatch(word)
    if match is None:
        raise Misread(f"expected an event, as a@1 or b(2,3)@5/2, found {dumped(word)}"[:200])
    item = {"template": match["name"], "timestamp": _time(match["time"])}
    return item if match["arguments"] is None else item | {"arguments": read_json(f"[{match['arguments']}]")}


def write_items(items: Sequence[Json], _: Defaults) -> list[str]:
    """Return the lines that `read_items` reads."""
    words: list[str] = []
    lines: list[str] = []
    for item in items:
        word = _written(item, "template", f"@{item.get('timestamp')}")
        try:
            plain = dumped(_item(word)) == dumped(item)
        except Misread:
            plain = False
        if plain:
            words.append(word)
        else:
            lines += [" ".join(words)] * bool(words) + [dumped(item)]
            words = []
    return lines + [" ".join(words)] * bool(words)


def _result(line: str) -> Json:
    match = _RESULT.fullmatch(line)
    if match is None:
        raise Misread(f"expected a result, as e[1,2] or f(3)[1,5/2], found {dumped(line)}"[:200])
    arguments = [] if match["arguments"] is None else read_json(f"[{match['arguments']}]")
    return {
        "event": match["name"],
        "arguments": arguments,
        "start": _time(match["start"]),
        "end": _time(match["end"]),
    }


def _time(text: str) -> int | str:
    return text if "/" in text else int(text)


def _written(record: Json, name: str, behind: str) -> str:
    arguments = record.get("arguments", [])
    inner = ",".join(map(dumped, arguments)) if isinstance(arguments, list) else ""
    return f"{record.get(name)}{f'({inner})' if arguments else ''}{behind}"


NOTATION = notation_of(
    _result,
    lambda result: _written(result, "event", f"[{result['start']},{result['end']}]"),
    read_items,
    write_items,
)


@dataclass(frozen=True, slots=True)
class _Event:
    """An event of a stream. The timestamp is a number of at least 0; numbers that are not whole are strings such as
    "3/2"."""

    template: Text
    timestamp: int | str
    arguments: list[int | str | bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Match:
    """A derived event with its interval; numbers that are not whole are strings such as "3/2"."""

    event: Text
    arguments: list[int | str | bool]
    start: int | str
    end: int | str


SHAPES = Shapes(
    "fixture-etalis-1",
    reference("Event"),
    reference("Match"),
    definitions=Codec(_Event).schema("", "")["$defs"] | Codec(_Match).schema("", "")["$defs"],
)
