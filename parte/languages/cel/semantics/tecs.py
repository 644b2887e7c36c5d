"""The timed enumerable compact set: a graph of the partial results (specification: cel-tecs; T §5.1).

A node represents all paths from it to bottoms. A path is a start and the events marked on it. Only three functions
create nodes, and nodes do not change, except that they are forgotten. `greatest` is what T calls max(n): the greatest
start, in the unit of the window (a position, or a timestamp). T stores the number of paths at each node; this number
grows with the stream without bound, in digits too. It is counted where it is needed, in the window
(`enumeration.counted`).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeVar

from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.rulebook import rule


@dataclass(slots=True, eq=False, weakref_slot=True)
class Bottom:
    """The start of a path, at a position of the stream."""

    position: int
    greatest: int
    depth: int = 0


@dataclass(slots=True, eq=False, weakref_slot=True)
class Output:
    """An event that is marked on all paths through this node. A forgotten node has no next node."""

    position: int
    label: Label
    next: Node | None
    greatest: int
    depth: int = 0


@dataclass(slots=True, eq=False, weakref_slot=True)
class Union:
    """The paths of two nodes. `depth` is T's output-depth: the number of unions on the way left to the first other
    node."""

    left: Node | None
    right: Node | None
    greatest: int
    depth: int


Node = Bottom | Output | Union
N = TypeVar("N", Bottom, Output, Union)


class Tecs:
    """The set itself (T's 𝓔): it stores each new node by its greatest start until no window reaches it.

    Unless it is `bounded` by a window, it stores nothing: Python drops a node when nothing refers to it. `count` counts
    nodes.
    """

    def __init__(self, *, bounded: bool) -> None:
        self.bounded = bounded
        self.count = 0
        self._starts: deque[int] = deque()
        self._kept: dict[int, list[Node]] = {}

    def add(self, node: N) -> N:
        """Count and store a new node."""
        self.count += 1
        if self.bounded:
            if node.greatest not in self._kept:
                self._starts.append(node.greatest)
                self._kept[node.greatest] = []
            self._kept[node.greatest].append(node)
        return node

    def forget(self, least: int) -> None:
        """Drop what follows the nodes that have no start of at least `least`. `least` must not decrease."""
        while self._starts and self._starts[0] < least:
            for node in self._kept.pop(self._starts.popleft()):
                if isinstance(node, Output):
                    node.next = None
                elif isinstance(node, Union):
                    node.left = node.right = None

    @property
    def remembered(self) -> int:
        """The number of nodes that a window may still reach."""
        return sum(map(len, self._kept.values()))


@rule("TECS-BOTTOM", "new-bottom", "5.1")
def new_bottom(tecs: Tecs, position: int, start: int) -> Bottom:
    """A node for the runs that begin at a position; `start` is that place in the unit of the window."""
    return tecs.add(Bottom(position, start))


@rule("TECS-EXTEND", "extend", "5.1")
def extend(tecs: Tecs, node: Node, position: int, label: Label) -> Output:
    """The paths of a node, each with one more marked event."""
    return tecs.add(Output(position, label, node, node.greatest))


@rule("TECS-UNION", "union", "5.1")
def union(tecs: Tecs, left: Node, right: Node) -> Union:
    """The paths of two safe nodes with the same greatest start, as a safe node (T fig. 5.1)."""
    if not isinstance(left, Union):
        return joined(tecs, left, right)
    if not isinstance(right, Union):
        return joined(tecs, right, left)
    first, second = in_order(_right(left), _right(right))
    return joined(tecs, _left(left), joined(tecs, _left(right), joined(tecs, first, second)))


def in_order(left: Node, right: Node) -> tuple[Node, Node]:
    """Return two nodes, the one with the greater start first."""
    return (left, right) if left.greatest >= right.greatest else (right, left)


def joined(tecs: Tecs, left: Node, right: Node) -> Union:
    """Return a plain union: the left paths before the right ones. The left node must not have the smaller start."""
    return tecs.add(Union(left, right, left.greatest, left.depth + 1))


def _left(node: Union) -> Node:
    assert node.left is not None, "a forgotten node was used"
    return node.left


def _right(node: Union) -> Node:
    assert node.right is not None, "a forgotten node was used"
    return node.right


def safe(node: Node) -> bool:
    """Return whether a node may be an argument of `union`, and a member of a union-list."""
    return not isinstance(node, Union) or (node.depth == 1 and node.right is not None and node.right.depth <= 2)
