"""Traces as rows: the columns of an edition, and the conversion of fixtures and events to rows and back.

An edition is a directory of three Parquet tables. `traces` has one row a trace, `programs` the texts of programs,
`domains` the domain files, both by id. An item of a trace is a struct of the fields of its line
(specification: trace-items), the attributes as JSON text; an item that does not fit into such a struct, such as a line
that is broken on purpose, is stored unchanged in `line`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from parte.conformance.exchange import fixture_from_json, fixture_to_json
from parte.conformance.fixtures import Fixture
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.strictjson import MalformedJson, check_text, decode
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.spark_adapter.errors import Unusable

Json = Any
Row = Mapping[str, Json]

_TEXT = pa.string()
EVENT = pa.struct(
    [
        ("id", _TEXT),
        ("template", _TEXT),
        ("timestamp", pa.int64()),
        ("source", _TEXT),
        ("attributes", _TEXT),
        ("progress", pa.int64()),
        ("line", _TEXT),
    ]
)
_EVENT_KEYS = ("id", "template", "timestamp", "source", "attributes")
# The reader rejects those that a promise does not have.
_PROGRESS_KEYS = ("id", "timestamp", "attributes", "source", "template", "progress")

TRACES = pa.schema(
    [
        ("trace_id", _TEXT),
        ("program", _TEXT),
        ("program_id", _TEXT),
        ("domain_id", _TEXT),
        ("disorder", pa.int64()),
        ("events", pa.list_(EVENT)),
        ("fixture", _TEXT),
    ]
)
"""One row a trace: its program as text or by id, its domain by id, the disorder in milliseconds, and for a case of the
suite the rest of its file, as JSON. All but `trace_id` and `events` may be missing or null."""

PROGRAMS = pa.schema([("program_id", _TEXT), ("text", _TEXT), ("escaped", pa.bool_())])
"""Texts by id. An `escaped` one is a JSON string: it contains half a surrogate pair, which no column of text can."""

DOMAINS = pa.schema([("domain_id", _TEXT), ("document", _TEXT)])
"""Domain files by id, as JSON."""


class BadRow(Unusable):
    """A row that is not a trace; the message states the problem."""


# --- Items -----------------------------------------------------------------------------------------------------------


def item_row(item: Json) -> Row:
    """Return the struct of a line of a trace, which is given as JSON; `item_line` returns equal JSON."""
    if type(item) is dict and _plain(item):
        fields = dict(item)
        if "attributes" in fields:
            fields["attributes"] = json.dumps(fields["attributes"], ensure_ascii=False)
        return {field.name: fields.get(field.name) for field in EVENT}
    return {field.name: None for field in EVENT} | {"line": json.dumps(item)}


def _plain(item: dict[str, Json]) -> bool:
    """Return whether a struct can store all of the item: its keys are in the usual order, and nothing needs an
    escape."""
    wanted = {"id": str, "template": str, "timestamp": int, "source": str, "attributes": dict, "progress": int}
    if not all(type(value) is wanted.get(key) for key, value in item.items()):
        return False
    if not all(LEAST_INTEGER <= item.get(key, 0) <= GREATEST_INTEGER for key in ("timestamp", "progress")):
        return False
    try:
        check_text(json.dumps(item, ensure_ascii=False))
    except MalformedJson:
        return False
    return list(item) == [key for key in (_PROGRESS_KEYS if "progress" in item else _EVENT_KEYS) if key in item]


def item_line(row: Row) -> str:
    """Return the line of JSON of a struct, whose attributes may be JSON text, a struct or a map.

    BadRow if its attributes are not JSON.
    """
    line = row.get("line")
    if line is not None:
        return str(line)
    order = _PROGRESS_KEYS if row.get("progress") is not None else _EVENT_KEYS
    record = {key: row[key] for key in order if row.get(key) is not None}
    attributes = record.get("attributes")
    if isinstance(attributes, str | bytes):
        try:
            record["attributes"] = decode(attributes if isinstance(attributes, str) else attributes.decode())
        except UnicodeDecodeError:
            raise BadRow("attributes: the text is not UTF-8") from None
        except MalformedJson as error:
            raise BadRow(f'attributes: {error.message}; expected a JSON object such as {{"amount": 1.5}}') from None
    elif isinstance(attributes, dict):  # a struct, which has fields for the attributes of all templates
        record["attributes"] = {name: value for name, value in attributes.items() if value is not None}
    elif isinstance(attributes, list):  # a map
        record["attributes"] = dict(attributes)
    # A number that is infinite after decoding is written so that the reader of lines rejects it with a reason.
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise BadRow(f"an item that no line of JSON can hold: {error}") from None


def item_lines(events: Sequence[Row | None] | None, where: str = "events") -> list[str]:
    """Return the lines of a trace, whose items are structs. BadRow, which names the item, if one is missing or
    broken."""
    if events is None:
        raise BadRow(f"{where}: expected a list of items, found null")
    lines = []
    for number, event in enumerate(events, 1):
        if event is None:
            raise BadRow(f"{where}: item {number} is null")
        try:
            lines.append(item_line(event))
        except BadRow as problem:
            raise BadRow(f"{where}: item {number}: {problem}") from None
    return lines


def items_rows(items: Iterable[TraceItem]) -> list[Row]:
    """Return the structs of events and promises that were built in Python."""
    return [
        {
            "id": item.id,
            "template": item.template,
            "timestamp": item.timestamp,
            "source": item.source,
            "attributes": json.dumps(dict(item.attributes), ensure_ascii=False, separators=(",", ":")),
        }
        if isinstance(item, Event)
        else {"source": item.source, "template": item.template, "progress": item.timestamp}
        for item in items
    ]


# --- Fixtures --------------------------------------------------------------------------------------------------------


def escape(text: str) -> tuple[str, bool]:
    """Return a text for a column, and whether it had to be escaped."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(text), True
    return text, False


def unescape(text: str | None, escaped: bool | None) -> str | None:
    """Return the text of a row of `programs`. BadRow if an escaped one is not a JSON string."""
    if not escaped or text is None:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, str):
        raise BadRow("the program is marked as escaped, and is no JSON string")
    return value


def fixture_rows(fixture: Fixture) -> tuple[Row, Row, Row | None]:
    """Return a case as rows of `traces`, `programs` and, if it has a domain, `domains`; its id is the id of all
    three."""
    rest = fixture_to_json(fixture)
    del rest["trace"]
    rest.pop("domain", None)
    text, escaped = escape(fixture.text)
    trace = {
        "trace_id": fixture.id,
        "program": None,
        "program_id": fixture.id,
        "domain_id": fixture.id if fixture.domain else None,
        "disorder": fixture.disorder,
        "events": [item_row(item) for item in fixture.trace],
        "fixture": json.dumps(rest),
    }
    program = {"program_id": fixture.id, "text": text, "escaped": escaped}
    domain = {"domain_id": fixture.id, "document": json.dumps(fixture.domain)} if fixture.domain else None
    return trace, program, domain


def fixture_of(about: str, domain: str | None, lines: Sequence[str]) -> Fixture:
    """Return the case of a row. BadRow, or FixtureError, if it has none."""
    try:
        rest = json.loads(about)
        trace = [json.loads(line) for line in lines]
        relations = {} if domain is None else json.loads(domain)
    except ValueError as error:
        raise BadRow(f"the case cannot be read: {error}") from None
    if not isinstance(rest, dict):
        raise BadRow("the column fixture holds no JSON object")
    return fixture_from_json(rest | {"domain": relations, "trace": trace})
