"""The vocabulary of the lemmas about CEL, besides `parte.proofs.statements`: sums, and properties of nodes of the
compact set.

A theorem contains no comparison and no arithmetic of its own (a test checks that).
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
    """Return the sum of numbers."""
    return reduce(add, numbers)


def less(minuend: int, subtrahend: int) -> int:
    """Return the first number minus the second."""
    return minuend - subtrahend


def times(factor: int, number: int) -> int:
    """Return the product of a factor and a number."""
    return factor * number


def within(low: int, number: int, count: int) -> bool:
    """Return whether the number is one of `count` numbers from the lowest on."""
    return every((low <= number, number < low + count))


# --- Nodes ------------------------------------------------------------------------------------------------------------


def new_unions(node: Node, known: Sequence[Node]) -> Iterator[Union]:
    """Yield the unions in a node that are not known: those that the code created."""
    if isinstance(node, Union) and not is_one_of(node, known):
        yield node
        for part in (node.left, node.right):
            if part is not None:
                yield from new_unions(part, known)


def parts(node: Node, known: Sequence[Node]) -> list[Node]:
    """Return the nodes under unions that the code created, from the left."""
    if not isinstance(node, Union) or is_one_of(node, known):
        return [node]
    return [inner for part in (node.left, node.right) if part is not None for inner in parts(part, known)]


def is_one_of(node: Node, nodes: Iterable[Node]) -> bool:
    """Return whether the node is identical with one of these; equal nodes do not count."""
    return any(node is candidate for candidate in nodes)


def same_nodes(actual: Sequence[Node], expected: Sequence[Node]) -> bool:
    """Return whether both contain the same nodes, each as often, in any order."""
    return sorted(map(id, actual)) == sorted(map(id, expected))


def well_made(node: Node, known: Sequence[Node], expected: Sequence[Node]) -> Claims:
    """Return the claims about a node over known ones: its paths, its greatest start, the order and depth of its
    unions."""
    unions, actual = list(new_unions(node, known)), parts(node, known)
    starts = [part.greatest for part in actual]
    return (
        ("its paths are those of the given nodes, each once", same_nodes(actual, expected)),
        ("no part has a greater start", every(at_most(start, node.greatest) for start in starts)),
        ("its greatest start is that of a part", some(equal(start, node.greatest) for start in starts)),
        ("on the left of each union is no smaller start", every(map(time_ordered, unions))),
        (
            "each union knows its greatest start",
            every(equal(new_union.greatest, _left(new_union).greatest) for new_union in unions),
        ),
        (
            "each knows how deep it is",
            every(equal(new_union.depth, total(_left(new_union).depth, 1)) for new_union in unions),
        ),
        ("no union is more than three deep", every(at_most(new_union.depth, 3) for new_union in unions)),
    )


def time_ordered(node: Union) -> bool:
    """Return whether the left part has no smaller start than the right part."""
    left, right = _left(node), node.right
    return right is not None and at_most(right.greatest, left.greatest)


def _left(node: Union) -> Node:
    assert node.left is not None
    return node.left


def starts_of(node: Node) -> list[int]:
    """Return the start of each path of a node."""
    return [bottom.greatest for bottom, _ in bottoms_of(node)]


def bottoms_of(node: Node) -> list[tuple[Bottom, tuple[int, ...]]]:
    """Return the bottoms that paths of a node lead to, with the positions of the events that they mark."""
    match node:
        case Bottom():
            return [(node, ())]
        case Output():
            below = [] if node.next is None else bottoms_of(node.next)
            return [(bottom, (*marked, node.position)) for bottom, marked in below]
        case Union():
            return [path for part in (node.left, node.right) if part is not None for path in bottoms_of(part)]


def falling(nodes: Sequence[Node]) -> bool:
    """Return whether each node has a smaller start than the one before."""
    return every(later.greatest < earlier.greatest for earlier, later in pairwise(nodes))


def not_rising(nodes: Sequence[Node]) -> bool:
    """Return whether no node has a greater start than the one before."""
    return every(later.greatest <= earlier.greatest for earlier, later in pairwise(nodes))
