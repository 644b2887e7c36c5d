"""A log of events as one table: what its columns are called, and what they hold.

`id`, `template`, `timestamp` (ms), `source` (may be left out), and `attributes`, a struct with a field for each
attribute of each template of a program: null for the events of templates that have no such attribute. Templates share a
field where they give a name to the same type. Where they do not, or where names differ only in case, which engines
ignore, the field is called `Template.attribute`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from parte.algebra.partelang.relational.names import Names
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.partelang.syntax import core

COLUMNS: Final = ("id", "template", "timestamp", "source", "attributes")
OPTIONAL: Final = ("source",)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of `attributes`. Of a list, the capacity means nothing here: templates with different ones share it."""

    name: str
    type: Type


def fields(program: core.Program) -> Mapping[tuple[str, str], Field]:
    """The field of each template's attribute, in the order of the program."""
    given: dict[str, set[tuple[str, Scalar, bool]]] = {}
    for template in program.templates:
        for attribute in template.attributes:
            given.setdefault(attribute.name.lower(), set()).add((attribute.name, *_kind(attribute.type)))
    names = Names()
    for kinds in given.values():
        if len(kinds) == 1:
            names.fresh(next(iter(kinds))[0])
    found: dict[tuple[str, str], Field] = {}
    for template in program.templates:
        for attribute in template.attributes:
            name = attribute.name
            if len(given[name.lower()]) > 1:
                name = names.fresh(f"{template.name}.{name}")
            found[template.name, attribute.name] = Field(name, attribute.type)
    return found


def _kind(of: Type) -> tuple[Scalar, bool]:
    return (of.element, True) if isinstance(of, ListOf) else (of, False)
