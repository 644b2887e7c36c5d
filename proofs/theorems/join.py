"""Join-nodes are correct: each pair that matches is emitted exactly once, and nothing else is.

Pointwise: one arbitrary left partial match `p` and one arbitrary right event `e`, with conditions about which nothing
is known, among any other entries of any histories. The state of a node is abstracted to the pair: has each arrived, is
each stored, how often has the pair been sent. The invariant says what must be so; every rule keeps it, whichever
token comes. It holds at the start (nothing has arrived, every bound is -∞) and, once both have arrived, says that the
pair was sent once if the algebra matches it and never otherwise.
"""

from __future__ import annotations

from proofs.lemma import HOLDS, REPAIRED, Lemma
from proofs.meaning import at_most, at_most_once, both, fits, implies, once, pointwise, times_of
from proofs.mutation import Mutant
from proofs.settings import (
    alike,
    beta,
    choice,
    effect,
    emitted,
    event,
    left_sample,
    name_of,
    occurrences,
    partial_match,
    respects,
    right_sample,
    two_input_data,
    two_input_node,
)
from proofs.world import Body, Claims, World
from semantics.logic import neg
from semantics.rules.registry import TwoInputData
from semantics.tokens import BetaToken

SECTION = "8.2, 5.4.6"
LEFT_RULES = ("JOIN-LEFT", "JOIN-LEFT-BOTTOM")
"""The rules for tokens from the left, with a payload and without; the others are those from the right."""


def pair(rule: str, width: int, *, arrives: bool) -> Body:
    """The invariant is kept by a rule whose token is of the pair (`arrives`) or carries something else, or nothing."""
    from_left = rule in LEFT_RULES

    def body(world: World) -> Claims:
        node = two_input_node(world, width, negated=False)
        p, e = partial_match(world, "p", width), event(world, "e")
        matches = both(alike(world, node, p, e), fits(world, p, e, node.minima, node.maxima))
        left_bounds, right_bound = world.integers("left bound", width), world.integer("right bound")

        # The state before, as the invariant allows it.
        p_came = False if arrives and from_left else choice(world, "p has arrived", (True, False))
        e_came = False if arrives and not from_left else choice(world, "e has arrived", (True, False))
        p_stored = p_came and choice(world, "p is stored", (True, False))
        e_stored = e_came and choice(world, "e is stored", (True, False))
        if not p_came:
            world.assume(pointwise(left_bounds, times_of(p)))
        if not e_came:
            world.assume(at_most(right_bound, e.timestamp))
        if p_came and not p_stored and not e_came:
            world.assume(neg(matches))
        if e_came and not e_stored and not p_came:
            world.assume(neg(matches))
        left = left_sample(world, node, *((p,) if p_stored else ()))
        right = right_sample(world, node, *((e,) if e_stored else ()))
        data = TwoInputData(left_bounds, right_bound, left, right)

        # The token that comes.
        stored = left_bounds if from_left else (right_bound,)
        bounds = world.integers("arriving bound", len(stored))
        world.assume(pointwise(stored, bounds))
        payload = None
        if arrives:
            payload = p if from_left else (e,)
        elif not rule.endswith("BOTTOM"):
            payload = partial_match(world, "another", len(stored))
            world.assume(respects(stored, payload))
        if from_left and not p_came and not arrives:
            world.assume(pointwise(bounds, times_of(p)))
        if not from_left and not e_came and not arrives:
            world.assume(at_most(bounds[0], e.timestamp))
        result = effect(world, rule, node, data, BetaToken(bounds, payload))
        assert result is not None

        # The state after, as the invariant demands it.
        after = two_input_data(result.data)
        sent = emitted(result.tokens, (*p, e))
        p_now, e_now = p_came or (arrives and from_left), e_came or (arrives and not from_left)
        claims = [
            ("p is stored at most once", at_most_once(occurrences(after.left, p))),
            ("e is stored at most once", at_most_once(occurrences(after.right, (e,)))),
        ]
        if arrives and p_now and e_now:
            claims.append(("the pair is sent once if it matches", implies(matches, once(sent))))
            claims.append(("the pair is not sent if it does not match", implies(neg(matches), not sent)))
        else:
            claims.append(("the pair is not sent, now that it cannot be new", not sent))
        if p_now and not e_now:
            claims.append(
                ("p is stored as long as e may come and match", implies(matches, once(occurrences(after.left, p))))
            )
        if e_now and not p_now:
            claims.append(
                ("e is stored as long as p may come and match", implies(matches, once(occurrences(after.right, (e,)))))
            )
        lefts, rights = [p, payload if from_left else None], [(e,), None if from_left else payload]
        pairs = {name_of(one) + "+" + name_of(other) for one in lefts if one for other in rights if other}
        known = all(name_of(token.payload) in pairs for token in beta(result.tokens) if token.payload is not None)
        claims.append(("nothing is sent but pairs of what is stored and what comes", known))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _JOIN, _PREMISES = "semantics.kernel", "semantics.rules.join", "semantics.rules.premises"
_UNEXPIRED = Mutant(
    "expire-before-the-join",
    f"{_JOIN}:join_left",
    "window = matching_right(node, right, entry)",
    "window = matching_right(node, expire_right(node, right, token.bounds), entry)",
)
_HALF_OPEN = Mutant(
    "half-open",
    f"{_KERNEL}:in_window",
    "conj(opens <= timestamp, timestamp <= closes)",
    "conj(opens <= timestamp, timestamp < closes)",
)
_EARLY = Mutant("expire-at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_MAXIMA = Mutant(
    "expire-by-the-greatest-distance",
    f"{_PREMISES}:expire_right",
    "kernel.expiration_time(left_bounds, node.minima)",
    "kernel.expiration_time(left_bounds, node.maxima)",
)

_WIDTHS = (1, 2, 3)
_CASES = (
    ("JOIN-LEFT", True, "the partial match of the pair arrives", _UNEXPIRED, (2,), (2,)),
    ("JOIN-RIGHT", True, "the event of the pair arrives", _HALF_OPEN, (2,), (2, 3)),
    ("JOIN-LEFT", False, "another partial match arrives", _MAXIMA, (), ()),
    ("JOIN-RIGHT", False, "another event arrives", _EARLY, (1,), (1,)),
    ("JOIN-LEFT-BOTTOM", False, "bounds arrive from the left", _MAXIMA, (), ()),
    ("JOIN-RIGHT-BOTTOM", False, "a bound arrives from the right", _EARLY, (1,), (1,)),
)


def _lemma(width: int, rule: str, arrives: bool, what: str, mutant: Mutant, *defects: tuple[int, ...]) -> Lemma:
    broken = defects[0] if width in (1,) else defects[1]
    return Lemma(
        f"join-{rule}-{'own' if arrives else 'other'}-{width}",
        f"When {what}, a join-node sends a pair once if it matches and both have come, else it keeps what may match.",
        SECTION,
        (rule,),
        f"any histories; {'1 event' if width in (1,) else f'{width} events'} per left partial match",
        pair(rule, width, arrives=arrives),
        mutant,
        REPAIRED if broken else HOLDS,
        broken,
    )


LEMMAS = tuple(_lemma(width, *case) for width in _WIDTHS for case in _CASES)
