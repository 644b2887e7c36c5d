"""What the lemmas about CEL are stated with, beside `proofs.statements`: sums, and what nodes of the compact set are.

A theorem holds no comparison and no arithmetic of its own (a test sees to that).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import add

from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Union
from parte.proofs.statements import at_most, equal, every, some
from parte.proofs.symbolic import Claims

# --- Numbers ----------------------------------------------------------------------------------------------------------


def total(*numbers: int) -> int:
    """Their sum."""
    return reduce(add, numbers)


def less(number: int, other: int) -> int:
    """The first without the second."""
    return number - other


def times(factor: int, number: int) -> int:
    """A number some times."""
    return factor * number


def within(low: int, number: int, count: int) -> bool:
    """The number is one of so many from the lowest on."""
    return every((low <= number, number < low + count))


# --- Nodes ------------------------------------------------------------------------------------------------------------


def made(node: Node, given: Sequence[Node]) -> Iterator[Union]:
    """The unions in a node that are not given: those that the code made."""
    if isinstance(node, Union) and not is_one_of(node, given):
        yield node
        for part in (node.left, node.right):
            if part is not None:
                yield from made(part, given)


def parts(node: Node, given: Sequence[Node]) -> list[Node]:
    """The nodes under unions that the code made, from the left."""
    if not isinstance(node, Union) or is_one_of(node, given):
        return [node]
    return [one for part in (node.left, node.right) if part is not None for one in parts(part, given)]


def is_one_of(node: Node, nodes: Iterable[Node]) -> bool:
    """It is one of these nodes, not one like it."""
    return any(node is one for one in nodes)


def same_nodes(found: Sequence[Node], expected: Sequence[Node]) -> bool:
    """They are the same nodes, each as often, in whatever order."""
    return sorted(map(id, found)) == sorted(map(id, expected))


def well_made(node: Node, given: Sequence[Node], expected: Sequence[Node]) -> Claims:
    """What is claimed of a node over given ones: its paths, its greatest start, the order and depth of its unions."""
    unions, found = list(made(node, given)), parts(node, given)
    starts = [one.greatest for one in found]
    return (
        ("its paths are those of the given nodes, each once", same_nodes(found, expected)),
        ("no part has a greater start", every(at_most(start, node.greatest) for start in starts)),
        ("its greatest start is that of a part", some(equal(start, node.greatest) for start in starts)),
        ("on the left of each union is no smaller start", every(map(time_ordered, unions))),
        ("each union knows its greatest start", every(equal(each.greatest, _left(each).greatest) for each in unions)),
        ("each knows how deep it is", every(equal(each.depth, total(_left(each).depth, 1)) for each in unions)),
        ("no union is more than three deep", every(at_most(each.depth, 3) for each in unions)),
    )


def time_ordered(node: Union) -> bool:
    """Its left part has no smaller start than its right part."""
    left, right = _left(node), node.right
    return right is not None and at_most(right.greatest, left.greatest)


def _left(node: Union) -> Node:
    assert node.left is not None
    return node.left


def starts_of(node: Node) -> list[int]:
    """Where the paths of a node start, for each path."""
    return [bottom.greatest for bottom, _ in bottoms_of(node)]


def bottoms_of(node: Node) -> list[tuple[Bottom, tuple[int, ...]]]:
    """The bottoms that paths of a node lead to, and the positions of the events that they mark."""
    match node:
        case Bottom():
            return [(node, ())]
        case Output():
            below = [] if node.next is None else bottoms_of(node.next)
            return [(bottom, (*marked, node.position)) for bottom, marked in below]
        case Union():
            return [path for part in (node.left, node.right) if part is not None for path in bottoms_of(part)]


def falling(nodes: Sequence[Node]) -> bool:
    """Each has a smaller start than the one before."""
    return every(two.greatest < one.greatest for one, two in pairwise(nodes))


def not_rising(nodes: Sequence[Node]) -> bool:
    """None has a greater start than the one before."""
    return every(two.greatest <= one.greatest for one, two in pairwise(nodes))
