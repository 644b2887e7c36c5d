"""Arbitrary nodes, lists and events for the lemmas about CEL to speak of."""

from __future__ import annotations

from parte.languages.cel.proofs.statements import falling
from parte.languages.cel.semantics import union_lists
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Tecs, Union
from parte.proofs.any_length import understood_by
from parte.proofs.statements import at_most, equal
from parte.proofs.symbolic import Run, choice

understood_by(vars(union_lists))

LABEL = frozenset("•")


def compact_set() -> Tecs:
    """A set that remembers nothing."""
    return Tecs(bounded=False)


def bottom(run: Run, name: str) -> Bottom:
    """A bottom with an arbitrary start."""
    return Bottom(0, run.integer(f"greatest start of {name}"))


def leaf(run: Run, name: str) -> Bottom | Output:
    """A node that is no union, with an arbitrary greatest start; what an output leads to nobody may ask."""
    start = run.integer(f"greatest start of {name}")
    if run.truth(f"{name} is a bottom"):
        return Bottom(0, start)
    return Output(0, LABEL, None, start)


def deep(run: Run, name: str, depth: int) -> Node:
    """A node of at most a given depth, whose parts nobody may ask for."""
    if depth == 0 or run.truth(f"{name} is no union"):
        return bottom(run, name)
    actual = run.integer(f"depth of {name}")
    run.assume(at_most(1, actual), at_most(actual, depth))
    return Union(None, None, run.integer(f"greatest start of {name}"), actual)


def safe_node(run: Run, name: str) -> Node:
    """Any safe node: no union, or a union of one that is none and one of depth two at most, in order of time."""
    if choice(run, f"{name} is", ("a leaf", "a union")) == "a leaf":
        return leaf(run, name)
    left, right = bottom(run, f"left of {name}"), deep(run, f"right of {name}", 2)
    run.assume(at_most(right.greatest, left.greatest))
    return Union(left, right, left.greatest, 1)


def known_parts(*nodes: Node) -> list[Node]:
    """The nodes that are in safe nodes, or these themselves: what a node over them may consist of."""
    return [
        part
        for node in nodes
        for part in ((node.left, node.right) if isinstance(node, Union) and node.left is not None else (node,))
        if part is not None
    ]


def alike_in_start(run: Run, one: Node, other: Node) -> None:
    """Assume that two nodes have the same greatest start."""
    run.assume(equal(one.greatest, other.greatest))


def small_safe_node(run: Run, name: str) -> Node:
    """A safe node: a bottom, or a union of one and of a union of depth two at most."""
    left = bottom(run, name)
    if run.truth(f"{name} is a bottom"):
        return left
    depth, start = run.integer(f"depth right of {name}"), run.integer(f"greatest start right of {name}")
    run.assume(at_most(0, depth), at_most(depth, 2), at_most(start, left.greatest))
    return Union(left, Union(None, None, start, depth), left.greatest, 1)


def list_of(run: Run, length: int, name: str = "") -> tuple[Bottom, ...]:
    """A union-list of so many nodes: the first has the greatest start, behind it the starts fall strictly."""
    head, *others = (bottom(run, f"{name}{number}") for number in range(length))
    run.assume(*(at_most(one.greatest, head.greatest) for one in others), falling(others))
    return head, *others
