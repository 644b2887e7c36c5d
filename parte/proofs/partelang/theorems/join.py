"""Join-nodes are correct: each pair that matches is emitted exactly once, and nothing else is.

Pointwise: one arbitrary left partial match `p` and one arbitrary right event `e`, with arbitrary conditions, among any
other entries of any histories. The state of a node is abstracted to the pair: has each arrived, is each stored, how
often has the pair been sent. Every rule keeps the invariant, for every token. It holds at the start (nothing has
arrived, every bound is -∞) and, once both have arrived, says that the pair was sent once if the algebra matches it and
never otherwise.
"""

from __future__ import annotations

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    alike,
    arriving,
    beta,
    effect,
    emitted,
    event,
    events_per_match,
    from_left,
    left_sample,
    name_of,
    name_of_width,
    occurrences,
    partial_match,
    repaired,
    right_sample,
    two_input_data,
    two_input_node,
    with_tail,
)
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import at_most, at_most_once, both, implies, once, pointwise
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.rulebook.connectives import neg
from parte.semantics.rulebook.registry import local

SECTION = "8.2, 5.4.6"


def pair(rule: str, width: int | Width, *, arrives: bool) -> Body:
    """A rule whose token is of the pair (`arrives`), or carries another payload or none, keeps the invariant."""
    left_comes = from_left(rule)

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        p, e = partial_match(run, "p", width), event(run, "e")
        matches = both(alike(run, node, p, e), fits(run, p, e, node.minima, node.maxima))
        left_bounds, right_bound = run.integers("left bound", width), run.integer("right bound")

        # The state before, as the invariant allows it.
        p_came = False if arrives and left_comes else choice(run, "p has arrived", (True, False))
        e_came = False if arrives and not left_comes else choice(run, "e has arrived", (True, False))
        p_stored = p_came and choice(run, "p is stored", (True, False))
        e_stored = e_came and choice(run, "e is stored", (True, False))
        if not p_came:
            run.assume(pointwise(left_bounds, times_of(p)))
        if not e_came:
            run.assume(at_most(right_bound, e.timestamp))
        if p_came and not p_stored and not e_came:
            run.assume(neg(matches))
        if e_came and not e_stored and not p_came:
            run.assume(neg(matches))
        left = left_sample(run, node, *((p,) if p_stored else ()))
        right = right_sample(run, node, *((e,) if e_stored else ()))
        data = TwoInputData(left_bounds, right_bound, left, right)

        own, contract, came = (p, left_bounds, p_came) if left_comes else ((e,), (right_bound,), e_came)
        token = arriving(run, rule, contract, own, arrives=arrives, came=came)
        result = effect(run, rule, node, data, token)
        assert result is not None

        # The state after, as the invariant demands it.
        after = two_input_data(result.data)
        sent = emitted(result.tokens, with_tail(p, (e,)))
        p_now, e_now = p_came or (arrives and left_comes), e_came or (arrives and not left_comes)
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
        lefts, rights = [p, token.payload if left_comes else None], [(e,), None if left_comes else token.payload]
        pairs = {name_of(left) + "+" + name_of(right) for left in lefts if left for right in rights if right}
        known = all(
            name_of(sent_token.payload) in pairs for sent_token in beta(result.tokens) if sent_token.payload is not None
        )
        claims.append(("nothing is sent but pairs of what is stored and what comes", known))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _JOIN, _PREMISES = (
    "parte.semantics.partelang.kernel",
    "parte.semantics.partelang.rules.join",
    "parte.semantics.partelang.rules.premises",
)
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

_WIDTHS: tuple[int | Width, ...] = (1, 2, ANY)
_CASES = (
    ("PARTE/JOIN-LEFT", True, "the partial match of the pair arrives", _UNEXPIRED, (2,), (2,)),
    ("PARTE/JOIN-RIGHT", True, "the event of the pair arrives", _HALF_OPEN, (2,), (2, 3)),
    ("PARTE/JOIN-LEFT", False, "another partial match arrives", _MAXIMA, (), ()),
    ("PARTE/JOIN-RIGHT", False, "another event arrives", _EARLY, (1,), (1,)),
    ("PARTE/JOIN-LEFT-BOTTOM", False, "bounds arrive from the left", _MAXIMA, (), ()),
    ("PARTE/JOIN-RIGHT-BOTTOM", False, "a bound arrives from the right", _EARLY, (1,), (1,)),
)


def _lemma(width: int | Width, rule: str, arrives: bool, what: str, mutant: Mutant, *defects: tuple[int, ...]) -> Lemma:
    broken = defects[0] if width in (1,) else defects[1]
    return Lemma(
        f"join-{local(rule)}-{'own' if arrives else 'other'}-{name_of_width(width)}",
        f"When {what}, a join-node sends a pair once if it matches and both have come, else it keeps what may match.",
        SECTION,
        (rule,),
        f"any histories; {events_per_match(width)}",
        pair(rule, width, arrives=arrives),
        mutant,
        *repaired(width, broken),
    )


LEMMAS = tuple(_lemma(width, *case) for width in _WIDTHS for case in _CASES)
