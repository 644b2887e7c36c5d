"""Union-lists (T §5.2): nodes are put in so that the list keeps its order, and merged into one safe node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parte.languages.cel.proofs.settings import bottom, compact_set, deep, known_parts, leaf, list_of, small_safe_node
from parte.languages.cel.proofs.statements import falling, is_one_of, made, parts, same_nodes, well_made
from parte.languages.cel.semantics.tecs import Node, safe
from parte.languages.cel.semantics.union_lists import insert, merge, new_ulist
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.sorted_sequences import SortedSequence, elements
from parte.proofs.statements import at_most, count_of, every
from parte.proofs.symbolic import Body, Claims, Run, choice

SECTION = "5.2"
LENGTHS = (1, 2, 3, 4)
_LISTS = "parte.languages.cel.semantics.union_lists"


def _inserted(found: Sequence[Node], head: Node, others: Sequence[Node], node: Node) -> Claims:
    """What is claimed of a list into which a node was put."""
    given = known_parts(head, *others, node)
    there = [part for one in found for part in parts(one, given)]
    unions = [union for one in found for union in made(one, given)]
    return (
        ("the first node stays the first", is_one_of(found[0], (head,))),
        ("no start is greater than that of the first", every(at_most(one.greatest, head.greatest) for one in found)),
        ("behind the first the starts fall", falling(found[1:])),
        ("every node is safe", all(safe(one) for one in found)),
        ("the paths are those of the list and of the node, each once", same_nodes(there, given)),
        ("it is at most one longer", at_most(count_of(found), count_of([head, *others, node]))),
        *(claim for union in unions for claim in well_made(union, given, parts(union, given))),
    )


def inserting(run: Run) -> Claims:
    """Into a list of any length, searched by bisection."""
    head = bottom(run, "the first")
    others: list[Node] = []

    def element(name: str) -> Node:
        one = small_safe_node(run, name) if "at" in name.split() else bottom(run, name)
        run.assume(at_most(one.greatest, head.greatest))
        others.append(one)
        return one

    node = small_safe_node(run, "the node")
    run.assume(at_most(node.greatest, head.greatest))
    nodes: Any = SortedSequence(run, head, element)
    found: list[Node] = elements(insert(compact_set(), nodes, node))
    return _inserted(found, head, others, node)


def inserting_into(run: Run) -> Claims:
    """Into lists of one to four nodes, as Python's bisection finds the place."""
    head, *others = list_of(run, choice(run, "length", LENGTHS))
    node = bottom(run, "the node")
    run.assume(at_most(node.greatest, head.greatest))
    return _inserted(list(insert(compact_set(), (head, *others), node)), head, others, node)


def merging_step(run: Run) -> Claims:
    """A node of a list in front of what was made of those behind it."""
    one, rest = small_safe_node(run, "one"), deep(run, "rest", 2)
    run.assume(at_most(rest.greatest, one.greatest))
    found = merge(compact_set(), (one, rest))
    given = (one, rest)
    claims = (*well_made(found, given, given), ("it is at most two deep", at_most(found.depth, 2)))
    return (*claims, ("in front of all it is safe", safe(found))) if one.depth == 0 else claims


def merging(run: Run) -> Claims:
    """Lists of one to four nodes."""
    nodes = list_of(run, choice(run, "length", LENGTHS))
    found = merge(compact_set(), nodes)
    return (("it is safe", safe(found)), *well_made(found, nodes, nodes))


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
            "bisect_left(nodes, -node.greatest, 1, key=lambda each: -each.greatest)",
            "1",
        ),
    ),
    _lemma(
        "lists-are-merged-node-by-node",
        "A node in front of what was made of those behind it is in order of time, with all paths, at most two deep.",
        "CORE/ULIST-MERGE",
        "lists of any length: the step of an induction from the last node on; safe nodes of every shape, any starts",
        merging_step,
        Mutant("first-to-last", f"{_LISTS}:merge", "*before, node = nodes", "*before, node = reversed(nodes)"),
    ),
    _lemma(
        "short-lists-are-merged",
        _MERGED,
        "CORE/ULIST-MERGE",
        "lists of 1 to 4 nodes, any starts",
        merging,
        Mutant("merge-two", f"{_LISTS}:merge", "reversed(before)", "reversed(before[:1])"),
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
