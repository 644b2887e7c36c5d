"""What a history holds is live (D §8.3.1), of both sides no more than a window; only the right empties a not-node.

The counts of docs/bounds.md, and so the sizes, are about live entries. Where the two histories of a join are fed in
order, they cannot both be full of them. Without tokens from the right, a not-node keeps what it has (D §8.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.lemma import HOLDS, REPAIRED, Lemma
from proofs.meaning import at_most, equal, every, once, pointwise
from proofs.mutation import Mutant
from proofs.settings import (
    effect,
    event,
    left_sample,
    occurrences,
    partial_match,
    respects,
    right_sample,
    two_input_data,
    two_input_node,
)
from proofs.world import Body, Claims, World
from semantics import kernel
from semantics.histories import Entry
from semantics.logic import neg
from semantics.network import TwoInputNode
from semantics.rules.premises import left_entry, right_entry
from semantics.rules.registry import TwoInputData
from semantics.tokens import BetaToken

# --- Only live entries are kept -------------------------------------------------------------------------------------


def live_left(entry: Entry, right_bound: int) -> bool:
    """A right event that is yet to come may lie in its window."""
    return neg(kernel.is_stale(entry.closes, right_bound))


def live_right(entry: Entry, node: TwoInputNode, left_bounds: Sequence[int]) -> bool:
    """It may lie in the window of a left partial match that is yet to come."""
    return neg(kernel.is_stale(entry.closes, kernel.expiration_time(left_bounds, node.minima)))


def only_live(rule: str, width: int) -> Body:
    """If all stored entries were live before the step, all are after it."""
    from_left = "-LEFT" in rule

    def body(world: World) -> Claims:
        node = two_input_node(world, width, negated=rule.startswith("NOT"))
        left = left_sample(world, node, partial_match(world, "p", width))
        right = right_sample(world, node, event(world, "e"))
        data = TwoInputData(world.integers("left bound", width), world.integer("right bound"), left, right)
        world.assume(_all_live(node, data))
        contract = data.left_bounds if from_left else (data.right_bound,)
        bounds = world.integers("arriving bound", len(contract))
        payload = None if rule.endswith("BOTTOM") else partial_match(world, "arriving", len(contract))
        world.assume(pointwise(contract, bounds), respects(contract, payload))
        result = effect(world, rule, node, data, BetaToken(bounds, payload))
        if result is None:
            return ()
        return (("every entry is live", _all_live(node, two_input_data(result.data))),)

    return body


def _all_live(node: TwoInputNode, data: TwoInputData) -> bool:
    return every(
        [
            *(live_left(entry, data.right_bound) for entry in data.left),
            *(live_right(entry, node, data.left_bounds) for entry in data.right),
        ]
    )


# --- Not both are full ------------------------------------------------------------------------------------------------


def within_the_window(world: World) -> Claims:
    """Of each side the oldest and the newest entry; sources promise what they send, and entries are live."""
    node = two_input_node(world, 1, negated=False)
    (minimum,), (maximum,) = node.minima, node.maxima
    oldest_left, newest_left = event(world, "oldest left"), event(world, "newest left")
    oldest_right, newest_right = event(world, "oldest right"), event(world, "newest right")
    left_bound, right_bound = world.integer("left bound"), world.integer("right bound")
    left_span, right_span, width = world.integer("left span"), world.integer("right span"), world.integer("W")
    world.assume(
        at_most(newest_left.timestamp, left_bound),
        at_most(newest_right.timestamp, right_bound),
        live_left(left_entry(node, (oldest_left,)), right_bound),
        live_right(right_entry(node, oldest_right), node, (left_bound,)),
        equal(kernel.shifted(oldest_left.timestamp, left_span), newest_left.timestamp),
        equal(kernel.shifted(oldest_right.timestamp, right_span), newest_right.timestamp),
        equal(kernel.shifted(minimum, width), maximum),
    )
    return (("together they span no more than the window", at_most(kernel.shifted(left_span, right_span), width)),)


# --- Without promises, a not-node keeps what it has -------------------------------------------------------------------


def keeps(rule: str) -> Body:
    """A token from the left, whatever it says, takes no left partial match out of a not-node."""

    def body(world: World) -> Claims:
        node = two_input_node(world, 1, negated=True)
        p = partial_match(world, "p", 1)
        left, right = left_sample(world, node, p), right_sample(world, node, event(world, "e"))
        data = TwoInputData(world.integers("left bound", 1), world.integer("right bound"), left, right)
        payload = None if rule.endswith("BOTTOM") else partial_match(world, "arriving", 1)
        result = effect(world, rule, node, data, BetaToken(world.integers("arriving bound", 1), payload))
        if result is None:
            return ()
        return (("it is still stored", once(occurrences(two_input_data(result.data).left, p))),)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

SECTION = "8.3"
_JOIN, _NOT = "semantics.rules.join", "semantics.rules.negation"
_REPEATED = "        right = expire_right(node, data.right, token.bounds)\n"
_STALE_RIGHT = "right = expire_right(node, data.right, token.bounds)"


def _always_stored(function: str, side: str) -> Mutant:
    return Mutant("store-what-is-stale", function, f"if live else data.{side}", f"if True else data.{side}")


def _kept(function: str, before: str, after: str) -> Mutant:
    return Mutant("keep-what-is-stale", function, before, after)


_LIVE: Sequence[tuple[str, Mutant, tuple[int, ...]]] = (
    ("JOIN-LEFT", _always_stored(f"{_JOIN}:join_left", "left"), (6,)),
    ("JOIN-RIGHT", _always_stored(f"{_JOIN}:join_right", "right"), (1, 6)),
    ("JOIN-LEFT-BOTTOM", _kept(f"{_JOIN}:join_left_bottom", _STALE_RIGHT, "right = data.right"), ()),
    (
        "JOIN-RIGHT-BOTTOM",
        _kept(f"{_JOIN}:join_right_bottom", "expire_left(site.repairs, data.left, bound)", "data.left"),
        (1,),
    ),
    ("NOT-LEFT-MATCH", _kept(f"{_NOT}:not_left_match", _REPEATED, "        right = data.right\n"), ()),
    ("NOT-LEFT-NOMATCH", _always_stored(f"{_NOT}:not_left_nomatch", "left"), (6,)),
    ("NOT-LEFT-BOTTOM", _kept(f"{_NOT}:not_left_bottom", _STALE_RIGHT, "right = data.right"), ()),
    ("NOT-RIGHT", _always_stored(f"{_NOT}:not_right", "right"), (1, 6)),
    (
        "NOT-RIGHT-BOTTOM",
        _kept(f"{_NOT}:not_right_bottom", "expire_negated(site.repairs, data.left, bound)", "(data.left, ())"),
        (1,),
    ),
)


def _only_live(rule: str, mutant: Mutant, defects: tuple[int, ...], width: int) -> Lemma:
    return Lemma(
        f"progress-live-{rule}-{width}",
        f"After {rule} every entry is live: something that is yet to come may lie in its window.",
        f"{SECTION}, lemmas 21, 22",
        (rule,),
        f"any histories; {width} events per left partial match",
        only_live(rule, width),
        mutant,
        REPAIRED if defects else HOLDS,
        defects,
    )


_LOSING = "left.passed(token.bounds[0])[0], right)"

_KEEPING = (
    ("NOT-LEFT-BOTTOM", "not_left_bottom", "data.left, right)"),
    ("NOT-LEFT-MATCH", "not_left_match", "data.left, right)"),
    ("NOT-LEFT-NOMATCH", "not_left_nomatch", "data.right_bound, left, right)"),
)

LEMMAS = (
    *(_only_live(*case, width) for case in _LIVE for width in (1, 2)),
    Lemma(
        "progress-not-both-full",
        "Live entries of both sides of a join together span at most its window, if sources promise what they sent.",
        f"{SECTION}, lemmas 21, 22",
        ("JOIN-LEFT", "JOIN-RIGHT"),
        "unbounded; one source a side, 1 event per left partial match",
        within_the_window,
        Mutant("expire-one-later", "semantics.kernel:is_stale", "return ends < bound", "return ends + 1 < bound"),
        HOLDS,
        note="histories that hold more than the window together are never both full: docs/bounds.md",
    ),
    *(
        Lemma(
            f"silence-keeps-{rule}",
            f"{rule} takes nothing out of the left history: only what comes from the right does.",
            "8.4",
            (rule,),
            "any histories; 1 event per left partial match",
            keeps(rule),
            Mutant(
                "lose-one", f"{_NOT}:{function}", before, before.replace("left, ", "left.passed(token.bounds[0])[0], ")
            ),
            HOLDS,
            note="without tokens from the right a not-node fills up, whatever its size",
        )
        for rule, function, before in _KEEPING
    ),
)
