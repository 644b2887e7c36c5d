"""Arbitrary nodes, lists and events as the subjects of the lemmas about CEL."""

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
    """Return a set that stores nothing."""
    return Tecs(bounded=False)


def bottom(run: Run, name: str) -> Bottom:
    """Return a bottom with an arbitrary start."""
    return Bottom(0, run.integer(f"greatest start of {name}"))


def leaf(run: Run, name: str) -> Bottom | Output:
    """Return a node that is no union, with an arbitrary greatest start; no proof may use the next node of an output."""
    start = run.integer(f"greatest start of {name}")
    if run.truth(f"{name} is a bottom"):
        return Bottom(0, start)
    return Output(0, LABEL, None, start)


def deep(run: Run, name: str, depth: int) -> Node:
    """Return a node of at most a given depth, whose parts no proof may use."""
    if depth == 0 or run.truth(f"{name} is no union"):
        return bottom(run, name)
    actual = run.integer(f"depth of {name}")
    run.assume(at_most(1, actual), at_most(actual, depth))
    return Union(None, None, run.integer(f"greatest start of {name}"), actual)


def safe_node(run: Run, name: str) -> Node:
    """Return any safe node: no union, or a union of a bottom and of a node of depth two at most, in order of time."""
    if choice(run, f"{name} is", ("a leaf", "a union")) == "a leaf":
        return leaf(run, name)
    left, right = bottom(run, f"left of {name}"), deep(run, f"right of {name}", 2)
    run.assume(at_most(right.greatest, left.greatest))
    return Union(left, right, left.greatest, 1)


def known_parts(*nodes: Node) -> list[Node]:
    """Return the parts of safe nodes that have parts, and the other nodes themselves: the possible parts of a node over
    them."""
    return [
        part
        for node in nodes
        for part in ((node.left, node.right) if isinstance(node, Union) and node.left is not None else (node,))
        if part is not None
    ]


def alike_in_start(run: Run, first: Node, second: Node) -> None:
    """Assume that two nodes have the same greatest start."""
    run.assume(equal(first.greatest, second.greatest))


def small_safe_node(run: Run, name: str) -> Node:
    """Return a safe node: a bottom, or a union of one and of a union of depth two at most."""
    left = bottom(run, name)
    if run.truth(f"{name} is a bottom"):
        return left
    depth, start = run.integer(f"depth right of {name}"), run.integer(f"greatest start right of {name}")
    run.assume(at_most(0, depth), at_most(depth, 2), at_most(start, left.greatest))
    return Union(left, Union(None, None, start, depth), left.greatest, 1)


def list_of(run: Run, length: int, name: str = "") -> tuple[Bottom, ...]:
    """Return a union-list of `length` nodes: the first has the greatest start, after it the starts descend strictly."""
    head, *others = (bottom(run, f"{name}{number}") for number in range(length))
    run.assume(*(at_most(node.greatest, head.greatest) for node in others), falling(others))
    return head, *others
