"""Trees of frozen dataclasses: their parts, walks over them, and copies with changed parts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from types import NoneType
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from parte.semantics.source.spans import Spanned

N = TypeVar("N")
M = TypeVar("M")


class Literal(Spanned):
    """A value. `1`, `1.0` and `true` are three literals."""

    value: int | float | str | bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and (type(self.value), self.value) == (type(other.value), other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


class Tree(Generic[N]):
    """The trees whose nodes are instances of the classes of a union.

    The parts of a node are the values of those fields whose type consists of these classes alone, or is a tuple of
    them. The type may be optional; then None is not a part.
    """

    def __init__(self, union: object) -> None:
        self._kinds = frozenset(map(_name, get_args(union)))
        self._shapes: dict[type, tuple[tuple[str, bool], ...]] = {}
        self._others: dict[type, tuple[str, ...]] = {}

    def parts(self, node: N) -> tuple[N, ...]:
        """Return the parts of a node, in the order of its fields."""
        parts: list[N] = []
        for name, several in self._shape(node):
            value = getattr(node, name)
            if several:
                parts += value
            elif value is not None:
                parts.append(value)
        return tuple(parts)

    def likeness(self, node: N, value_of: Callable[[str, Any], Hashable]) -> Hashable:
        """Return a value that is equal for equal trees, if the values of fields that are no parts are equal.

        `value_of` returns them from the name of a field and its value. Fields that comparisons ignore have no effect.
        """
        kind = type(node)
        if kind not in self._others:
            parts = {name for name, _ in self._shape(node)}
            compared = [field.name for field in fields(cast(Any, kind)) if field.compare]
            self._others[kind] = tuple(name for name in compared if name not in parts)
        others = [value_of(name, getattr(node, name)) for name in self._others[kind]]
        return cast(Hashable, kind), *others, *[self.likeness(part, value_of) for part in self.parts(node)]

    def rebuilt(self, node: M, parts: Sequence[N]) -> M:
        """Return the node with other parts, the same number; the node itself if they are its own parts."""
        left = iter(parts)
        changed: dict[str, object] = {}
        for name, several in self._shape(node):
            before = _held(node, name, several)
            after = tuple(islice(left, len(before)))
            if not all(map(operator.is_, after, before)):
                changed[name] = after if several else after[0]
        return replace(cast(Any, node), **changed) if changed else node

    def within(self, node: N) -> Iterator[N]:
        """Return the node and all its descendants, each before its parts, at any depth."""
        left = [node]
        while left:
            node = left.pop()
            yield node
            left += self.parts(node)[::-1]

    def all(self, node: N) -> list[N]:
        """Return the node and all its descendants, in any order."""
        nodes = [node]
        for part in nodes:
            nodes += self.parts(part)
        return nodes

    def mapped(self, node: M, change: Callable[[N], N]) -> M:
        """Return the node after `change` is applied to all its descendants, parts first.

        The result of `change` must be of a type that is allowed in its place.
        """
        root = cast(N, node)
        changed = self.rebuilt(root, [self.mapped(part, change) for part in self.parts(root)])
        return cast(M, change(changed))

    def exchanged(self, node: M, old: N, new: N) -> M:
        """Return the node with `new` in the place of the node `old` (compared by identity)."""
        root = cast(N, node)
        if root is old:
            return cast(M, new)
        return cast(M, self.rebuilt(root, [self.exchanged(part, old, new) for part in self.parts(root)]))

    def _shape(self, node: object) -> tuple[tuple[str, bool], ...]:
        kind = type(node)
        if kind not in self._shapes:
            hints = get_type_hints(kind)
            shape = []
            for field in fields(cast(Any, kind)):
                hint = hints[field.name]
                several = get_origin(hint) is tuple and get_args(hint)[1:] == (...,)
                if self._is_node(get_args(hint)[0] if several else hint):
                    shape.append((field.name, several))
            self._shapes[kind] = tuple(shape)
        return self._shapes[kind]

    def _is_node(self, hint: object) -> bool:
        kinds = {hint} if isinstance(hint, type) else set(get_args(hint)) - {NoneType}
        return bool(kinds) and self._kinds.issuperset(map(_name, kinds))


def _name(kind: object) -> tuple[str, str]:
    """Return module and name of a class. Classes are compared by these: a reloaded module defines its classes again."""
    return getattr(kind, "__module__", ""), getattr(kind, "__qualname__", "")


def _held(node: object, name: str, several: bool) -> tuple[Any, ...]:
    """Return the nodes in a field: the items of its tuple, or its one value, or nothing."""
    value = getattr(node, name)
    if several:
        return tuple(value)
    return () if value is None else (value,)
