"""The columns of a log of events as one table: their names and contents.

`id`, `template`, `timestamp` (ms), `source` (may be left out), and `attributes`, a struct with a field for each
attribute of each template of a program: null for the events of templates without such an attribute. Templates share a
field if they use one name with the same type. If the types differ, or if names differ only in case, which engines
ignore, the field is called `Template.attribute`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from parte.algebra.partelang.relational.names import Names
from parte.semantics.events.types import Declarations, ListOf, Scalar, Type

COLUMNS: Final = ("id", "template", "timestamp", "source", "attributes")
OPTIONAL: Final = ("source",)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of `attributes`. The capacity of a list is ignored: templates with different capacities share a field."""

    name: str
    type: Type


def fields(program: Declarations) -> Mapping[tuple[str, str], Field]:
    """Return the field of each template's attribute, in the order of the program."""
    kinds_by_name: dict[str, set[tuple[str, Scalar, bool]]] = {}
    for template in program.templates:
        for attribute in template.attributes:
            kinds_by_name.setdefault(attribute.name.lower(), set()).add((attribute.name, *_kind(attribute.type)))
    names = Names()
    for kinds in kinds_by_name.values():
        if len(kinds) == 1:
            names.fresh(next(iter(kinds))[0])
    result: dict[tuple[str, str], Field] = {}
    for template in program.templates:
        for attribute in template.attributes:
            name = attribute.name
            if len(kinds_by_name[name.lower()]) > 1:
                name = names.fresh(f"{template.name}.{name}")
            result[template.name, attribute.name] = Field(name, attribute.type)
    return result


def synonyms(template: str, attribute: str) -> tuple[str, str]:
    """Return the names that the field of an attribute has in a log of more, or of fewer, templates."""
    return f"{template}.{attribute}", attribute


def _kind(of: Type) -> tuple[Scalar, bool]:
    return (of.element, True) if isinstance(of, ListOf) else (of, False)
