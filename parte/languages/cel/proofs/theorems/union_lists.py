"""Union-lists (T §5.2): insertion keeps the order of the list, and merging gives one safe node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parte.languages.cel.proofs.settings import bottom, compact_set, deep, known_parts, leaf, list_of, small_safe_node
from parte.languages.cel.proofs.statements import falling, is_one_of, new_unions, parts, same_nodes, well_made
from parte.languages.cel.semantics.tecs import Node, safe
from parte.languages.cel.semantics.union_lists import insert, merge, new_ulist
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.sorted_sequences import Fold, SortedSequence, elements
from parte.proofs.statements import at_most, count_of, every
from parte.proofs.symbolic import Body, Claims, Run, choice

SECTION = "5.2"
LENGTHS = (1, 2, 3, 4)
_LISTS = "parte.languages.cel.semantics.union_lists"


def _inserted(members: Sequence[Node], head: Node, others: Sequence[Node], node: Node) -> Claims:
    """Return the claims about a list into which a node was inserted."""
    known = known_parts(head, *others, node)
    there = [part for member in members for part in parts(member, known)]
    unions = [union for member in members for union in new_unions(member, known)]
    return (
        ("the first node stays the first", is_one_of(members[0], (head,))),
        (
            "no start is greater than that of the first",
            every(at_most(member.greatest, head.greatest) for member in members),
        ),
        ("behind the first the starts fall", falling(members[1:])),
        ("every node is safe", all(safe(member) for member in members)),
        ("the paths are those of the list and of the node, each once", same_nodes(there, known)),
        ("it is at most one longer", at_most(count_of(members), count_of([head, *others, node]))),
        *(claim for union in unions for claim in well_made(union, known, parts(union, known))),
    )


def inserting(run: Run) -> Claims:
    """Insertion into a list of any length, searched by bisection."""
    head = bottom(run, "the first")
    others: list[Node] = []

    def element(name: str) -> Node:
        member = small_safe_node(run, name) if "at" in name.split() else bottom(run, name)
        run.assume(at_most(member.greatest, head.greatest))
        others.append(member)
        return member

    node = small_safe_node(run, "the node")
    run.assume(at_most(node.greatest, head.greatest))
    nodes: Any = SortedSequence(run, head, element)
    members: list[Node] = elements(insert(compact_set(), nodes, node))
    return _inserted(members, head, others, node)


def inserting_into(run: Run) -> Claims:
    """Insertion into lists of one to four nodes, at the place that Python's bisection finds."""
    head, *others = list_of(run, choice(run, "length", LENGTHS))
    node = bottom(run, "the node")
    run.assume(at_most(node.greatest, head.greatest))
    return _inserted(list(insert(compact_set(), (head, *others), node)), head, others, node)


def merging_step(run: Run) -> Claims:
    """The last node of a list alone, or any node in front of the merge of the later nodes."""
    last, first, rest = small_safe_node(run, "last"), small_safe_node(run, "one"), deep(run, "rest", 2)
    run.assume(at_most(rest.greatest, first.greatest))
    nodes: Any = Fold(run, last, first, rest)
    merged = merge(compact_set(), nodes)
    members = (last,) if merged is last else (first, rest)
    claims = (*well_made(merged, members, members), ("it is at most two deep", at_most(merged.depth, 2)))
    return (*claims, ("in front of all it is safe", safe(merged))) if members[0].depth == 0 else claims


def merging(run: Run) -> Claims:
    """Lists of one to six nodes."""
    nodes = list_of(run, choice(run, "length", (*LENGTHS, 5, 6)))
    merged = merge(compact_set(), nodes)
    return (("it is safe", safe(merged)), *well_made(merged, nodes, nodes))


def beginning(run: Run) -> Claims:
    """A list of one node that is no union."""
    node = leaf(run, "node")
    return (("it has that node", same_nodes(new_ulist(node), [node])),)


def _lemma(name: str, statement: str, rule: str, scope: str, body: Body, mutant: Mutant) -> Lemma:
    return Lemma(name, statement, SECTION, (rule,), scope, body, mutant, HOLDS)


_INSERTED = "A node is put in at its place behind the first, or united with the one of its start; no path is lost."
_MERGED = "The merged list is one safe node, in order of time, with the paths of all."

LEMMAS = (
    _lemma(
        "lists-of-any-length-keep-their-order",
        _INSERTED,
        "CORE/ULIST-INSERT",
        "lists of any length, any starts; that bisection finds what Python documents is taken for granted",
        inserting,
        Mutant("replace-the-same", f"{_LISTS}:insert", "union(tecs, same, node)", "node"),
    ),
    _lemma(
        "short-lists-keep-their-order",
        _INSERTED,
        "CORE/ULIST-INSERT",
        "lists of 1 to 4 nodes, any starts",
        inserting_into,
        Mutant(
            "right-behind-the-first",
            f"{_LISTS}:insert",
            "bisect_left(nodes, -node.greatest, 1, key=lambda member: -member.greatest)",
            "1",
        ),
    ),
    _lemma(
        "lists-are-merged-node-by-node",
        "A node in front of what was made of those behind it is in order of time, with all paths, at most two deep.",
        "CORE/ULIST-MERGE",
        "lists of any length, by induction from the last node on; safe nodes of every shape, any starts",
        merging_step,
        Mutant("swap-them", f"{_LISTS}:merge", "joined(tecs, node, later)", "joined(tecs, later, node)"),
    ),
    _lemma(
        "short-lists-are-merged",
        _MERGED,
        "CORE/ULIST-MERGE",
        "lists of 1 to 6 nodes, any starts",
        merging,
        Mutant("merge-five", f"{_LISTS}:merge", "reversed(nodes)", "reversed(nodes[:5])"),
    ),
    _lemma(
        "lists-begin-with-one-node",
        "A new list has its node and no other.",
        "CORE/ULIST-NEW",
        "unbounded",
        beginning,
        Mutant("twice", f"{_LISTS}:new_ulist", "(node,)", "(node, node)"),
    ),
)
