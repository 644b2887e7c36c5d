"""Names in a text, and the entities that they refer to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from parte.semantics.source.tokens import Token


class Sort(Enum):
    """The sorts of entities."""

    TYPE = "type"
    TEMPLATE = "template"
    PREDICATE = "predicate"
    FUNCTION = "function"
    PATTERN = "pattern"
    RULE = "rule"
    ATTRIBUTE = "attribute"
    VARIABLE = "variable"
    EVENT = "event"
    STREAM = "stream"


class Entity(NamedTuple):
    """The entity that a name refers to; `owner` is the rule of a variable (`owner_of`) or the template of an
    attribute, "" if there is none."""

    sort: Sort
    owner: str
    name: str


def owner_of(sort: Sort, name: str) -> str:
    """Return the owner of the variables of a rule or of a named pattern, which may have the same name."""
    return f"pattern {name}" if sort is Sort.PATTERN else name


class Choice(NamedTuple):
    """The entities that fit a place: those of a sort and an owner, and of these only the names in `only`, if given."""

    sort: Sort
    owner: str = ""
    only: frozenset[str] | None = None


class Extent(NamedTuple):
    """The range from an offset up to, not including, another."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name at its place. `declares` is the extent of its declaration, None if it is a use; `kind` is the template
    of a variable, or the type of an attribute. `choices` could stand in its place."""

    extent: Extent
    entity: Entity
    declares: Extent | None = None
    kind: Entity | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Names:
    """All names of a text in the order in which they stand, and the names that exist without a declaration, by choice.

    `undeclared`: a name without a declaration may come from elsewhere, as the events of a stream do. `joined`: entities
    that some name refers to at once, such as an attribute of several templates.
    """

    names: tuple[Name, ...]
    given_names: Mapping[Choice, Sequence[str]] = field(default_factory=dict)
    undeclared: bool = False
    joined: Sequence[frozenset[Entity]] = ()

    def together(self, entity: Entity) -> frozenset[Entity]:
        """Return the entities that must have the same name as an entity, and itself."""
        joined, left = {entity}, [entity]
        while left:
            member = left.pop()
            more = {member_of_group for group in self.joined if member in group for member_of_group in group} - joined
            joined |= more
            left += more
        return frozenset(joined)

    @cached_property
    def _by_entity(self) -> Mapping[Entity, Sequence[Name]]:
        return _by_entity(self.names)

    @cached_property
    def _declarations(self) -> Mapping[Entity, Sequence[Name]]:
        return _by_entity(name for name in self.names if name.declares is not None)

    def at(self, offset: int) -> Name | None:
        """Return the name that contains an offset or ends there."""
        index = bisect_right(self.names, offset, key=lambda name: name.extent.start) - 1
        return self.names[index] if index >= 0 and offset <= self.names[index].extent.end else None

    def of(self, entity: Entity) -> Sequence[Name]:
        """Return all names that refer to an entity, and to those that are joined to it."""
        return self._joined(self._by_entity, entity)

    def declarations(self, entity: Entity) -> Sequence[Name]:
        """Return the declarations of an entity: none, one, or several, by the language or by mistake."""
        return self._joined(self._declarations, entity)

    def _joined(self, grouped: Mapping[Entity, Sequence[Name]], entity: Entity) -> Sequence[Name]:
        if not self.joined:
            return grouped.get(entity, ())
        names = (name for joined_entity in self.together(entity) for name in grouped.get(joined_entity, ()))
        return sorted(names, key=lambda name: name.extent.start)

    def candidates(self, choice: Choice) -> dict[str, Name | None]:
        """Return the names that a choice offers, each with its declaration, or None if it exists without one."""
        offered: dict[str, Name | None] = dict.fromkeys(self.given_names.get(choice, ()))
        for entity in self._by_entity:
            if entity[:2] == choice[:2] and (choice.only is None or entity.name in choice.only):
                declarations = self.declarations(entity)
                if declarations or self.undeclared:
                    offered.setdefault(entity.name, next(iter(declarations), None))
        return offered


def _by_entity(names: Iterable[Name]) -> Mapping[Entity, Sequence[Name]]:
    grouped: dict[Entity, list[Name]] = {}
    for name in names:
        grouped.setdefault(name.entity, []).append(name)
    return grouped


def extent_of(token: Token, last: Token | None = None) -> Extent:
    """Return the extent of a token, or of a sequence of tokens."""
    return Extent(token.start_pos, (last or token).end_pos)


def kind_at(tokens: Sequence[Token], index: int) -> str:
    """Return the kind of a token, "" beyond both ends."""
    return tokens[index].type if 0 <= index < len(tokens) else ""


def word_at(tokens: Sequence[Token], index: int) -> str:
    """Return a word, "" if there is none at the index."""
    return tokens[index].value if kind_at(tokens, index) == "NAME" else ""
