"""Trees of frozen dataclasses: the parts of a node, all its descendants, and the node with other parts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
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
    """The trees whose nodes are of the classes of a union.

    A field holds parts of a node if its type, or the item type of its tuple, consists of these classes alone; the type
    may be optional.
    """

    def __init__(self, union: object) -> None:
        self._kinds = frozenset(map(_name, get_args(union)))
        self._shapes: dict[type, tuple[tuple[str, bool], ...]] = {}

    def parts(self, node: N) -> tuple[N, ...]:
        """Return the parts of a node, in the order of its fields."""
        found: list[N] = []
        for name, several in self._shape(node):
            found.extend(_held(node, name, several))
        return tuple(found)

    def rebuilt(self, node: M, parts: Sequence[N]) -> M:
        """The node with other parts, as many; the node itself if they are its own."""
        left = iter(parts)
        changed: dict[str, object] = {}
        for name, several in self._shape(node):
            before = _held(node, name, several)
            after = tuple(islice(left, len(before)))
            if not all(map(operator.is_, after, before)):
                changed[name] = after if several else after[0]
        return replace(cast(Any, node), **changed) if changed else node

    def within(self, node: N) -> Iterator[N]:
        """The node and everything in it, each before its parts, however deep."""
        left = [node]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed(self.parts(node)))

    def mapped(self, node: M, change: Callable[[N], N]) -> M:
        """Return the node with everything in it changed, parts first; a changed part must fit its field."""
        given = cast(N, node)
        made = self.rebuilt(given, [self.mapped(part, change) for part in self.parts(given)])
        return cast(M, change(made))

    def exchanged(self, node: M, old: N, new: N) -> M:
        """The node with `new` where it holds `old`, that very node."""
        given = cast(N, node)
        if given is old:
            return cast(M, new)
        return cast(M, self.rebuilt(given, [self.exchanged(part, old, new) for part in self.parts(given)]))

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
    """The name of a class: a module that is loaded once more has its own classes, but the hints of the first."""
    return getattr(kind, "__module__", ""), getattr(kind, "__qualname__", "")


def _held(node: object, name: str, several: bool) -> tuple[Any, ...]:
    """Return the values of a field as a tuple: the items of its tuple, its single value, or nothing."""
    value = getattr(node, name)
    if several:
        return tuple(value)
    return () if value is None else (value,)
