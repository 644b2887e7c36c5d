"""Shortcomings of the rudimentary model: claims that `join-*` and `not-*` prove of `sound`, refuted (D §5.4.1).

One of them holds in part: a partial match that an earlier event defeats is discarded.
"""

from __future__ import annotations

from parte.proofs.lemma import Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import emitted, event, first_outcome, partial_match, two_input_data, two_input_node
from parte.proofs.partelang.theorems.rudimentary.one_input import (
    FAILS_THERE,
    HOLDS_THERE,
    ID,
    RULES,
    holding,
    left_width,
    unpromising,
)
from parte.proofs.partelang.theorems.rudimentary.two_inputs import defeats, joined
from parte.proofs.statements import at_most_once, count_of, implies, pointwise
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang.network import Side
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.registry import Effect
from parte.semantics.rulebook.connectives import neg


def joined_in_proper_windows(run: Run) -> Claims:
    """A right rule sends a pair of two left events just if it matches, in windows that are not empty."""
    run.assume(pointwise(run.integers("minimum", 2), run.integers("maximum", 2)))
    return joined(f"{ID}-JOIN-RIGHT", 2)(run)


def forbidden(shortcoming: str) -> Body:
    """The algebra's prohibitions for a partial match p and two events: e before or after p, and f after both."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, 1, negated=True)
        p, e, f = partial_match(run, "p", 1), event(run, "e"), event(run, "f")
        data, sent = holding((), (), node), [0, 0, 0]
        before_p = shortcoming == "discarded"
        order = ((Side.RIGHT, (e,)), (Side.LEFT, p)) if before_p else ((Side.LEFT, p), (Side.RIGHT, (e,)))
        for step, (side, payload) in enumerate((*order, (Side.RIGHT, (f,)))):
            outcome = first_outcome(run, Family.RUDIMENTARY, node, side, data, unpromising(payload))
            assert isinstance(outcome, Effect)
            data, sent[step] = two_input_data(outcome.data), count_of(emitted(outcome.tokens, p))
        if shortcoming == "early":
            return (("no event to come defeats what is sent", implies(bool(sent[0]), neg(defeats(run, node, p, e)))),)
        if shortcoming == "again":
            return (("it is sent at most once", at_most_once(range(sum(sent)))),)
        after_e = sent if before_p else sent[1:]
        return (("what an event that came defeats is not sent", implies(defeats(run, node, p, e), not any(after_e))),)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

SHORTCOMINGS = "5.4.1"
_NOT_LEFT, _NOT_RIGHT = "PARTE/RUDIMENTARY-NOT-LEFT-NOMATCH", "PARTE/RUDIMENTARY-NOT-RIGHT-NOMATCH"

LEMMAS = (
    Lemma(
        "rudimentary-JOIN-RIGHT-window-2",
        "When an event comes, a join-node sends a pair just if it matches.",
        "5.2.6, fig. 5.4",
        (f"{ID}-JOIN-RIGHT",),
        f"any histories; {left_width(2)}",
        joined_in_proper_windows,
        None,
        FAILS_THERE,
        (3,),
        note="one interval for all left events, which the rule shares with the published ones",
    ),
    Lemma(
        "rudimentary-NOT-early",
        "No event to come defeats a partial match that a not-node sends.",
        SHORTCOMINGS,
        (_NOT_LEFT,),
        f"the partial match and 2 events; {left_width(1)}",
        forbidden("early"),
        None,
        FAILS_THERE,
        note="negation signals that there is no match while one can still occur",
    ),
    Lemma(
        "rudimentary-NOT-again",
        "A not-node sends a partial match at most once.",
        SHORTCOMINGS,
        (_NOT_LEFT, _NOT_RIGHT),
        f"the partial match and 2 events; {left_width(1)}",
        forbidden("again"),
        None,
        FAILS_THERE,
        note="negation signals again what it has signalled before",
    ),
    Lemma(
        "rudimentary-NOT-defeated",
        "A not-node does not send a partial match once an event has come that defeats it.",
        "5.2.6",
        ("PARTE/RUDIMENTARY-NOT-RIGHT-MATCH", _NOT_RIGHT),
        f"the partial match and 2 events; {left_width(1)}",
        forbidden("defeated"),
        None,
        FAILS_THERE,
        note="D's text discards the defeated match, D's formula keeps it, and a later event that does not defeat it "
        "sends it",
    ),
    Lemma(
        "rudimentary-NOT-discarded",
        "A not-node never sends a partial match that an event defeats which came before it.",
        "5.2.6",
        ("PARTE/RUDIMENTARY-NOT-LEFT-MATCH", _NOT_RIGHT),
        f"the partial match and 2 events; {left_width(1)}",
        forbidden("discarded"),
        Mutant(
            "store-it-all-the-same",
            f"{RULES}:not_left_match",
            "Effect(data, ())",
            "Effect(data._replace(left=data.left.stored(entry)), ())",
        ),
        HOLDS_THERE,
    ),
)
