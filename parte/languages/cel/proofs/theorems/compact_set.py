"""Nodes of the compact set (T §5.1): unions of safe nodes are safe, in order of time, and have all paths once."""

from __future__ import annotations

from parte.languages.cel.proofs.settings import LABEL, alike_in_start, compact_set, deep, known_parts, leaf, safe_node
from parte.languages.cel.proofs.statements import is_one_of, starts_of, well_made
from parte.languages.cel.semantics.enumeration import counted
from parte.languages.cel.semantics.tecs import Bottom, Output, Union, extend, joined, new_bottom, safe, union
from parte.proofs.lemma import HOLDS, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, equal
from parte.proofs.symbolic import Claims, Run

SECTION = "5.1"
_TECS = "parte.languages.cel.semantics.tecs"


def safe_unions(run: Run) -> Claims:
    """Two safe nodes with the same greatest start, of any shape."""
    first, second = safe_node(run, "one"), safe_node(run, "other")
    alike_in_start(run, first, second)
    known = known_parts(first, second)
    result = union(compact_set(), first, second)
    return (("the union is safe", safe(result)), *well_made(result, known, known))


def unions_as_they_are(run: Run) -> Claims:
    """A node that is no union, in front of one that is at most two deep: a safe node (`merge`)."""
    left, right = leaf(run, "left"), deep(run, "right", 2)
    run.assume(at_most(right.greatest, left.greatest))
    result = joined(compact_set(), left, right)
    return (("it is safe", safe(result)), *well_made(result, (left, right), (left, right)))


def new_nodes(run: Run) -> Claims:
    """A bottom, and a node that is extended by an event."""
    position, start, event = run.integer("position"), run.integer("start"), run.integer("event")
    bottom, node = new_bottom(compact_set(), position, start), safe_node(run, "node")
    output = extend(compact_set(), node, event, LABEL)
    return (
        ("a bottom is where it begins", equal(bottom.position, position)),
        ("and has that start", equal(bottom.greatest, start)),
        ("an output marks its event", equal(output.position, event)),
        ("with the label", output.label == LABEL),
        ("it leads to the node", output.next is not None and is_one_of(output.next, (node,))),
        ("its starts are those of the node", equal(output.greatest, node.greatest)),
        ("both are safe", safe(bottom) and safe(output)),
        ("both have depth 0", equal(bottom.depth, 0) and equal(output.depth, 0)),
    )


def counts(run: Run) -> Claims:
    """Nodes of which two lead to the same bottom, with any starts in order of time, and any window."""
    first, second, third = (Bottom(place, start) for place, start in enumerate(run.integers("start", 3)))
    run.assume(at_most(second.greatest, first.greatest), at_most(third.greatest, second.greatest))
    inner = Union(second, third, second.greatest, 1)
    outer = Union(Output(4, LABEL, inner, second.greatest), inner, second.greatest, 1)
    root = Output(5, LABEL, Union(first, outer, first.greatest, 1), first.greatest)
    least = run.integer("least")
    count = counted(root, least)
    there = [start for start in starts_of(root) if at_most(least, start)]
    if not at_most(least, outer.greatest):
        return (("the paths of all are counted", count(root) == len(there)),)
    below = [start for start in starts_of(outer) if at_most(least, start)]
    return (
        ("the paths of all are counted", count(root) == len(there)),
        ("and those of a part", count(outer) == len(below)),
    )


LEMMAS = (
    Lemma(
        "union-of-safe-nodes-is-safe",
        "The union of two safe nodes with one greatest start is safe, in order of time, and has their paths once each.",
        SECTION,
        ("CORE/TECS-UNION",),
        f"{UNBOUNDED}: safe nodes of every shape, any starts",
        safe_unions,
        Mutant(
            "order-by-the-wholes",
            f"{_TECS}:union",
            "in_order(_right(left), _right(right))",
            "(_right(left), _right(right))",
        ),
        HOLDS,
        note="the mutant chooses by the greatest starts of the wholes, as an engine does",
    ),
    Lemma(
        "union-behind-a-leaf-is-safe",
        "What is no union, joined with a node of depth two at most and no greater start, is a safe node.",
        SECTION,
        ("CORE/TECS-UNION", "CORE/ULIST-MERGE"),
        f"{UNBOUNDED}: nodes of every shape, any starts",
        unions_as_they_are,
        Mutant("depth-of-the-right", f"{_TECS}:joined", "left.depth + 1", "right.depth + 1"),
        HOLDS,
    ),
    Lemma(
        "new-nodes-are-what-they-extend",
        "A bottom has its position and start, an output its event, its label, and the starts of what it leads to.",
        SECTION,
        ("CORE/TECS-BOTTOM", "CORE/TECS-EXTEND"),
        f"{UNBOUNDED}: safe nodes of every shape",
        new_nodes,
        Mutant("the-event-as-start", f"{_TECS}:extend", "node, node.greatest)", "node, position)"),
        HOLDS,
    ),
    Lemma(
        "paths-in-the-window-are-counted",
        "The count of a node is the number of its paths whose starts the window reaches.",
        SECTION,
        ("CORE/TECS-PATHS",),
        "7 nodes, of which one is shared; any starts in order of time, any window",
        counts,
        Mutant(
            "larger-part",
            "parte.languages.cel.semantics.enumeration:counted",
            "= sum(known[id(part)]",
            "= max(known[id(part)]",
        ),
        HOLDS,
    ),
)
