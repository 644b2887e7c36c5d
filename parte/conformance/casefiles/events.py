"""The short notation of traces: events and promises as words with blanks between them.

`a1@5` is an event with the id a1 at 5 ms, from the source `s`; its template is the first letter of its id as a
capital. `a1:Account@5` states the template, `a1@5/fast` the source, `a1@5/` that the event has no source, and
`a1@5(k=2, s="x")` the attributes, as JSON; omitted attributes have the values that the file gives under `events`. A
time that is not a number is a text, as `2018-01-01T08:00:00Z`. `A>=7/fast` is a promise of progress. An item that
this notation cannot express is written as a JSON object, on a line of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from parte.conformance.casefiles.layout import Misread, read_json
from parte.conformance.fixtures import Json
from parte.semantics.events.strictjson import dumped

Defaults = Mapping[str, Mapping[str, Json]]
"""The attributes of short events by template."""

SOURCE = "s"
_ID = r"(?P<id>[^\s@:\"{][^\s@:]*)"
_SOURCE = r"(?P<source>/[^\s/(]*)?"
_EVENT = re.compile(rf"{_ID}(:(?P<template>\w+))?@(?P<time>[^\s/(]+){_SOURCE}")
_PROMISE = re.compile(rf"(?P<template>\w+)>=(?P<time>[^\s/(@]+){_SOURCE}(?=\s|$)")
_NAME = re.compile(r"\s*(?P<name>\w+(?:\.\w+)*)\s*=\s*")
_TEMPLATE = re.compile(r"\s*(\w+)(?=\()")
_NUMBER = re.compile(r"-?\d{1,30}")


def read_trace(lines: Sequence[str], defaults: Defaults) -> tuple[Json, ...]:
    """Return the items of a trace. Misread, with the line, if one cannot be read."""
    items: list[Json] = []
    for offset, line in enumerate(lines):
        try:
            items += [_object(line)] if line.startswith("{") else _items(line, defaults)
        except Misread as error:
            raise Misread(str(error), offset) from None
    return tuple(items)


def _object(line: str) -> Json:
    item = read_json(line)
    assert isinstance(item, dict)  # nothing else begins with a brace
    return item


def _items(line: str, defaults: Defaults) -> Iterator[Json]:
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
        elif promise := _PROMISE.match(line, place):
            named = {"source": _source(promise["source"]), "template": promise["template"]}
            yield {key: value for key, value in named.items() if value} | {"progress": _time(promise["time"])}
            place = promise.end()
        else:
            item, place = read_event(line, place, defaults)
            yield item


def read_event(line: str, place: int, defaults: Defaults) -> tuple[Json, int]:
    """Return the event that is written at a place, and the place behind it. Misread if there is none."""
    head = _EVENT.match(line, place)
    if head is None:
        raise Misread(f"expected an event like a1@5(k=2) or a promise like A>=7, found {dumped(line[place:])}"[:200])
    template = head["template"] or head["id"][0].upper()
    attributes, end = _attributes(line, head.end())
    item = {"id": head["id"], "template": template, "timestamp": _time(head["time"])}
    if source := _source(head["source"]):
        item["source"] = source
    return item | {"attributes": {**defaults.get(template, {}), **attributes}}, end


def _source(written: str | None) -> str:
    return SOURCE if written is None else written[1:]


def _time(written: str) -> int | str:
    return int(written) if _NUMBER.fullmatch(written) else written


_decoder = json.JSONDecoder()


def _attributes(line: str, place: int) -> tuple[dict[str, Json], int]:
    """Return the attributes in brackets, if there are any, and the place behind them, where the event ends."""
    attributes: dict[str, Any] = {}
    if line[place : place + 1] == "(":
        while True:
            name = _NAME.match(line, place + 1)
            if name is None or name["name"] in attributes:
                raise Misread(f"expected one more attribute like k=2, found {dumped(line[place + 1 :])}"[:200])
            try:
                _, place = _decoder.raw_decode(line, name.end())
            except (ValueError, RecursionError):
                raise Misread(f"expected a value of JSON, found {dumped(line[name.end() :])}"[:200]) from None
            attributes[name["name"]] = read_json(line[name.end() : place])
            if line[place : place + 1] != ",":
                break
        if line[place : place + 1] != ")":
            raise Misread(f"expected `,` or `)`, found {dumped(line[place:])}"[:200])
        place += 1
    if not (place == len(line) or line[place].isspace()):
        raise Misread(f"expected a blank behind the event, found {dumped(line[place:])}"[:200])
    return attributes, place


def read_defaults(lines: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return templates with their attributes, as `A(k=0) V(i=0, s="")`. Misread if they are none."""
    attributes: dict[str, dict[str, Json]] = {}
    for offset, line in enumerate(lines):
        place = 0
        while place < len(line):
            name = _TEMPLATE.match(line, place)
            if name is None:
                raise Misread(f"expected a template with attributes like A(k=0), found {dumped(line[place:])}", offset)
            attributes[name[1]], place = _attributes(line, name.end())
    return attributes


# --- Writing ----------------------------------------------------------------------------------------------------------


def write_items(items: Iterable[Json], defaults: Defaults) -> Iterator[str]:
    """Yield the parts of a trace that `read_trace` reads: words, and objects of JSON."""
    for item in items:
        written = _promise(item) if "progress" in item else write_event(item, defaults)
        yield written if _comes_back(item, written, defaults) else dumped(item)


def _comes_back(item: Json, written: str, defaults: Defaults) -> bool:
    try:
        return written.isprintable() and dumped(list(read_trace([written], defaults))) == dumped([item])
    except Misread:
        return False


def _promise(item: Json) -> str:
    return f"{item.get('template')}>={item['progress']}{_written_source(item)}"


def write_event(item: Json, defaults: Defaults) -> str:
    """Return an event in the short notation, as far as it can be expressed."""
    id_, template, attributes = str(item.get("id")), item.get("template"), item.get("attributes")
    named = "" if template == id_[:1].upper() else f":{template}"
    slots = ""
    if isinstance(attributes, dict):
        usual = defaults.get(str(template), {})
        differing = [
            f"{k}={dumped(v)}" for k, v in attributes.items() if k not in usual or dumped(usual[k]) != dumped(v)
        ]
        slots = f"({', '.join(differing)})" if differing else ""
    return f"{id_}{named}@{item.get('timestamp')}{_written_source(item)}{slots}"


def _written_source(item: Json) -> str:
    source = item.get("source", "")
    return "" if source == SOURCE else f"/{source}"


def write_defaults(defaults: Defaults) -> Iterator[str]:
    """Yield the parts that `read_defaults` reads."""
    for template, attributes in defaults.items():
        yield f"{template}({', '.join(f'{name}={dumped(value)}' for name, value in attributes.items())})"
