"""The types of values, and a program's declarations of events and predicates
(specification: scalar-types, list-types).

Every language declares these in its own syntax; readers of traces and domain tables need no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Protocol

from parte.semantics.events.bounds import Bounds, Name


class Scalar(Enum):
    """The scalar types; the value is the name in PARTElang."""

    INTEGER = "Integer"
    FLOAT = "Float"
    STRING = "String"
    BOOLEAN = "Boolean"


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[element; capacity]`: at most `capacity` values."""

    element: Scalar
    capacity: Annotated[int, Bounds(least=1, greatest=1024)]


Type = Scalar | ListOf


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named, typed slot of a template; events may lack it if it is `optional`."""

    name: Name
    type: Type
    optional: bool = False


class DeclaredTemplate(Protocol):
    """A template and its attributes, as any language declares them."""

    @property
    def name(self) -> str: ...
    @property
    def attributes(self) -> tuple[Attribute, ...]: ...


def has_optional(program: Declarations) -> bool:
    """Return whether events may lack an attribute of some template; then it may be given as null."""
    return any(attribute.optional for template in program.templates for attribute in template.attributes)


class DeclaredRule(Protocol):
    """A rule with the name that ids of the events have that it emits."""

    @property
    def reported(self) -> str: ...


class DeclaredPredicate(Protocol):
    """A domain predicate and the types of its parameters, as any language declares them."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Scalar, ...]: ...


class Declarations(Protocol):
    """The part of a program that readers of its input need."""

    @property
    def templates(self) -> Sequence[DeclaredTemplate]: ...
    @property
    def predicates(self) -> Sequence[DeclaredPredicate]: ...
    @property
    def rules(self) -> Sequence[DeclaredRule]: ...
