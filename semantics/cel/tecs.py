"""The timed enumerable compact set: what may still become a result, as a graph (specification: cel-tecs; T §5.1).

A node stands for all paths from it to bottoms. A path is a start and the events marked on it. Nodes are made by three
functions only, and are not changed but to be forgotten. `greatest` is what T calls max(n): the greatest start, in the
unit of the window (a position, or a timestamp). The number of paths, which T keeps at each node, grows with the stream
without bound, in digits too; it is counted where it is needed, in the window (`enumeration.counted`).
"""

from __future__ import annotations

from dataclasses import dataclass

from parte.semantics.cel.automata import Label
from parte.semantics.cel.rulebook import rule


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


@rule("TECS-BOTTOM", "new-bottom", "5.1")
def new_bottom(position: int, start: int) -> Bottom:
    """A node for what begins at a position; `start` is that place in the unit of the window."""
    return Bottom(position, start)


@rule("TECS-EXTEND", "extend", "5.1")
def extend(node: Node, position: int, label: Label) -> Output:
    """The paths of a node, each with one more marked event."""
    return Output(position, label, node, node.greatest)


@rule("TECS-UNION", "union", "5.1")
def union(one: Node, other: Node) -> Union:
    """The paths of two safe nodes with the same greatest start, as a safe node (T fig. 5.1)."""
    if not isinstance(one, Union):
        return joined(one, other)
    if not isinstance(other, Union):
        return joined(other, one)
    first, second = in_order(_right(one), _right(other))
    return joined(_left(one), joined(_left(other), joined(first, second)))


def in_order(one: Node, other: Node) -> tuple[Node, Node]:
    """Two nodes, that with the greater start first."""
    return (one, other) if one.greatest >= other.greatest else (other, one)


def joined(left: Node, right: Node) -> Union:
    """A union as it is: the left paths before the right ones. The left node must not have the smaller start."""
    return Union(left, right, left.greatest, left.depth + 1)


def _left(node: Union) -> Node:
    assert node.left is not None, "a forgotten node was used"
    return node.left


def _right(node: Union) -> Node:
    assert node.right is not None, "a forgotten node was used"
    return node.right


def safe(node: Node) -> bool:
    """Whether a node may be given to `union`, and put into a union-list."""
    return not isinstance(node, Union) or (node.depth == 1 and node.right is not None and node.right.depth <= 2)


def forget(node: Node) -> None:
    """Let go what a node leads to: no window reaches any of its paths."""
    if isinstance(node, Output):
        node.next = None
    elif isinstance(node, Union):
        node.left = node.right = None
