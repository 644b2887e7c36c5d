"""Union-lists: the paths that lead to a state, as safe nodes by their greatest starts (specification: cel-union-lists;
T §5.2).

A list is n_0, n_1, …, n_k: n_0 is no union and no other has a greater start; from n_1 on the starts descend strictly.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import reduce

from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Tecs, joined, union

UnionList = tuple[Node, ...]


@rule("ULIST-NEW", "new-ulist", "5.2")
def new_ulist(node: Bottom | Output) -> UnionList:
    """A list of one node that is no union."""
    return (node,)


@rule("ULIST-INSERT", "insert", "5.2")
def insert(tecs: Tecs, nodes: UnionList, node: Node) -> UnionList:
    """The list with one more safe node, of no greater start than the first: in a union with the later node of the same
    start, if there is one, else inserted at its place after the first."""
    place = bisect_left(nodes, -node.greatest, 1, key=lambda member: -member.greatest)
    before, there, after = nodes[:place], nodes[place : place + 1], nodes[place + 1 :]
    for same in there:
        if same.greatest == node.greatest:
            return (*before, union(tecs, same, node), *after)
    return (*before, node, *there, *after)


@rule("ULIST-MERGE", "merge", "5.2")
def merge(tecs: Tecs, nodes: UnionList) -> Node:
    """All paths of a list as one safe node (T fig. 5.2)."""
    return reduce(lambda later, node: joined(tecs, node, later), reversed(nodes))
