"""Not-nodes are correct: a left partial match is sent exactly once if no right event defeats it, else never.

Pointwise: one arbitrary left partial match `p` and one arbitrary right event `e`, among any others. A sent partial
match is defeated by no event, arrived or later; a dropped one is defeated by an event that has arrived; a stored one
can still be defeated, so that it is sent as soon as the bounds allow (and at +∞ none is stored).
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    alike,
    arriving,
    emitted,
    event,
    events_per_match,
    from_left,
    left_sample,
    name_of_width,
    occurrences,
    only_effect,
    partial_match,
    repaired,
    right_sample,
    two_input_data,
    two_input_node,
)
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import at_most, at_most_once, both, implies, once, pointwise, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.rules.premises import left_entry
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.rulebook.connectives import neg

SECTION = "8.2, 8.4, 5.4.6"
TO_COME, STORED, SENT, DROPPED = "to come", "stored", "sent", "dropped"


def guarded(rules: Sequence[str], width: int | Width, *, arrives: bool) -> Body:
    """Rules whose token is `p` or `e` (`arrives`), or carries another payload or none, keep the invariant."""
    left_comes = from_left(rules[0])

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=True)
        p, e, f = partial_match(run, "p", width), event(run, "e"), event(run, "f")

        def defeats(right: Event) -> bool:
            return both(alike(run, node, p, right), fits(run, p, right, node.minima, node.maxima))

        entry = left_entry(node, p)
        left_bounds, right_bound = run.integers("left bound", width), run.integer("right bound")

        # The state before, as the invariant allows it.
        phases = (TO_COME,) if arrives and left_comes else (TO_COME, STORED, SENT, DROPPED)
        phase = choice(run, "p", phases)
        e_came = False if arrives and not left_comes else choice(run, "e has arrived", (True, False))
        e_stored = e_came and choice(run, "e is stored", (True, False))
        if phase is TO_COME:
            run.assume(pointwise(left_bounds, times_of(p)))
            if e_came and not e_stored:
                run.assume(neg(defeats(e)))
        if not e_came:
            run.assume(at_most(right_bound, e.timestamp))
        if phase is STORED:
            run.assume(kernel.may_be_met(entry.opens, entry.closes, right_bound))
            if e_came:
                run.assume(neg(defeats(e)))
        if phase is SENT:
            run.assume(neg(defeats(e)))
        left = left_sample(run, node, *((p,) if phase is STORED else ()))
        right = right_sample(run, node, *((e,) if e_stored else ()), *((f,) if arrives and left_comes else ()))

        came = phase is not TO_COME if left_comes else e_came
        own, contract = (p, left_bounds) if left_comes else ((e,), (right_bound,))
        token = arriving(run, rules[0], contract, own, arrives=arrives, came=came)
        applied = only_effect(run, rules, node, TwoInputData(left_bounds, right_bound, left, right), token)
        if applied is None:
            return (("exactly one rule applies", False),)

        # The state after, as the invariant demands it.
        after = two_input_data(applied.data)
        sent, entries = emitted(applied.tokens, p), occurrences(after.left, p)
        e_now = e_came or (arrives and not left_comes)
        claims = [("p is stored or sent, and once", at_most_once([*sent, *entries]))]
        if phase in (SENT, DROPPED) or (phase is TO_COME and not (arrives and left_comes)):
            claims.append(("p is neither sent nor stored", not sent and not entries))
        elif sent:
            claims.append(("no event, arrived or to come, defeats what is sent", neg(defeats(e))))
        elif entries:
            met = kernel.may_be_met(entry.opens, entry.closes, after.right_bound)
            claims.append(("what is stored could not be sent yet", met))
            if e_now:
                claims.append(("no event that has arrived defeats what is stored", neg(defeats(e))))
        else:
            arrived = [e] if e_now else []
            arrived += [f] if left_comes else list(token.payload or ())
            claims.append(("an event that has arrived defeats what is dropped", some(map(defeats, arrived))))
        if phase is TO_COME and not (arrives and left_comes) and e_now:
            stored = once(occurrences(after.right, (e,)))
            claims.append(("e is stored as long as it may defeat p", implies(defeats(e), stored)))
        claims.append(("e is stored at most once", at_most_once(occurrences(after.right, (e,)))))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _NOT, _PREMISES = (
    "parte.semantics.partelang.kernel",
    "parte.semantics.partelang.rules.negation",
    "parte.semantics.partelang.rules.premises",
)
_EARLY = Mutant("expire-at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_MAXIMA = Mutant(
    "expire-by-the-greatest-distance",
    f"{_PREMISES}:expire_right",
    "kernel.expiration_time(left_bounds, node.minima)",
    "kernel.expiration_time(left_bounds, node.maxima)",
)
_AT_ONCE = Mutant("send-and-store", f"{_NOT}:not_left_nomatch", "() if live else (entry.events,)", "(entry.events,)")
_SPARE = Mutant("defeat-nothing", f"{_NOT}:not_right", "data.left.without(defeated), bound", "data.left, bound")
_KEEP = Mutant(
    "release-nothing", f"{_NOT}:not_right_bottom", "expire_negated(site.repairs, data.left, bound)", "(data.left, [])"
)

_WIDTHS: tuple[int | Width, ...] = (1, 2, ANY)
_LEFT = ("PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH")
_CASES = (
    ("NOT-LEFT-own", _LEFT, True, "it arrives", _AT_ONCE, (2, 6), (2, 6)),
    ("NOT-RIGHT-own", ("PARTE/NOT-RIGHT",), True, "an event arrives that may defeat it", _SPARE, (1, 5), (1, 3, 5)),
    ("NOT-LEFT-other", _LEFT, False, "another partial match arrives", _MAXIMA, (), ()),
    ("NOT-RIGHT-other", ("PARTE/NOT-RIGHT",), False, "another event arrives", _EARLY, (1, 5), (1, 3, 5)),
    ("NOT-LEFT-BOTTOM", ("PARTE/NOT-LEFT-BOTTOM",), False, "bounds arrive from the left", _MAXIMA, (), ()),
    ("NOT-RIGHT-BOTTOM", ("PARTE/NOT-RIGHT-BOTTOM",), False, "a bound arrives from the right", _KEEP, (1,), (1,)),
)


def _lemma(
    width: int | Width,
    name: str,
    rules: tuple[str, ...],
    arrives: bool,
    what: str,
    mutant: Mutant,
    *broken: tuple[int, ...],
) -> Lemma:
    defects = broken[0] if width in (1,) else broken[1]
    return Lemma(
        f"not-{name}-{name_of_width(width)}",
        f"When {what}, a partial match at a not-node is sent once just if no event can defeat it any more, and "
        "dropped only if one has.",
        SECTION,
        rules,
        f"any histories; {events_per_match(width)}",
        guarded(rules, width, arrives=arrives),
        mutant,
        *repaired(width, defects),
    )


LEMMAS = tuple(_lemma(width, *case) for width in _WIDTHS for case in _CASES)
