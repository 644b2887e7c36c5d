"""Records read one by one with Python's own JSON and dates: what `parte log` is compared with."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from parte.logs.mapping import Mapping, Slot, parts_of
from parte.semantics.events.types import Scalar

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS: dict[str, int | Fraction] = {
    "seconds": 1000,
    "milliseconds": 1,
    "microseconds": Fraction(1, 1000),
    "nanoseconds": Fraction(1, 10**6),
}
LEAST, GREATEST = -(2**63), 2**63 - 1


def events_of(mapping: Mapping, lines: Sequence[bytes]) -> tuple[list[dict[str, Any]], set[int]]:
    """The events as lines of a trace have them, and the numbers of the lines that are rejected."""
    events: dict[str, tuple[str, dict[str, Any]]] = {}
    rejected = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8")
            record = json.loads(text)
            if not isinstance(record, dict):
                raise ValueError(text)
            event = _event(mapping, record, number)
            if event is None:
                continue
            if event["id"] in events and events[event["id"]][0] != text:
                raise ValueError(text)
            events.setdefault(event["id"], (text, event))
        except ValueError:
            rejected.add(number)
    return [event for _, event in events.values()], rejected


def _event(mapping: Mapping, record: dict[str, Any], number: int) -> dict[str, Any] | None:
    for template in mapping.templates:
        wanted = {path: [text] if isinstance(text, str) else text for path, text in template.when.items()}
        if all(_text(record, path) in texts for path, texts in wanted.items()):
            break
    else:
        return None
    timestamp = _needed(_time(mapping, _needed(_text(record, mapping.timestamp.path))))
    identity = f"record-1-{number}" if mapping.id is None else _needed(_text(record, mapping.id) or None)
    source = None if mapping.source is None else _text(record, mapping.source)
    pairs = ((name, _value(name, slot, record)) for name, slot in template.slots.items())
    attributes = {name: value for name, value in pairs if value is not None}
    return {
        "id": identity,
        "template": template.name,
        "timestamp": timestamp,
        "source": "default" if source is None else source,
        "attributes": attributes,
    }


def _needed(value: Any) -> Any:
    if value is None:
        raise ValueError("missing")
    return value


def _text(record: Any, path: str) -> str | None:
    for part in parts_of(path):
        record = record.get(part) if isinstance(record, dict) else None
    if record is None or isinstance(record, str):
        return record
    return json.dumps(record)


def _value(name: str, slot: Slot, record: dict[str, Any]) -> Any:
    if slot.constant is not None:
        return float(slot.constant) if slot.type is Scalar.FLOAT else slot.constant
    text = _text(record, slot.path or name)
    if text is None:
        if slot.default is not None:
            return float(slot.default) if slot.type is Scalar.FLOAT else slot.default
        return None if slot.optional else _needed(None)
    match slot.type:
        case Scalar.STRING:
            return text
        case Scalar.BOOLEAN:
            return (
                {"true": True, "false": False}.get(text.lower()) if text.lower() in ("true", "false") else _needed(None)
            )
        case Scalar.INTEGER:
            if re.fullmatch(r"[+-]?[0-9]+", text) and LEAST <= int(text) <= GREATEST:
                return int(text)
            raise ValueError(text)
        case Scalar.FLOAT:
            number = float(text)
            return number if math.isfinite(number) else _needed(None)


def _time(mapping: Mapping, text: str) -> int | None:
    return next((time for form in mapping.timestamp.forms for time in _form(mapping, form, text)), None)


def _form(mapping: Mapping, form: str, text: str) -> Iterator[int]:
    zone = None if mapping.timestamp.zone is None else ZoneInfo(mapping.timestamp.zone)
    if form == "iso":
        if not re.fullmatch(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d(:?\d\d)?)?", text):
            return
        try:
            moment = datetime.fromisoformat(re.sub(r"([.,]\d{6})\d+", r"\1", text))
        except ValueError:
            return
    elif "%" in form:
        try:
            moment = datetime.strptime(text, form)
        except ValueError:
            return
    else:
        if re.fullmatch(r"[+-]?\d+([.]\d+)?", text):
            amount = Fraction(text)
            if form == "epoch":
                size = abs(amount)
                form = "seconds" if size < 10**11 else "milliseconds" if size < 10**14 else "microseconds"
                form = "nanoseconds" if size >= 10**17 else form
            yield math.floor(amount * _UNITS[form])
        return
    if moment.tzinfo is None:
        if zone is None:
            return
        # A time that a clock shows twice is the second; one that it skips is counted on from before.
        first, second = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
        twice = (first.utcoffset() or timedelta()) > (second.utcoffset() or timedelta())
        moment = second if twice else first
    yield (moment - _EPOCH) // timedelta(milliseconds=1)
