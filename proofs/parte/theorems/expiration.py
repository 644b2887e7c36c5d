"""Expiry discards nothing that can still match (D §8.2), and keeps nothing that cannot.

What can match is what the algebra's evaluator says. A later right event respects the bound that was promised; a later
left partial match respects the bounds of each of its events.
"""

from __future__ import annotations

from collections.abc import Callable

from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.parte.settings import event, event_at, holds, partial_match, respects, two_input_node
from parte.proofs.parte.statements import at_most, both, equal, fits, implies, same, some, times_of
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.parte import kernel
from parte.semantics.parte.histories import History, PlainHistory
from parte.semantics.parte.rules.premises import expire_left, expire_negated, expire_right, left_entry, right_entry
from parte.semantics.rulebook.connectives import neg

SECTION = "8.2.1"
WIDTHS = (1, 2, 3, 4)
ONE = (1,)


def left_expiry(width: int, *, negated: bool) -> Body:
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


def exhaustive(width: int) -> Body:
    """At a not-node a left partial match either stays or is released."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=True)
        partial = partial_match(run, "p", width)
        stored = PlainHistory((left_entry(node, partial),))
        staying, released = expire_negated(run.repairs, stored, run.integer("right bound"))
        return (("it stays, or it is released, and not both", same(bool(released), not holds(staying, partial))),)

    return body


def left_promptness(width: int) -> Body:
    """A left partial match that stays can still fit an event that respects the bound, unless no event at all fits."""

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


def right_expiry(width: int) -> Body:
    """A right event that expires fits no later left partial match."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        one, later = event(run, "e"), partial_match(run, "later", width)
        bounds = run.integers("left bound", width)
        run.assume(respects(bounds, later))
        gone = not holds(expire_right(node, PlainHistory((right_entry(node, one),)), bounds), (one,))
        match = fits(run, later, one, node.minima, node.maxima)
        return (("what expires fits no later partial match", implies(gone, neg(match))),)

    return body


def lifetime(width: int) -> Body:
    """An event lies in the windows of all left events exactly if it lies between the two ends of the lifetime."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, width, negated=False)
        partial, one = partial_match(run, "p", width), event(run, "e")
        entry = left_entry(node, partial)
        inside = kernel.in_window(one.timestamp, entry.opens, entry.closes)
        match = fits(run, partial, one, node.minima, node.maxima)
        return (("in the lifetime, in all windows", implies(inside, match)), ("and back", implies(match, inside)))

    return body


def lifetime_step(function: Callable[..., int]) -> Body:
    """One more left event narrows a lifetime by its own window; the others count as one, at the end they gave."""

    def body(run: Run) -> Claims:
        first, second, third = run.integers("timestamp", 3)
        distances = run.integers("distance", 3)
        rest = function((second, third), distances[1:])
        step = function((first, rest), (distances[0], 0))
        return (
            ("the end for three events is the step from two", equal(function((first, second, third), distances), step)),
        )

    return body


def expiration_step(run: Run) -> Claims:
    """The expiration time for one more left event; a right event that it passes lies outside some event's window."""
    bounds, minima = run.integers("left bound", 3), run.integers("minimum", 3)
    rest = kernel.expiration_time(bounds[1:], minima[1:])
    step = kernel.expiration_time((bounds[0], rest), (minima[0], 0))
    whole = kernel.expiration_time(bounds, minima)
    one = run.integer("timestamp of e")
    alone = [kernel.is_stale(one, kernel.shifted(*pair)) for pair in zip(bounds, minima, strict=True)]
    return (
        ("the time for three events is the step from two", equal(whole, step)),
        ("what it passes is too early for one of the events", implies(kernel.is_stale(one, whole), some(alone))),
    )


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _PREMISES = "parte.semantics.parte.kernel", "parte.semantics.parte.rules.premises"
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


def _events(width: int) -> str:
    return "1 event per left partial match" if width in ONE else f"{width} events per left partial match"


def _lemmas(width: int) -> list[Lemma]:
    scope = _events(width)
    return [
        Lemma(
            f"expiry-left-join-{width}",
            "A left partial match that expires at a join-node fits no right event that is still to come.",
            SECTION,
            _LEFT_RULES,
            scope,
            left_expiry(width, negated=False),
            _EARLY,
            REPAIRED,
            (1,),
        ),
        Lemma(
            f"expiry-left-not-{width}",
            "A left partial match that a not-node releases fits no right event that is still to come.",
            SECTION,
            _NOT_RULES,
            scope,
            left_expiry(width, negated=True),
            _EARLY,
            REPAIRED,
            (1,),
        ),
        Lemma(
            f"expiry-exhaustive-{width}",
            "At a not-node a left partial match that no event defeats either stays or is released.",
            SECTION,
            _NOT_RULES[:2],
            scope,
            exhaustive(width),
            Mutant(
                "lose-what-is-released",
                "parte.semantics.parte.histories:PlainHistory.parted",
                "if leaving else (self, leaving)",
                "if not leaving else (PlainHistory(tuple(staying)), [])",
            ),
            HOLDS if width in ONE else REPAIRED,
            () if width in ONE else (4,),
        ),
        Lemma(
            f"expiry-right-{width}",
            "A right event that expires fits no left partial match that is still to come.",
            SECTION,
            _RIGHT_RULES,
            scope,
            right_expiry(width),
            _MAXIMA,
            HOLDS,
        ),
        Lemma(
            f"expiry-lifetime-{width}",
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
            f"expiry-left-prompt-{width}",
            "A left partial match that stays can still fit a right event to come, unless its windows have nothing in "
            "common.",
            SECTION,
            _LEFT_RULES,
            scope,
            left_promptness(width),
            _LATE,
            REPAIRED,
            (1,),
        ),
    ]


def _step_lemma(name: str, function: Callable[..., int], mutant: Mutant) -> Lemma:
    return Lemma(
        f"expiry-{name}-step",
        f"Where a lifetime {name} with one more left event follows from that event and from where it {name} so far.",
        SECTION,
        ("PARTE/JOIN-LEFT", "PARTE/JOIN-RIGHT", "PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH", "PARTE/NOT-RIGHT"),
        "the step of an induction over the number of left events",
        lifetime_step(function),
        mutant,
        HOLDS,
    )


LEMMAS = (
    *(lemma for width in WIDTHS for lemma in _lemmas(width)),
    _step_lemma(
        "closes",
        kernel.lifetime_closes,
        Mutant(
            "forget-the-third",
            f"{_KERNEL}:lifetime_closes",
            "map(add, timestamps, maxima)",
            "map(add, timestamps[:2], maxima)",
        ),
    ),
    _step_lemma(
        "opens",
        kernel.lifetime_opens,
        Mutant(
            "forget-the-third",
            f"{_KERNEL}:lifetime_opens",
            "map(add, timestamps, minima)",
            "map(add, timestamps[:2], minima)",
        ),
    ),
    Lemma(
        "expiry-right-step",
        "The expiration time for one more left event follows from that event and from the one for the others, and a "
        "right event that it has passed lies before the window of one of the events to come.",
        SECTION,
        _RIGHT_RULES,
        "the step of an induction over the number of left events",
        expiration_step,
        Mutant("forget-the-distance", f"{_KERNEL}:expiration_time", "map(add, left_bounds, minima)", "left_bounds"),
        HOLDS,
    ),
)
