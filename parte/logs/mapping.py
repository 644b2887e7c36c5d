"""Mappings: which records of a raw log are which events. A TOML file:

    id = "request_id"                        # optional: without it, events are numbered
    source = "host"                          # optional: without it, all events have one source

    [timestamp]
    path = "ts"
    forms = ["iso", "epoch"]                 # tried in this order; without it, ISO 8601 only
    zone = "Europe/Berlin"                   # optional: of times without an offset, which are rejected without it

    [[template]]
    name = "Exported"
    when = { event = "export" }              # the records with these values; without it, all that are left
    [template.attributes]
    user = { type = "String" }               # the path is the name of the attribute, or
    rows = { path = "details.rows", type = "Integer", default = 0 }
    kind = { constant = "export", type = "String" }
    note = { type = "String", optional = true }

A path leads through objects: `user.name`; a part with other characters than letters, digits, `_`, `-` and `@` stands
in quotes: `headers."x.y"`. A record is an event of the first template whose `when` it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, fields
from pathlib import Path
from sys import float_info
from typing import Annotated, Any, Final
from zoneinfo import available_timezones

from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER, Bounds, Name, Text
from parte.semantics.events.codec import Codec, FormatError
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.files import read_text
from parte.semantics.events.problems import InputError, Problem
from parte.semantics.events.stricttoml import MalformedToml, decode
from parte.semantics.events.types import Attribute, Scalar
from parte.semantics.source.similar import advice

SCHEMA_ID: Final = "https://parte.example/schemas/mapping-1.json"
ISO: Final = "iso"
EPOCH: Final = "epoch"
UNITS: Final = ("seconds", "milliseconds", "microseconds", "nanoseconds")
DIRECTIVE: Final = re.compile(r"%(?:-?[A-Za-z]|.?)", re.DOTALL)
"""A part of a format that stands for a part of a time, or is `%%`; others are wrong."""
KNOWN_DIRECTIVES: Final = {f"%{letter}" for letter in "aAbBcdfgGHIjmMpSuUVwWxXyYzZ%"} | {
    f"%-{letter}" for letter in "dHIjmMSy"
}
_HINT: Final = "`parte log --suggest RAW` writes a mapping"
_TYPES: Final = tuple(sorted(of.value for of in Scalar))
_SHOWN: Final = 100
"""The most characters of a name in a message."""
_PART: Final = re.compile(r'"([^"]*)"|([\w@-]+)')
Path_ = Annotated[str, Bounds(shortest=1, longest=1000, meaning="parts of a path, separated by dots")]


class MappingError(InputError):
    """A mapping that is malformed; `problems` holds what is wrong."""


@dataclass(frozen=True, slots=True)
class Time:
    """The place of the timestamp of an event, and its forms: `iso`, a unit since 1970 (`seconds`, `milliseconds`,
    `microseconds`, `nanoseconds`), `epoch`, a number whose size tells the unit, or a format such as `%d/%b/%Y %H:%M`.
    """

    path: Path_
    forms: Annotated[Sequence[Text], Bounds(shortest=1, longest=16)] = (ISO,)
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """The origin of the value of an attribute: a path, by default the attribute's name, or a constant.

    `default` is the value where a record has none; `optional` events may lack the attribute.
    """

    type: Scalar
    path: Path_ | None = None
    constant: str | int | float | bool | None = None
    default: str | int | float | bool | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class MappedTemplate:
    """The events of a template: the records with certain values at certain paths."""

    name: Name
    when: Map[str, str | Sequence[str]] = field(default_factory=dict)
    slots: Map[Name, Slot] = field(default_factory=dict)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes as a program declares them."""
        return tuple(Attribute(name, slot.type, slot.optional) for name, slot in self.slots.items())


@dataclass(frozen=True, slots=True)
class Mapping:
    """The events that records of a raw log stand for."""

    timestamp: Time
    templates: Annotated[Sequence[MappedTemplate], Bounds(shortest=1, longest=1000)]
    id: Path_ | None = None
    source: Path_ | None = None
    predicates: tuple[()] = field(default=(), compare=False)
    rules: tuple[()] = field(default=(), compare=False)

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths that are read, each once."""
        paths = [self.timestamp.path, *(path for path in (self.id, self.source) if path is not None)]
        for template in self.templates:
            paths += template.when
            paths += [path for name, slot in template.slots.items() if (path := path_of(name, slot)) is not None]
        return tuple(dict.fromkeys(paths))


_CODEC: Final[Codec[Mapping]] = Codec(
    Mapping,
    renamed={Mapping: {"templates": "template"}, MappedTemplate: {"slots": "attributes"}},
    optional=...,
    sparse={Time: ..., Slot: ..., MappedTemplate: ..., Mapping: ...},
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of mappings, for editors."""
    return _CODEC.schema(SCHEMA_ID, "The mapping of a raw log to events")


def path_of(name: str, slot: Slot) -> str | None:
    """Return the path of an attribute, or None if it is a constant."""
    return None if slot.constant is not None else slot.path or name


def parts_of(path: str) -> tuple[str, ...]:
    """Return the parts of a path. Raise ValueError if it is none."""
    parts, at = [], 0
    while match := _PART.match(path, at):
        parts.append(match[1] if match[2] is None else match[2])
        at = match.end()
        if at == len(path):
            return tuple(parts)
        if path[at] != ".":
            break
        at += 1
    raise ValueError(f'expected parts separated by dots, such as user.name or headers."x.y", found {path!r}')


def load_mapping(path: str | Path) -> Mapping:
    """Return the mapping in a file. Raise MappingError, or OSError if the file cannot be read."""
    return read_mapping(read_text(path), filename=str(path))


def read_mapping(text: str, *, filename: str = "mapping.toml") -> Mapping:
    """Return the mapping in a text. Raise MappingError."""
    try:
        data = decode(text)
        if problems := [Problem(filename, NO_LINE, message, hint) for message, hint in _misnamed(data)]:
            raise MappingError(problems)
        mapping = _CODEC.decode(data)
    except (MalformedToml, FormatError) as error:
        raise MappingError([Problem(filename, NO_LINE, str(error), _HINT)]) from None
    if problems := [Problem(filename, NO_LINE, message, hint) for message, hint in _wrong(mapping)]:
        raise MappingError(problems)
    return mapping


def _misnamed(data: Map[str, object]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with keys, names and types, each with a hint."""
    yield from _unknown("", data, ("id", "source", "timestamp", "template"))
    yield from _unknown("timestamp: ", data.get("timestamp"), _names_in(Time))
    templates = data.get("template")
    for number, template in enumerate(templates if isinstance(templates, list) else (), start=1):
        name = template.get("name") if isinstance(template, dict) else None
        place = f"template {name[:_SHOWN] if isinstance(name, str) else number}"
        yield from _unknown(f"{place}: ", template, ("name", "when", "attributes"))
        if isinstance(name, str) and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            plain = "".join(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", name))[:_SHOWN]
            yield f"{place}: a name has letters, digits and _, and begins with no digit", f"as {plain or 'Exported'}"
        attributes = template.get("attributes") if isinstance(template, dict) else None
        for attribute, slot in attributes.items() if isinstance(attributes, dict) else ():
            here = f"{place}, attribute {attribute[:_SHOWN]}"
            yield from _unknown(f"{here}: ", slot, _names_in(Slot))
            kind = slot.get("type") if isinstance(slot, dict) else None
            if isinstance(kind, str) and kind not in _TYPES:
                yield f'{here}: there is no type "{kind[:_SHOWN]}"', advice(kind, _TYPES)


def _unknown(place: str, table: object, known: Sequence[str]) -> Iterator[tuple[str, str]]:
    for key in table if isinstance(table, dict) else ():
        if key not in known:
            yield f'{place}the key "{key[:_SHOWN]}" is unknown', advice(key, known)


def _names_in(kind: type[Time] | type[Slot]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _wrong(mapping: Mapping) -> list[tuple[str, str]]:
    messages: list[tuple[str, str]] = []
    for path in mapping.paths:
        try:
            parts_of(path)
        except ValueError as error:
            messages.append((f"path: {error}", ""))
    zone = mapping.timestamp.zone
    if zone is not None and zone not in available_timezones():
        messages.append(
            (f"timestamp.zone: no time zone is called {zone!r}", advice(zone, sorted(available_timezones())))
        )
    for form in mapping.timestamp.forms:
        if form not in (ISO, EPOCH, *UNITS) and "%" not in form:
            hint = advice(form, [ISO, EPOCH, *UNITS])
            messages.append((f"timestamp.forms: {form!r} is neither a form nor a format with %", hint))
        messages += [
            (f"timestamp.forms: {directive} of {form!r} stands for no part of a time", "")
            for directive in dict.fromkeys(DIRECTIVE.findall(form))
            if directive not in KNOWN_DIRECTIVES
        ]
    names = [template.name for template in mapping.templates]
    messages += [
        (f"template: {name} is described more than once", "give one template several values: when = { event = [...] }")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    for template in mapping.templates:
        messages += [
            (f"template {template.name}: when: {path!r} has no value, so that no record fits", "give it one")
            for path, wanted in template.when.items()
            if not wanted and not isinstance(wanted, str)
        ]
        for name, slot in template.slots.items():
            place = f"template {template.name}, attribute {name}"
            for key, value in (("constant", slot.constant), ("default", slot.default)):
                if value is not None and not _fits(value, slot.type):
                    messages.append((f"{place}: {key}: expected {slot.type.value}, found {value!r}", ""))
            if slot.constant is not None and (slot.path is not None or slot.default is not None):
                messages.append((f"{place}: a constant has neither path nor default", "leave one out"))
            if slot.default is not None and slot.optional:
                messages.append((f"{place}: what has a default is never missing", "leave `optional` out"))
    return messages


def _fits(value: Any, of: Scalar) -> bool:
    kinds = {Scalar.INTEGER: (int,), Scalar.FLOAT: (int, float), Scalar.STRING: (str,), Scalar.BOOLEAN: (bool,)}
    if type(value) not in kinds[of]:
        return False
    if of is Scalar.INTEGER:
        return bool(LEAST_INTEGER <= value <= GREATEST_INTEGER)
    return of is not Scalar.FLOAT or bool(abs(value) <= float_info.max)
