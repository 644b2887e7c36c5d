"""Expiry discards nothing that can still match (D §8.2), and keeps nothing that cannot.

The algebra's evaluator decides what can match. A later right event respects the promised bound; a later left partial
match respects the bounds of each of its events.
"""

from __future__ import annotations

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    event,
    event_at,
    events_per_match,
    holds,
    name_of_width,
    partial_match,
    repaired,
    respects,
    two_input_node,
)
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import at_most, both, implies, same
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import History, PlainHistory
from parte.semantics.partelang.rules.premises import expire_left, expire_negated, expire_right, left_entry, right_entry
from parte.semantics.rulebook.connectives import neg

SECTION = "8.2.1"
WIDTHS: tuple[int | Width, ...] = (1, 2, ANY)
ONE = (1,)


def left_expiry(width: int | Width, *, negated: bool) -> Body:
    """A left partial match that expires, or that a not-node releases, fits no later right event."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=negated)
        partial, later = partial_match(run, "p", width), event(run, "later")
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


def exhaustive(width: int | Width) -> Body:
    """At a not-node a left partial match either stays or is released."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=True)
        partial = partial_match(run, "p", width)
        stored = PlainHistory((left_entry(node, partial),))
        staying, released = expire_negated(run.repairs, stored, run.integer("right bound"))
        return (("it stays, or it is released, and not both", same(bool(released), not holds(staying, partial))),)

    return body


def left_promptness(width: int | Width) -> Body:
    """A left partial match that stays can still fit an event that respects the bound, unless no event fits."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        partial, bound = partial_match(run, "p", width), run.integer("right bound")
        entry = left_entry(node, partial)
        stays = holds(expire_left(run.repairs, PlainHistory((entry,)), bound), partial)
        last = event_at("last", kernel.lifetime_closes(times_of(partial), node.maxima))
        possible = at_most(kernel.lifetime_opens(times_of(partial), node.minima), last.timestamp)
        match = both(fits(run, partial, last, node.minima, node.maxima), at_most(bound, last.timestamp))
        return (("an event at the end of its lifetime may come and fits", implies(both(stays, possible), match)),)

    return body


def right_expiry(width: int | Width) -> Body:
    """A right event that expires fits no later left partial match."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        right, later = event(run, "e"), partial_match(run, "later", width)
        bounds = run.integers("left bound", width)
        run.assume(respects(bounds, later))
        gone = not holds(expire_right(node, PlainHistory((right_entry(node, right),)), bounds), (right,))
        match = fits(run, later, right, node.minima, node.maxima)
        return (("what expires fits no later partial match", implies(gone, neg(match))),)

    return body


def lifetime(width: int | Width) -> Body:
    """An event lies in the windows of all left events exactly if it lies between the two ends of the lifetime."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        partial, right = partial_match(run, "p", width), event(run, "e")
        entry = left_entry(node, partial)
        inside = kernel.in_window(right.timestamp, entry.opens, entry.closes)
        match = fits(run, partial, right, node.minima, node.maxima)
        return (("in the lifetime, in all windows", implies(inside, match)), ("and back", implies(match, inside)))

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _PREMISES = "parte.semantics.partelang.kernel", "parte.semantics.partelang.rules.premises"
_EARLY = Mutant("expire-at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_LATE = Mutant("expire-one-later", f"{_KERNEL}:is_stale", "return ends < bound", "return ends + 1 < bound")
_MAXIMA = Mutant(
    "expire-by-the-greatest-distance",
    f"{_PREMISES}:expire_right",
    "kernel.expiration_time(left_bounds, node.minima)",
    "kernel.expiration_time(left_bounds, node.maxima)",
)
_UNION = Mutant("union-of-windows", f"{_KERNEL}:lifetime_closes", "return lowest(", "return highest(")
_HALF_OPEN = Mutant(
    "half-open",
    f"{_KERNEL}:in_window",
    "conj(opens <= timestamp, timestamp <= closes)",
    "conj(opens <= timestamp, timestamp < closes)",
)
_LEFT_RULES = ("PARTE/JOIN-RIGHT", "PARTE/JOIN-RIGHT-BOTTOM")
_NOT_RULES = ("PARTE/NOT-RIGHT", "PARTE/NOT-RIGHT-BOTTOM", "PARTE/NOT-LEFT-NOMATCH")
_RIGHT_RULES = (
    "PARTE/JOIN-LEFT",
    "PARTE/JOIN-LEFT-BOTTOM",
    "PARTE/NOT-LEFT-MATCH",
    "PARTE/NOT-LEFT-NOMATCH",
    "PARTE/NOT-LEFT-BOTTOM",
)


def _lemmas(width: int | Width) -> list[Lemma]:
    scope = events_per_match(width)
    return [
        Lemma(
            f"expiry-left-join-{name_of_width(width)}",
            "A left partial match that expires at a join-node fits no right event that is still to come.",
            SECTION,
            _LEFT_RULES,
            scope,
            left_expiry(width, negated=False),
            _EARLY,
            *repaired(width, (1,)),
        ),
        Lemma(
            f"expiry-left-not-{name_of_width(width)}",
            "A left partial match that a not-node releases fits no right event that is still to come.",
            SECTION,
            _NOT_RULES,
            scope,
            left_expiry(width, negated=True),
            _EARLY,
            *repaired(width, (1,)),
        ),
        Lemma(
            f"expiry-exhaustive-{name_of_width(width)}",
            "At a not-node a left partial match that no event defeats either stays or is released.",
            SECTION,
            _NOT_RULES[:2],
            scope,
            exhaustive(width),
            Mutant(
                "lose-what-is-released",
                "parte.semantics.partelang.histories:PlainHistory.parted",
                "if leaving else (self, leaving)",
                "if not leaving else (PlainHistory(tuple(staying)), [])",
            ),
            *repaired(width, () if width in ONE else (4,)),
        ),
        Lemma(
            f"expiry-right-{name_of_width(width)}",
            "A right event that expires fits no left partial match that is still to come.",
            SECTION,
            _RIGHT_RULES,
            scope,
            right_expiry(width),
            _MAXIMA,
            HOLDS,
        ),
        Lemma(
            f"expiry-lifetime-{name_of_width(width)}",
            "A right event lies in the windows of all events of a left partial match exactly if in its lifetime.",
            SECTION,
            (
                "PARTE/JOIN-LEFT",
                "PARTE/JOIN-RIGHT",
                "PARTE/NOT-LEFT-MATCH",
                "PARTE/NOT-LEFT-NOMATCH",
                "PARTE/NOT-RIGHT",
            ),
            scope,
            lifetime(width),
            _HALF_OPEN if width in ONE else _UNION,
            HOLDS,
        ),
        Lemma(
            f"expiry-left-prompt-{name_of_width(width)}",
            "A left partial match that stays can still fit a right event to come, unless its windows have nothing in "
            "common.",
            SECTION,
            _LEFT_RULES,
            scope,
            left_promptness(width),
            _LATE,
            *repaired(width, (1,)),
        ),
    ]


LEMMAS = tuple(lemma for width in WIDTHS for lemma in _lemmas(width))
