"""The timed enumerable compact set: what may still become a result, as a graph (specification: cel-tecs; T §5.1).

A node stands for all paths from it to bottoms. A path is a start and the events marked on it. Nodes are made by three
functions only, and are not changed but to be forgotten. `greatest` is what T calls max(n): the greatest start, in the
unit of the window (a position, or a timestamp). The number of paths, which T keeps at each node, grows with the stream
without bound, in digits too; it is counted where it is needed, in the window (`enumeration.counted`).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeVar

from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.rulebook import rule


@dataclass(slots=True, eq=False, weakref_slot=True)
class Bottom:
    """Where a path begins, at a position of the stream."""

    position: int
    greatest: int
    depth: int = 0


@dataclass(slots=True, eq=False, weakref_slot=True)
class Output:
    """An event that is marked on all paths through here. Forgotten, it leads nowhere."""

    position: int
    label: Label
    next: Node | None
    greatest: int
    depth: int = 0


@dataclass(slots=True, eq=False, weakref_slot=True)
class Union:
    """The paths of two nodes. `depth` is T's output-depth: unions on the way left to the first other node."""

    left: Node | None
    right: Node | None
    greatest: int
    depth: int


Node = Bottom | Output | Union
N = TypeVar("N", Bottom, Output, Union)


class Tecs:
    """The set itself (T's 𝓔): what is made is remembered by its greatest start until no window reaches it.

    Unless it is `bounded` by a window, it remembers nothing: nodes go when nothing leads to them. `made` counts nodes.
    """

    def __init__(self, *, bounded: bool) -> None:
        self.bounded = bounded
        self.made = 0
        self._starts: deque[int] = deque()
        self._kept: dict[int, list[Node]] = {}

    def add(self, node: N) -> N:
        """Remember a node that was made."""
        self.made += 1
        if self.bounded:
            if node.greatest not in self._kept:
                self._starts.append(node.greatest)
                self._kept[node.greatest] = []
            self._kept[node.greatest].append(node)
        return node

    def forget(self, least: int) -> None:
        """Let go what nodes lead to that have no start of at least `least`. Starts must not fall."""
        while self._starts and self._starts[0] < least:
            for node in self._kept.pop(self._starts.popleft()):
                if isinstance(node, Output):
                    node.next = None
                elif isinstance(node, Union):
                    node.left = node.right = None

    @property
    def remembered(self) -> int:
        """How many nodes a window may still reach."""
        return sum(map(len, self._kept.values()))


@rule("TECS-BOTTOM", "new-bottom", "5.1")
def new_bottom(tecs: Tecs, position: int, start: int) -> Bottom:
    """A node for what begins at a position; `start` is that place in the unit of the window."""
    return tecs.add(Bottom(position, start))


@rule("TECS-EXTEND", "extend", "5.1")
def extend(tecs: Tecs, node: Node, position: int, label: Label) -> Output:
    """The paths of a node, each with one more marked event."""
    return tecs.add(Output(position, label, node, node.greatest))


@rule("TECS-UNION", "union", "5.1")
def union(tecs: Tecs, one: Node, other: Node) -> Union:
    """The paths of two safe nodes with the same greatest start, as a safe node (T fig. 5.1)."""
    if not isinstance(one, Union):
        return joined(tecs, one, other)
    if not isinstance(other, Union):
        return joined(tecs, other, one)
    first, second = in_order(_right(one), _right(other))
    return joined(tecs, _left(one), joined(tecs, _left(other), joined(tecs, first, second)))


def in_order(one: Node, other: Node) -> tuple[Node, Node]:
    """Two nodes, that with the greater start first."""
    return (one, other) if one.greatest >= other.greatest else (other, one)


def joined(tecs: Tecs, left: Node, right: Node) -> Union:
    """A union as it is: the left paths before the right ones. The left node must not have the smaller start."""
    return tecs.add(Union(left, right, left.greatest, left.depth + 1))


def _left(node: Union) -> Node:
    assert node.left is not None, "a forgotten node was used"
    return node.left


def _right(node: Union) -> Node:
    assert node.right is not None, "a forgotten node was used"
    return node.right


def safe(node: Node) -> bool:
    """Whether a node may be given to `union`, and put into a union-list."""
    return not isinstance(node, Union) or (node.depth == 1 and node.right is not None and node.right.depth <= 2)
