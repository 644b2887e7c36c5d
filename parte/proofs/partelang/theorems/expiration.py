"""Expiry discards nothing that can still match (D §8.2), and keeps nothing that cannot.

The algebra's evaluator decides what can match; a later right event respects the promised bound. These instances stay,
because they refute D §8.2 (ii) for the rules as printed (defects 1 and 4), which no refinement lemma is about.
"""

from __future__ import annotations

from parte.proofs.lemma import REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    event,
    event_at,
    events_per_match,
    holds,
    partial_match,
    two_input_node,
)
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import at_most, both, implies, same
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import History, PlainHistory
from parte.semantics.partelang.rules.premises import expire_left, expire_negated, left_entry
from parte.semantics.rulebook.connectives import neg

SECTION = "8.2.1"


def left_expiry(*, negated: bool) -> Body:
    """A left partial match that expires, or that a not-node releases, fits no later right event."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, 1, negated=negated)
        partial, later = partial_match(run, "p", 1), event(run, "later")
        bound = run.integer("right bound")
        run.assume(at_most(bound, later.timestamp))
        stored: History = PlainHistory((left_entry(node, partial),))
        if negated:
            gone = bool(expire_negated(run.repairs, stored, bound)[1])
        else:
            gone = not holds(expire_left(run.repairs, stored, bound), partial)
        match = fits(run, partial, later, node.minima, node.maxima)
        return (("what expires fits no later event", implies(gone, neg(match))),)

    return body


def exhaustive(run: Run) -> Claims:
    """At a not-node a left partial match of two events either stays or is released."""
    node = two_input_node(run, 2, negated=True)
    partial = partial_match(run, "p", 2)
    stored = PlainHistory((left_entry(node, partial),))
    staying, released = expire_negated(run.repairs, stored, run.integer("right bound"))
    return (("it stays, or it is released, and not both", same(bool(released), not holds(staying, partial))),)


def left_promptness(run: Run) -> Claims:
    """A left partial match that stays can still fit an event that respects the bound, unless no event fits."""
    node = two_input_node(run, 1, negated=False)
    partial, bound = partial_match(run, "p", 1), run.integer("right bound")
    entry = left_entry(node, partial)
    stays = holds(expire_left(run.repairs, PlainHistory((entry,)), bound), partial)
    last = event_at("last", kernel.lifetime_closes(times_of(partial), node.maxima))
    possible = at_most(kernel.lifetime_opens(times_of(partial), node.minima), last.timestamp)
    match = both(fits(run, partial, last, node.minima, node.maxima), at_most(bound, last.timestamp))
    return (("an event at the end of its lifetime may come and fits", implies(both(stays, possible), match)),)


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL = "parte.semantics.partelang.kernel"
_EARLY = Mutant("expire-at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_LATE = Mutant("expire-one-later", f"{_KERNEL}:is_stale", "return ends < bound", "return ends + 1 < bound")
_LEFT_RULES = ("PARTE/JOIN-RIGHT", "PARTE/JOIN-RIGHT-BOTTOM")
_NOT_RULES = ("PARTE/NOT-RIGHT", "PARTE/NOT-RIGHT-BOTTOM", "PARTE/NOT-LEFT-NOMATCH")

LEMMAS = (
    Lemma(
        "expiry-left-join-1",
        "A left partial match that expires at a join-node fits no right event that is still to come.",
        SECTION,
        _LEFT_RULES,
        events_per_match(1),
        left_expiry(negated=False),
        _EARLY,
        REPAIRED,
        (1,),
    ),
    Lemma(
        "expiry-left-not-1",
        "A left partial match that a not-node releases fits no right event that is still to come.",
        SECTION,
        _NOT_RULES,
        events_per_match(1),
        left_expiry(negated=True),
        _EARLY,
        REPAIRED,
        (1,),
    ),
    Lemma(
        "expiry-exhaustive-2",
        "At a not-node a left partial match that no event defeats either stays or is released.",
        SECTION,
        _NOT_RULES[:2],
        events_per_match(2),
        exhaustive,
        Mutant(
            "lose-what-is-released",
            "parte.semantics.partelang.histories:PlainHistory.parted",
            "if leaving else (self, leaving)",
            "if not leaving else (PlainHistory(tuple(staying)), [])",
        ),
        REPAIRED,
        (4,),
    ),
    Lemma(
        "expiry-left-prompt-1",
        "A left partial match that stays can still fit a right event to come, unless its windows have nothing in "
        "common.",
        SECTION,
        _LEFT_RULES,
        events_per_match(1),
        left_promptness,
        _LATE,
        REPAIRED,
        (1,),
    ),
)
