"""Enumeration (T Algorithm 2): each node prints the requested paths, within a bounded number of visits for each
result."""

from __future__ import annotations

from collections.abc import Callable

from parte.languages.cel.proofs.settings import LABEL, bottom, small_safe_node
from parte.languages.cel.proofs.statements import is_one_of, less, times, total, within
from parte.languages.cel.semantics.enumeration import Place, enum_bottom, enum_output, enum_union, enumerate_paths
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Union
from parte.proofs.lemma import HOLDS, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, both, equal, every, same, some
from parte.proofs.symbolic import Claims, Run
from parte.semantics.rulebook.connectives import lesser, neg

SECTION = "5.4"
_ENUMERATION = "parte.languages.cel.semantics.enumeration"
MARKED = (None, 7, LABEL)
"""The mark before the node of a lemma."""

MARKS = 3


def _union(run: Run) -> tuple[Union, Node, Node]:
    left, right = bottom(run, "left"), bottom(run, "right")
    run.assume(at_most(right.greatest, left.greatest))
    return Union(left, right, left.greatest, 1), left, right


def _wanted(place: Place | None, paths: int) -> tuple[int, int]:
    """Return the first path that a node prints, and the number of its printed paths: by induction the requested ones,
    as far as there are paths."""
    if place is None:
        return 0, 0
    assert place.count is not None
    return place.skipped, lesser(place.count, less(paths, place.skipped))


def shares_of_a_union(run: Run) -> Claims:
    """A node with any numbers of paths on both sides; a side has some just if the window reaches it."""
    node, left, right = _union(run)
    least, skipped, count = run.integer("least"), run.integer("skipped"), run.integer("count")
    lefts, rights = run.integer("paths on the left"), run.integer("paths on the right")
    for side, paths in ((left, lefts), (right, rights)):
        run.assume(at_most(0, paths), same(at_most(1, paths), at_most(least, side.greatest)))
    run.assume(at_most(0, skipped), before(skipped, total(lefts, rights)), at_most(1, count))
    here, there = enum_union(
        node, Place(node, MARKED, skipped, count), least, lambda part: lefts if part is left else rights
    )
    path = run.integer("a path")
    first, second = _wanted(here, lefts), _wanted(there, rights)
    printed = lesser(count, less(total(lefts, rights), skipped))
    own = both(before(path, lefts), within(first[0], path, first[1]))
    others = both(at_most(lefts, path), within(second[0], less(path, lefts), second[1]))
    return (
        ("the left side is entered on the left", here is None or is_one_of(here.node, (left,))),
        ("the right side on the right", there is None or is_one_of(there.node, (right,))),
        ("with what was marked", all(place is None or place.behind is MARKED for place in (here, there))),
        ("what is entered has more paths than are skipped", _entered(here, lefts) and _entered(there, rights)),
        ("just the paths that are wanted are printed", same(within(skipped, path, printed), some((own, others)))),
    )


def _entered(place: Place | None, paths: int) -> bool:
    if place is None:
        return True
    assert place.count is not None
    return every((at_most(0, place.skipped), before(place.skipped, paths), at_most(1, place.count)))


def all_of_a_union(run: Run) -> Claims:
    """A node that the window reaches, without shares."""
    node, left, right = _union(run)
    least = run.integer("least")
    run.assume(at_most(least, node.greatest))
    here, there = enum_union(node, Place(node, MARKED, 0, None), least, None)
    return (
        ("the left side is entered, and the window reaches it", here is not None and _reaches(least, here, left)),
        ("the right side is, just if the window reaches it", _just_if(least, there, right)),
    )


def _reaches(least: int, place: Place, node: Node) -> bool:
    whole = place.skipped == 0 and place.count is None and place.behind is MARKED
    return both(whole and is_one_of(place.node, (node,)), at_most(least, node.greatest))


def _just_if(least: int, place: Place | None, node: Node) -> bool:
    return neg(at_most(least, node.greatest)) if place is None else _reaches(least, place, node)


def marks(run: Run) -> Claims:
    """A path of three marked events, from an output down to a bottom."""
    start, least = run.integer("start"), run.integer("least")
    run.assume(at_most(least, start))
    node: Node = Bottom(0, start)
    labels = [frozenset({f"label {place}"}) for place in range(MARKS)]
    for place, label in enumerate(labels):
        node = Output(place, label, node, start)
    visits: list[None] = []
    paths = list(enumerate_paths(node, least, lambda: visits.append(None)))
    return (
        ("there is one path", len(paths) == 1),
        ("it starts where it begins", all(path.start == 0 for path in paths)),
        ("it has the events in order, with their labels", all(path.marks == (*enumerate(labels),) for path in paths)),
        ("each node is visited once", len(visits) == len((*labels, node))),
    )


def steps(run: Run) -> Claims:
    """An output and a bottom by themselves."""
    below = small_safe_node(run, "below")
    position, skipped, count = run.integer("position"), run.integer("skipped"), run.integer("count")
    node = Output(position, LABEL, below, below.greatest)
    place = enum_output(node, Place(node, MARKED, skipped, count))
    path = enum_bottom(Bottom(position, run.integer("start")), Place(below, MARKED, 0, 1))
    wanted = place.count is not None and both(equal(place.skipped, skipped), equal(place.count, count))
    return (
        ("an output is left for what it leads to", is_one_of(place.node, (below,))),
        ("of which as much is wanted", wanted),
        ("with its event in front of what was marked", place.behind == (MARKED, position, LABEL)),
        ("a bottom is a path from its position", equal(path.start, position)),
        ("with what was marked", path.marks == ((7, LABEL),)),
    )


# --- The next result is within a bounded number of visits -------------------------------------------------------------


def _bound(depth: int, marked: int) -> int:
    """Return the greatest number of visits from a node down to the result with `marked` more marked events."""
    return total(depth, 1, times(4, marked))


def delay(run: Run) -> Claims:
    """A union of any depth up to three, or an output; the next node that is entered prints the next path.

    By induction on the way down: from a node at most three deep the next result takes 4(|D| + 1) visits.
    """
    depth, marked = run.integer("depth"), run.integer("marked events below")
    run.assume(at_most(0, depth), at_most(depth, 3), at_most(0, marked))
    start, least, lefts, rights = (run.integer(name) for name in ("start", "least", "paths left", "paths right"))
    run.assume(at_most(least, start), at_most(1, lefts), at_most(0, rights))
    inner: Node = Union(None, None, start, depth) if before(0, depth) else Bottom(0, start)
    union = Union(inner, Bottom(0, run.integer("start on the right")), start, total(depth, 1))
    run.assume(at_most(total(depth, 1), 3))
    shared = run.truth("a share is wanted")
    place = Place(union, None, 0, run.integer("count") if shared else None)
    run.assume(place.count is None or at_most(1, place.count))
    entered, _ = enum_union(union, place, least, (lambda part: lefts if part is inner else rights) if shared else None)
    if entered is None or not is_one_of(entered.node, (inner,)):
        return (("the left side comes first", False),)
    output = Output(1, LABEL, inner, start)
    next_place = enum_output(output, Place(output, None, 0, None))
    return (
        ("a union is one visit more than its left side", _one_more(entered, union.depth, marked, marked)),
        ("an output is one visit more, for one event more", _one_more(next_place, 0, total(marked, 1), marked)),
        ("a bottom is one visit", at_most(1, _bound(0, 0))),
        ("from three deep these are 4(|D| + 1)", equal(_bound(3, marked), times(4, total(marked, 1)))),
    )


def _one_more(entered: Place, depth: int, marked: int, below: int) -> bool:
    return at_most(total(1, _bound(entered.node.depth, below)), _bound(depth, marked))


# --- Whole enumerations -----------------------------------------------------------------------------------------------


def _graph(run: Run) -> tuple[Node, list[tuple[int, int, tuple[int, ...]]]]:
    """Return a graph of paths with three starts that share nodes, and its paths: start, place, marks."""
    first, second, third = run.integers("start", 3)
    run.assume(at_most(second, first), at_most(third, second))
    shared = Union(Bottom(1, second), Bottom(2, third), second, 1)
    over = Union(Output(5, LABEL, shared, second), shared, second, 1)
    root = Output(6, LABEL, Union(Bottom(0, first), over, first, 1), first)
    return root, [(first, 0, (6,)), (second, 1, (5, 6)), (third, 2, (5, 6)), (second, 1, (6,)), (third, 2, (6,))]


def whole(run: Run) -> Claims:
    """All paths that the window reaches, each once."""
    root, paths = _graph(run)
    least = run.integer("least")
    printed = [
        (path.start, tuple(place for place, _ in path.marks)) for path in enumerate_paths(root, least, lambda: None)
    ]
    expected = [(place, marked) for start, place, marked in paths if at_most(least, start)]
    return (("they are those whose start the window reaches, each once", sorted(printed) == sorted(expected)),)


def _lemma(
    name: str, statement: str, rules: tuple[str, ...], scope: str, body: Callable[[Run], Claims], mutant: Mutant
) -> Lemma:
    return Lemma(name, statement, SECTION, rules, scope, body, mutant, HOLDS)


LEMMAS = (
    _lemma(
        "a-union-prints-what-is-wanted-of-it",
        "If its sides print what is wanted of them, a union prints min(count, paths - skipped) paths from there on.",
        ("CORE/ENUM-UNION",),
        f"{UNBOUNDED}: any numbers of paths, skipped and wanted; the step of an induction over nodes",
        shares_of_a_union,
        Mutant("skip-on-both-sides", f"{_ENUMERATION}:divided", "max(0, skipped - left)", "skipped"),
    ),
    _lemma(
        "a-union-prints-all-in-the-window",
        "Without shares the left side of a union is entered first, and the right one just if the window reaches it.",
        ("CORE/ENUM-UNION",),
        f"{UNBOUNDED}: any starts",
        all_of_a_union,
        Mutant("not-the-least", f"{_ENUMERATION}:enum_union", ">= least else None", "> least else None"),
    ),
    _lemma(
        "a-path-is-printed-in-order",
        "A path is printed as it is: where it starts, and its marked events in order with their labels.",
        ("CORE/ENUM-OUTPUT", "CORE/ENUM-BOTTOM"),
        f"one path of {MARKS} events",
        marks,
        Mutant("in-reverse", f"{_ENUMERATION}:enum_bottom", "tuple(marks)", "tuple(reversed(marks))"),
    ),
    _lemma(
        "an-output-puts-its-event-in-front",
        "An output is left for what it leads to, with its event in front; a bottom is a path from its position.",
        ("CORE/ENUM-OUTPUT", "CORE/ENUM-BOTTOM"),
        f"{UNBOUNDED}: any share; the step of an induction over nodes",
        steps,
        Mutant("lose-the-marks", f"{_ENUMERATION}:enum_output", "(place.behind, node", "(None, node"),
    ),
    _lemma(
        "the-next-result-is-4-visits-an-event-away",
        "From a node whose first path is wanted, at most three deep, the next result D comes in 4(|D| + 1) visits.",
        ("CORE/ENUM-UNION", "CORE/ENUM-OUTPUT"),
        f"{UNBOUNDED}: any depth up to three, any number of marks; the step of an induction over visits",
        delay,
        Mutant(
            "right-first", f"{_ENUMERATION}:enum_union", "Place(left, place.behind, *", "Place(right, place.behind, *"
        ),
    ),
    _lemma(
        "a-set-prints-all-in-the-window",
        "All paths whose starts the window reaches are printed, each once.",
        ("CORE/ENUM-BOTTOM", "CORE/ENUM-OUTPUT", "CORE/ENUM-UNION"),
        "9 nodes with 5 paths, of which some share nodes; any starts in order of time, any window",
        whole,
        Mutant("left-only", f"{_ENUMERATION}:enumerate_paths", "stack.append(later)", "pass"),
    ),
)
