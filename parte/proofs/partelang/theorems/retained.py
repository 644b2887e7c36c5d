"""Both sides of a join span a window (D §8.3.1), and only the right empties a not-node (D §8.4).

The counts of docs/bounds.md, and so the sizes, are about live entries. If the two histories of a join get their events
in order, they cannot both be full of live entries. Without tokens from the right, a not-node keeps its entries. These
stay, because they are about D's sizes, which no refinement lemma is about; that stored entries are live is the theorem
`nothing_is_kept_longer_than_its_retention`.
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.any_length import ANY
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    effect,
    event,
    events_per_match,
    left_sample,
    occurrences,
    partial_match,
    right_sample,
    two_input_data,
    two_input_node,
    without_payload,
)
from parte.proofs.statements import at_most, equal, once
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.tokens import BetaToken
from parte.semantics.rulebook.connectives import neg
from parte.semantics.rulebook.registry import local

# --- Live entries -----------------------------------------------------------------------------------------------------


def live_left(entry: Entry, right_bound: int) -> bool:
    """Return whether a later right event may lie in the window of a left entry."""
    return kernel.may_be_met(entry.opens, entry.closes, right_bound)


def live_right(entry: Entry, node: TwoInputNode, left_bounds: Sequence[int]) -> bool:
    """Return whether a right entry may lie in the window of a later left partial match."""
    return neg(kernel.is_stale(entry.closes, kernel.expiration_time(left_bounds, node.minima)))


# --- Not both are full ------------------------------------------------------------------------------------------------


def within_the_window(run: Run) -> Claims:
    """For each side the oldest and the newest entry; sources promise what they send, and entries are live."""
    node = two_input_node(run, 1, negated=False)
    (minimum,), (maximum,) = node.minima, node.maxima
    oldest_left, newest_left = event(run, "oldest left"), event(run, "newest left")
    oldest_right, newest_right = event(run, "oldest right"), event(run, "newest right")
    left_bound, right_bound = run.integer("left bound"), run.integer("right bound")
    left_span, right_span, width = run.integer("left span"), run.integer("right span"), run.integer("W")
    run.assume(
        at_most(newest_left.timestamp, left_bound),
        at_most(newest_right.timestamp, right_bound),
        live_left(left_entry(node, (oldest_left,)), right_bound),
        live_right(right_entry(node, oldest_right), node, (left_bound,)),
        equal(kernel.shifted(oldest_left.timestamp, left_span), newest_left.timestamp),
        equal(kernel.shifted(oldest_right.timestamp, right_span), newest_right.timestamp),
        equal(kernel.shifted(minimum, width), maximum),
    )
    return (("together they span no more than the window", at_most(kernel.shifted(left_span, right_span), width)),)


# --- Without promises, a not-node keeps its entries -------------------------------------------------------------------


def keeps(rule: str) -> Body:
    """No token from the left removes a left partial match from a not-node."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, ANY, negated=True)
        p = partial_match(run, "p", ANY)
        left, right = left_sample(run, node, p), right_sample(run, node, event(run, "e"))
        data = TwoInputData(run.integers("left bound", ANY), run.integer("right bound"), left, right)
        payload = None if without_payload(rule) else partial_match(run, "arriving", ANY)
        result = effect(run, rule, node, data, BetaToken(run.integers("arriving bound", ANY), payload))
        if result is None:
            return ()
        return (("it is still stored", once(occurrences(two_input_data(result.data).left, p))),)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

SECTION = "8.3"
_NOT = "parte.semantics.partelang.rules.negation"
_KEEPING = (
    ("PARTE/NOT-LEFT-BOTTOM", "not_left_bottom", "data.left, right)"),
    ("PARTE/NOT-LEFT-MATCH", "not_left_match", "data.left, right)"),
    ("PARTE/NOT-LEFT-NOMATCH", "not_left_nomatch", "data.right_bound, left, right)"),
)

LEMMAS = (
    Lemma(
        "progress-not-both-full",
        "Live entries of both sides of a join together span at most its window, if sources promise what they sent.",
        f"{SECTION}, lemmas 21, 22",
        ("PARTE/JOIN-LEFT", "PARTE/JOIN-RIGHT"),
        "unbounded; one source a side, 1 event per left partial match",
        within_the_window,
        Mutant(
            "expire-one-later",
            "parte.semantics.partelang.kernel:is_stale",
            "return ends < bound",
            "return ends + 1 < bound",
        ),
        HOLDS,
        note="histories that hold more than the window together are never both full: docs/bounds.md",
    ),
    *(
        Lemma(
            f"silence-keeps-{local(rule)}",
            f"{rule} takes nothing out of the left history: only what comes from the right does.",
            "8.4",
            (rule,),
            f"any histories; {events_per_match(ANY)}",
            keeps(rule),
            Mutant(
                "lose-one", f"{_NOT}:{function}", before, before.replace("left, ", "left.passed(data.right_bound)[0], ")
            ),
            HOLDS,
            note="without tokens from the right a not-node fills up, whatever its size",
        )
        for rule, function, before in _KEEPING
    ),
)
