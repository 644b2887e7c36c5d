"""The enumeration of the results that a node represents (specification: cel-enumeration; T Algorithm 2).

A share of the results is the `count` paths from the `skipped`-th on (T's δ and σ); without a count it is all of them.
Of each node that is entered, at least one path in the window is printed after the skipped ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.repairs import ALL_ON, Repairs
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Union

Path = tuple["Path | None", int, Label]
"""The marked events of a path from the last: a linked list that begins with the first; None for no event."""


@dataclass(frozen=True, slots=True)
class Found:
    """A path: its start, and its marked events with their labels in order."""

    start: int
    marks: tuple[tuple[int, Label], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A node to enter, with the marks before it, and which of its paths to print."""

    node: Node
    behind: Path | None
    skipped: int
    count: int | None


Counts = Callable[[Node], int]
"""The number of paths of a node in the window."""


def enumerate_paths(
    root: Node,
    least: int,
    visit: Callable[[], object],
    share: tuple[int, int] | None = None,
    counts: Counts | None = None,
) -> Iterator[Found]:
    """Yield the paths of a node with starts of at least `least`; of these a share: the number to skip, and the number
    to print. Call `visit` for each node that is entered."""
    if root.greatest < least or share == (0, 0):
        return
    skipped, count = share or (0, None)
    stack = [Place(root, None, skipped, count)]
    while stack:
        place: Place | None = stack.pop()
        while place is not None:
            visit()
            node = place.node
            if isinstance(node, Bottom):
                yield enum_bottom(node, place)
                place = None
            elif isinstance(node, Output):
                place = enum_output(node, place)
            else:
                place, later = enum_union(node, place, least, counts)
                if later is not None:
                    stack.append(later)


@rule("ENUM-BOTTOM", "lines 10-12", "5.4")
def enum_bottom(node: Bottom, place: Place) -> Found:
    """The path ends: print it."""
    marks, left = [], place.behind
    while left is not None:
        left, position, label = left
        marks.append((position, label))
    return Found(node.position, tuple(marks))


@rule("ENUM-OUTPUT", "lines 13-15", "5.4")
def enum_output(node: Output, place: Place) -> Place:
    """Put a marked event in front of the later ones."""
    assert node.next is not None, "a forgotten node was entered"
    return Place(node.next, (place.behind, node.position, node.label), place.skipped, place.count)


@rule("ENUM-UNION", "lines 16-28", "5.4")
def enum_union(node: Union, place: Place, least: int, counts: Counts | None) -> tuple[Place | None, Place | None]:
    """The paths to print of the left node, which comes first, and of the right one, which waits; None where there are
    none."""
    left, right = node.left, node.right
    assert left is not None, "a forgotten node was entered"
    assert right is not None, "a forgotten node was entered"
    if place.count is None or counts is None:
        later = Place(right, place.behind, 0, None) if right.greatest >= least else None
        return Place(left, place.behind, 0, None), later
    beyond = counts(right) if right.greatest >= least else 0
    here, there = divided(place.skipped, place.count, counts(left), beyond)
    return (
        Place(left, place.behind, *here) if here[1] > 0 else None,
        Place(right, place.behind, *there) if there[1] > 0 else None,
    )


def divided(skipped: int, count: int, left: int, right: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the numbers of paths to skip and to print on the left and on the right, if these have `left` and `right`
    paths."""
    here = max(0, min(count, left - skipped))
    beyond = max(0, skipped - left)
    there = max(0, min(count - here, right - beyond))
    return (min(skipped, left), here), (beyond, there)


@rule("SHARE", "line 2, line 3", "5.4")
def share(results: int, processes: int, index: int, repairs: Repairs = ALL_ON) -> tuple[int, int]:
    """The number of the results that a process skips, and the number that it prints: all print as many, the first ones
    one more if the division has a remainder. Unrepaired, indices count from 1, and all are to print as many as the
    first."""
    index = index if repairs.indices_from_zero else index + 1
    if not repairs.balanced_shares:
        size = -(-results // processes)
        return index * size, size
    size, left = divmod(results, processes)
    return index * size + min(index, left), size + (1 if index < left else 0)


@rule("TECS-PATHS", "paths", "5.1")
def counted(root: Node, least: int, visit: Callable[[], object] = lambda: None) -> Counts:
    """The number of paths with starts of at least `least` of each node under a root, by one pass over the live nodes.
    `visit` is called for each node."""
    known: dict[int, int] = {}
    stack: list[Node] = [root]
    while stack:
        node = stack[-1]
        if id(node) in known:
            stack.pop()
            continue
        if node.greatest < least:
            known[id(node)] = 0
        elif isinstance(node, Bottom):
            known[id(node)] = 1
        else:
            parts = [node.next] if isinstance(node, Output) else [node.left, node.right]
            missing = [part for part in parts if part is not None and id(part) not in known]
            if missing:
                stack.extend(missing)
                continue
            known[id(node)] = sum(known[id(part)] for part in parts if part is not None)
        visit()
        stack.pop()
    return lambda node: known[id(node)]
