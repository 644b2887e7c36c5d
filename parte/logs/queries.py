"""The queries for DuckDB: each record's template, id, timestamp and attributes, or the reason that it is no event.

A record comes as `fields`, the list of the texts at the paths of a mapping, in their order; null where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sqlglot import exp

from parte.logs.mapping import DIRECTIVE, EPOCH, ISO, UNITS, MappedTemplate, Slot, Time, parts_of, path_of
from parte.logs.mapping import Mapping as Described
from parte.semantics.events.trace import DEFAULT_SOURCE
from parte.semantics.events.types import Scalar

_DATE: Final = r"\d{4}-\d\d-\d\d"
_ISO_TIME: Final = _DATE + r"(?:[T ]\d\d:\d\d(?::\d\d(?:[.]\d+)?)?)?"
_OFFSET: Final = r"(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)"
_NUMBER: Final = r"[+-]?\d+(?:[.]\d+)?"
_BY_SIZE: Final = ((10**11, "seconds"), (10**14, "milliseconds"), (10**17, "microseconds"))
"""The least amount that is no longer read in a unit: 10^11 seconds are in the year 5138, as many milliseconds in 1973.
"""
_TYPES: Final = {
    Scalar.INTEGER: "BIGINT",
    Scalar.FLOAT: "DOUBLE",
    Scalar.STRING: "VARCHAR",
    Scalar.BOOLEAN: "BOOLEAN",
}
_WORD: Final = re.compile(r"[A-Za-z0-9_ .:/-]*[A-DF-Za-df-z_][A-Za-z0-9_ .:/-]*", re.ASCII)
"""A text that JSON writes as it is; with a letter that no number has, as numbers may be written in many ways."""
_WORDS_SOUGHT: Final = 16
_WORDS: Final = {
    Scalar.INTEGER: "an Integer of 64 bit",
    Scalar.FLOAT: "a Float",
    Scalar.STRING: "a String",
    Scalar.BOOLEAN: "true or false",
}


def literal(value: str | int | float | bool) -> str:
    """Return a constant as SQL."""
    return exp.convert(value).sql("duckdb")


def identifier(name: str) -> str:
    """Return a name as SQL."""
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def pointers(paths: Sequence[str]) -> str:
    """Return the paths as a list of JSON pointers."""
    escaped = ("".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts_of(path)) for path in paths)
    return f"[{', '.join(map(literal, escaped))}]"


def duckdb_type(of: Scalar) -> str:
    """Return the type of a column."""
    return _TYPES[of]


Columns = Mapping[tuple[str, str], tuple[str, Scalar]]
"""The column and the type of each attribute of each template."""


def likely(mapping: Described) -> str:
    """Return a condition on the text of JSON objects that holds of each whose record may fit a template.

    A string stands in JSON as it is, unless it has an escape.
    """
    words: list[str] = []
    for template in mapping.templates:
        wanted = ([value] if isinstance(value, str) else [*value] for value in template.when.values())
        plain = next((values for values in wanted if all(map(_WORD.fullmatch, values))), None)
        if plain is None:
            return "true"
        words += plain
    if len(words) > _WORDS_SOUGHT:
        return "true"
    return " OR ".join(f"contains(text, {literal(word)})" for word in dict.fromkeys(["\\", *words]))


def events_query(mapping: Described, columns: Columns, records: str, digest: str, numbering: str = "") -> str:
    """Return the query for the events in `records`, a query with `there`, `fault` and `fields`.

    It has a row for each record: `content` (`digest` if it fits a template, null if it is not `there`), `reason` (null
    for an event), `template` (null if it fits none), `id`, `source`, `timestamp` and the columns of attributes. `kept`
    names further columns, each with a comma.
    """
    places = {path: f"fields[{position}]" for position, path in enumerate(mapping.paths, start=1)}
    chosen = _template(mapping, places)
    identity = "CAST(NULL AS VARCHAR)" if mapping.id is None else places[mapping.id]
    source = literal(DEFAULT_SOURCE)
    if mapping.source is not None:
        source = f"coalesce({places[mapping.source]}, {source})"
    mapped = f"SELECT *, CASE WHEN fault IS NULL THEN {chosen} END AS template FROM ({records})"
    content = f"CASE WHEN template IS NOT NULL THEN {digest} WHEN there THEN CAST(0 AS UBIGINT) END"
    fitting = (
        f"SELECT {numbering}fault, template, {content} AS content, "
        f"CASE WHEN template IS NOT NULL THEN fields END AS fields FROM ({mapped})"
    )
    first = (
        f"SELECT *, {identity} AS id, CASE WHEN template IS NOT NULL THEN {source} END AS source, "
        f"{timestamp(mapping.timestamp, places[mapping.timestamp.path])} AS timestamp FROM ({fitting})"
    )
    by_column: dict[str, list[tuple[MappedTemplate, str, Slot]]] = {}
    kinds: dict[str, Scalar] = {}
    for template in mapping.templates:
        for name, slot in template.slots.items():
            column, kinds[column] = columns[template.name, name]
            by_column.setdefault(column, []).append((template, name, slot))
    values = ""
    for column, slots in by_column.items():
        cases = [(template, _value(name, slot, places)) for template, name, slot in slots]
        values += f", {by_template(cases)} AS {identifier(column)}"
    second = f"SELECT *{values} FROM ({first})"
    attributes = "".join(f", {identifier(column)}" for column in by_column)
    reason = _reason(mapping, places, columns)
    return f"SELECT {numbering}content, {reason} AS reason, template, id, source, timestamp{attributes} FROM ({second})"


def _template(mapping: Described, places: Mapping[str, str]) -> str:
    branches = []
    for template in mapping.templates:
        tests = [
            f"{places[path]} IN ({', '.join(map(literal, [wanted] if isinstance(wanted, str) else wanted))})"
            for path, wanted in template.when.items()
        ]
        branches.append(f"WHEN {' AND '.join(tests) or 'true'} THEN {literal(template.name)}")
    return f"CASE {' '.join(branches)} END"


def by_template(values: Sequence[tuple[MappedTemplate, str]]) -> str:
    """Return the value for the template of an event, from values as SQL; null for other templates."""
    branches = [f"WHEN {literal(template.name)} THEN {value}" for template, value in values]
    return f"CASE template {' '.join(branches)} END"


def timestamp(time: Time, text: str) -> str:
    """Return milliseconds for a text, by the first form that fits it; null if none does."""
    readings = [_FORMS.get(form, _formatted)(form, time.zone, text) for form in time.forms]
    return f"coalesce({', '.join(readings)})" if len(readings) > 1 else readings[0]


def _iso(form: str, zone: str | None, text: str) -> str:  # noqa: ARG001 - all forms are read alike
    point = _iso_with_point(zone, text)
    with_comma = _iso_with_point(zone, f"replace({text}, ',', '.')")
    return f"CASE {point} WHEN contains({text}, ',') THEN CASE {with_comma} END END"


def _iso_with_point(zone: str | None, text: str) -> str:
    with_offset = f"WHEN regexp_full_match({text}, {literal(_ISO_TIME + _OFFSET)}) "
    with_offset += f"THEN {_floored(f'try_cast({text} AS TIMESTAMPTZ)')}"
    if zone is not None:
        local = f"timezone({literal(zone)}, try_cast({text} AS TIMESTAMP))"
        with_offset += f" WHEN regexp_full_match({text}, {literal(_ISO_TIME)}) THEN {_floored(local)}"
    return with_offset


def _unit(form: str, zone: str | None, text: str) -> str:  # noqa: ARG001 - all forms are read alike
    return f"CASE WHEN regexp_full_match({text}, {literal(_NUMBER)}) THEN {_milliseconds(form, text)} END"


def _milliseconds(unit: str, text: str) -> str:
    amount = f"try_cast({text} AS DECIMAL(38, 9))"
    if unit == "seconds":
        amount = f"try_cast({text} AS DECIMAL(28, 9)) * 1000"  # which does not overflow
    elif unit != "milliseconds":
        amount = f"{amount} / {1000 if unit == 'microseconds' else 1_000_000}"
        amount = f"try_cast({amount} AS DECIMAL(38, 9))"
    return f"try_cast(floor({amount}) AS BIGINT)"


def _by_size(form: str, zone: str | None, text: str) -> str:  # noqa: ARG001 - all forms are read alike
    size = f"abs(try_cast({text} AS DECIMAL(38, 9)))"
    branches = [f"WHEN {size} < {limit} THEN {_milliseconds(unit, text)}" for limit, unit in _BY_SIZE]
    chosen = f"CASE {' '.join(branches)} ELSE {_milliseconds('nanoseconds', text)} END"
    return f"CASE WHEN regexp_full_match({text}, {literal(_NUMBER)}) THEN {chosen} END"


def _formatted(form: str, zone: str | None, text: str) -> str:
    moment = f"try_strptime({text}, {literal(form)})"
    if not any(directive in ("%z", "%Z") for directive in DIRECTIVE.findall(form)):
        if zone is None:
            return "CAST(NULL AS BIGINT)"
        moment = f"timezone({literal(zone)}, {moment})"
    # DuckDB takes "epoch" and "infinity" for times of every format.
    return f"CASE WHEN regexp_matches({text}, '[0-9]') THEN {_floored(moment)} END"


def _floored(moment: str) -> str:
    """Return the milliseconds of a moment, rounded down; `epoch_ms` rounds up before 1970."""
    return f"(epoch_us({moment}) - (epoch_us({moment}) % 1000 + 1000) % 1000) // 1000"


_FORMS: Final[Mapping[str, Callable[[str, str | None, str], str]]] = {
    ISO: _iso,
    EPOCH: _by_size,
    **dict.fromkeys(UNITS, _unit),
}


def _value(name: str, slot: Slot, places: Mapping[str, str]) -> str:
    if slot.constant is not None:
        return f"CAST({literal(slot.constant)} AS {_TYPES[slot.type]})"
    path = path_of(name, slot)
    assert path is not None
    value = _typed(slot.type, places[path])
    if slot.default is None:
        return value
    return (
        f"CASE WHEN {places[path]} IS NULL THEN CAST({literal(slot.default)} AS {_TYPES[slot.type]}) ELSE {value} END"
    )


def _typed(of: Scalar, text: str) -> str:
    match of:
        case Scalar.STRING:
            return text
        case Scalar.INTEGER:
            return f"CASE WHEN regexp_full_match({text}, '[+-]?\\d+') THEN try_cast({text} AS BIGINT) END"
        case Scalar.BOOLEAN:
            return f"CASE lower({text}) WHEN 'true' THEN true WHEN 'false' THEN false END"
        case Scalar.FLOAT:
            number = f"try_cast({text} AS DOUBLE)"
            return f"CASE WHEN isfinite({number}) THEN {number} END"


def _reason(mapping: Described, places: Mapping[str, str], columns: Columns) -> str:
    branches = ["WHEN fault IS NOT NULL THEN fault WHEN template IS NULL THEN NULL"]
    when = places[mapping.timestamp.path]
    branches.append(f"WHEN {when} IS NULL THEN {literal(f'{mapping.timestamp.path} is missing')}")
    forms = " or ".join(mapping.timestamp.forms)
    zone = "" if mapping.timestamp.zone is not None else " with an offset (the mapping names no zone)"
    expected = literal(f"{mapping.timestamp.path}: expected a time, {forms}{zone}, found ")
    if not {EPOCH, *UNITS} & {*mapping.timestamp.forms}:
        number = f'{mapping.timestamp.path}: expected {forms}, not a number: add "{EPOCH}" to timestamp.forms, found '
        is_number = f"regexp_full_match({when}, {literal(_NUMBER)})"
        expected = f"CASE WHEN {is_number} THEN {literal(number)} ELSE {expected} END"
    branches.append(f"WHEN timestamp IS NULL THEN {expected} || {_shown(when)}")
    if mapping.id is not None:
        branches.append(f"WHEN id IS NULL OR id = '' THEN {literal(f'{mapping.id} is missing')}")
    for template in mapping.templates:
        branches += _faults(template, places, columns)
    return f"CASE {' '.join(branches)} END"


def _faults(template: MappedTemplate, places: Mapping[str, str], columns: Columns) -> Iterator[str]:
    here = f"template = {literal(template.name)}"
    for name, slot in template.slots.items():
        path = path_of(name, slot)
        if path is None:
            continue
        column, text = identifier(columns[template.name, name][0]), places[path]
        if not slot.optional and slot.default is None:
            yield f"WHEN {here} AND {text} IS NULL THEN {literal(f'{path} is missing')}"
        expected = literal(f"{path}: expected {_WORDS[slot.type]}, found ")
        if slot.type is not Scalar.STRING:
            yield f"WHEN {here} AND {text} IS NOT NULL AND {column} IS NULL THEN {expected} || {_shown(text)}"


def _shown(text: str) -> str:
    return f"to_json(left({text}, 100))"
