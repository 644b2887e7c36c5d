"""A name in a text, and what it stands for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from lark import Token


class Sort(Enum):
    """What names stand for."""

    TYPE = "type"
    TEMPLATE = "template"
    PREDICATE = "predicate"
    FUNCTION = "function"
    RULE = "rule"
    ATTRIBUTE = "attribute"
    VARIABLE = "variable"
    EVENT = "event"
    STREAM = "stream"


class Entity(NamedTuple):
    """What a name stands for; `owner` is the rule of a variable, the template of an attribute, "" if there is none."""

    sort: Sort
    owner: str
    name: str


class Choice(NamedTuple):
    """What a place can be filled with: what is of a sort and an owner; of these, some names only if they are given."""

    sort: Sort
    owner: str = ""
    only: frozenset[str] | None = None


class Extent(NamedTuple):
    """From an offset up to, not including, another."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it stands. `declares` is the extent of what it declares, None if it is a use; `kind` is what that is
    of: the template of a variable, the type of an attribute. `choices` are what could stand in its place."""

    extent: Extent
    entity: Entity
    declares: Extent | None = None
    kind: Entity | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Names:
    """All names of a text in the order in which they stand, and what is there without being declared, by choice.

    `undeclared`: what nothing declares may come from elsewhere, as the events of a stream do.
    """

    found: tuple[Name, ...]
    given: Mapping[Choice, Sequence[str]] = field(default_factory=dict)
    undeclared: bool = False

    @cached_property
    def _by_entity(self) -> Mapping[Entity, Sequence[Name]]:
        return _by_entity(self.found)

    @cached_property
    def _declarations(self) -> Mapping[Entity, Sequence[Name]]:
        return _by_entity(name for name in self.found if name.declares is not None)

    def at(self, offset: int) -> Name | None:
        """The name that holds an offset or ends there."""
        index = bisect_right(self.found, offset, key=lambda name: name.extent.start) - 1
        return self.found[index] if index >= 0 and offset <= self.found[index].extent.end else None

    def of(self, entity: Entity) -> Sequence[Name]:
        """Everywhere that a name stands for it."""
        return self._by_entity.get(entity, ())

    def declarations(self, entity: Entity) -> Sequence[Name]:
        """Where something is declared: nowhere, once, or several times, by the language or by mistake."""
        return self._declarations.get(entity, ())

    def candidates(self, choice: Choice) -> dict[str, Name | None]:
        """What a choice offers: names, each with its declaration, or without one if it is there anyway."""
        offered: dict[str, Name | None] = dict.fromkeys(self.given.get(choice, ()))
        for entity in self._by_entity:
            if entity[:2] == choice[:2] and (choice.only is None or entity.name in choice.only):
                declarations = self.declarations(entity)
                if declarations or self.undeclared:
                    offered.setdefault(entity.name, next(iter(declarations), None))
        return offered


def _by_entity(names: Iterable[Name]) -> Mapping[Entity, Sequence[Name]]:
    found: dict[Entity, list[Name]] = {}
    for name in names:
        found.setdefault(name.entity, []).append(name)
    return found


def extent_of(token: Token, last: Token | None = None) -> Extent:
    """Where a token stands, or where a sequence of tokens does."""
    return Extent(token.start_pos or 0, (last or token).end_pos or 0)


def kind_at(tokens: Sequence[Token], index: int) -> str:
    """The kind of a token, "" beyond both ends."""
    return tokens[index].type if 0 <= index < len(tokens) else ""


def word_at(tokens: Sequence[Token], index: int) -> str:
    """A word, "" where there is none."""
    return tokens[index].value if kind_at(tokens, index) == "NAME" else ""
