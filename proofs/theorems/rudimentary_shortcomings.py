"""What is wrong with the rudimentary model: claims that `join-*` and `not-*` prove of `sound`, refuted (D §5.4.1)."""

from __future__ import annotations

from proofs.lemma import Lemma
from proofs.meaning import at_most_once, count_of, implies, pointwise
from proofs.settings import emitted, event, first_outcome, partial_match, two_input_data, two_input_node
from proofs.theorems.rudimentary import FAILS_THERE, ID, holding, left_width, unpromising
from proofs.theorems.rudimentary_two_inputs import defeats, joined
from proofs.world import Body, Claims, World
from semantics.logic import neg
from semantics.network import Side
from semantics.repairs import Family
from semantics.rules.registry import Effect


def joined_in_proper_windows(world: World) -> Claims:
    """That a right rule sends a pair of two left events just if it matches, in windows that are not empty."""
    world.assume(pointwise(world.integers("minimum", 2), world.integers("maximum", 2)))
    return joined(f"{ID}-JOIN-RIGHT", 2)(world)


def told(shortcoming: str) -> Body:
    """What the algebra forbids of a partial match p and two events: e before p or after it, and f after both."""

    def body(world: World) -> Claims:
        node = two_input_node(world, 1, negated=True)
        p, e, f = partial_match(world, "p", 1), event(world, "e"), event(world, "f")
        data, sent = holding((), (), node), [0, 0, 0]
        before_p = shortcoming == "defeated"
        order = ((Side.RIGHT, (e,)), (Side.LEFT, p)) if before_p else ((Side.LEFT, p), (Side.RIGHT, (e,)))
        for step, (side, payload) in enumerate((*order, (Side.RIGHT, (f,)))):
            outcome = first_outcome(world, Family.RUDIMENTARY, node, side, data, unpromising(payload))
            assert isinstance(outcome, Effect)
            data, sent[step] = two_input_data(outcome.data), count_of(emitted(outcome.tokens, p))
        if shortcoming == "early":
            return (("no event to come defeats what is sent", implies(bool(sent[0]), neg(defeats(world, node, p, e)))),)
        if shortcoming == "again":
            return (("it is sent at most once", at_most_once(range(sum(sent)))),)
        return (("what an event that came defeats is never sent", implies(defeats(world, node, p, e), not any(sent))),)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

SHORTCOMINGS = "5.4.1"
_NOT_LEFT, _NOT_RIGHT = "RUDIMENTARY-NOT-LEFT-NOMATCH", "RUDIMENTARY-NOT-RIGHT-NOMATCH"

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
        told("early"),
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
        told("again"),
        None,
        FAILS_THERE,
        note="negation signals again what it has signalled before",
    ),
    Lemma(
        "rudimentary-NOT-defeated",
        "A not-node never sends a partial match that an event defeats which came before it.",
        SHORTCOMINGS,
        ("RUDIMENTARY-NOT-LEFT-MATCH", _NOT_RIGHT),
        f"the partial match and 2 events; {left_width(1)}",
        told("defeated"),
        None,
        FAILS_THERE,
        note="what is defeated is stored too, and a later event that does not defeat it sends it; D does not name this",
    ),
)
