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
    """A named, typed slot of a template."""

    name: Name
    type: Type


class DeclaredTemplate(Protocol):
    """A template and its attributes, as any language declares them."""

    @property
    def name(self) -> str: ...
    @property
    def attributes(self) -> tuple[Attribute, ...]: ...


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


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
    def rules(self) -> Sequence[Named]: ...
