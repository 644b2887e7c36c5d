"""Set-nodes are correct: a left partial match is decided once, by exactly the right events in its set.

Pointwise: one arbitrary left partial match `p` and one arbitrary right event `e`, among any others. The summary by
which p passes or is dropped is of a set with e in it just if e lies in the window and meets the conditions; no event to
come does then. A stored partial match can still be met, so that it is decided as soon as the bounds allow (and at +∞
none is stored). The summary, and the conditions on it, may be any functions of the set. Conditions that stay true
(`upward`) are outside of the scope of these lemmas: there p may pass while events are to come.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from parte.proofs.any_length import ANY, Width
from parte.proofs.lemma import HOLDS, IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    alike,
    arriving,
    beta,
    event,
    events_per_match,
    from_left,
    left_sample,
    name_of,
    name_of_width,
    names_of,
    occurrences,
    only_effect,
    partial_match,
    right_sample,
    two_input_data,
    two_input_node,
    with_tail,
)
from parte.proofs.partelang.statements import fits, times_of
from parte.proofs.statements import at_most, at_most_once, both, implies, once, pointwise
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.network import Gathering, TwoInputNode
from parte.semantics.partelang.rules.premises import left_entry
from parte.semantics.partelang.rules.registry import OURS, TwoInputData
from parte.semantics.partelang.tokens import BetaToken, PartialMatch
from parte.semantics.rulebook.connectives import neg

TO_COME, STORED, DECIDED = "to come", "stored", "decided"


class Decisions:
    """The summaries of the sets of partial matches, by which a step decides whether they pass."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._made: dict[tuple[str, ...], str] = {}
        self._elements: dict[str, tuple[str, ...]] = {}

    def node(self, width: int | Width) -> TwoInputNode:
        """Return a set-node that makes them."""
        gathering = Gathering(self._summarize, self._holds, False)
        return replace(two_input_node(self._run, width, negated=False), collects=True, gathering=gathering)

    def _summarize(self, elements: Collection[Event], opens: int) -> Event:
        identities = tuple(sorted(element.id for element in elements))
        summary = Event(f"summary of {identities}", "", opens, {}, "")
        self._elements[summary.id] = identities
        return summary

    def _holds(self, events: Sequence[Event]) -> bool:
        *left, summary = names_of(events)
        self._made[tuple(left)] = summary
        return self._run.truth(f"having of {name_of(events)}")

    def elements(self, partial: PartialMatch) -> tuple[str, ...] | None:
        """Return the elements of the set by which a partial match was decided; None if it was not."""
        summary = self._made.get(tuple(names_of(partial)))
        return None if summary is None else self._elements[summary]

    def passed(self, tokens: Sequence[BetaToken], partial: PartialMatch) -> list[bool]:
        """Return, for each token that carries a partial match, whether its conditions hold."""
        own = [token.payload for token in tokens if token.payload is not None]
        return [self._holds(events) for events in own if names_of(events)[:-1] == names_of(partial)]


def gathered(rules: Sequence[str], width: int | Width, *, arrives: bool, sets: Sequence[str] = ()) -> Body:
    """Rules whose token is `p` or `e` (`arrives`), or carries another payload or none, keep the invariant.

    `p` has the summaries of other `sets` behind its events, which have no window.
    """
    left_comes = from_left(rules[0])

    def body(run: Run) -> Claims:
        decisions = Decisions(run)
        node = decisions.node(width)
        matched, e = partial_match(run, "p", width), event(run, "e")
        p = with_tail(matched, tuple(event(run, f"summary of {name} for p") for name in sets))
        entry = left_entry(node, p)
        belongs = both(alike(run, node, p, e), fits(run, matched, e, node.minima, node.maxima))
        summarized = tuple(run.integer(f"bound of summaries of {name}") for name in sets)
        left_bounds, right_bound = with_tail(run.integers("left bound", width), summarized), run.integer("right bound")

        # The state before, as the invariant allows it.
        phases = (TO_COME,) if arrives and left_comes else (TO_COME, STORED, DECIDED)
        phase = choice(run, "p", phases)
        e_came = False if arrives and not left_comes else choice(run, "e has arrived", (True, False))
        e_stored = e_came and choice(run, "e is stored", (True, False))
        if phase is TO_COME:
            run.assume(pointwise(left_bounds, times_of(p)))
        if phase is STORED:
            run.assume(kernel.may_be_met(entry.opens, entry.closes, right_bound))
        if phase is not DECIDED and e_came and not e_stored:
            run.assume(neg(belongs))
        if not e_came:
            run.assume(at_most(right_bound, e.timestamp))
        left = left_sample(run, node, *((p,) if phase is STORED else ()))
        right = right_sample(run, node, *((e,) if e_stored else ()))

        came = phase is not TO_COME if left_comes else e_came
        own, contract = (p, left_bounds) if left_comes else ((e,), (right_bound,))
        token = arriving(run, rules[0], contract, own, arrives=arrives, came=came)
        applied = only_effect(run, rules, node, TwoInputData(left_bounds, right_bound, left, right), token)
        if applied is None:
            return (("exactly one rule applies", False),)

        # The state after, as the invariant demands it.
        after = two_input_data(applied.data)
        sent, entries = decisions.passed(beta(applied.tokens), p), occurrences(after.left, p)
        elements = decisions.elements(p)
        e_now = e_came or (arrives and not left_comes)
        claims = [("p is stored or sent, and once", at_most_once([*sent, *entries]))]
        if phase is DECIDED or (phase is TO_COME and not (arrives and left_comes)):
            claims.append(("p is neither sent nor stored", not sent and not entries))
        elif entries:
            met = kernel.may_be_met(entry.opens, entry.closes, after.right_bound)
            claims.append(("what is stored could not be decided yet", met))
        elif elements is None:
            claims.append(("what is neither stored nor sent was decided", False))
        else:
            claims += [("what passes meets the conditions", holds) for holds in sent]
            if e.id in elements:
                claims.append(("an element of the set belongs to it", belongs))
            else:
                claims.append(("no event, arrived or to come, is missing in the set", neg(belongs)))
        if e_now and (entries or (phase is TO_COME and not (arrives and left_comes))):
            stored = once(occurrences(after.right, (e,)))
            claims.append(("e is stored as long as it may belong to the set of p", implies(belongs, stored)))
        claims.append(("e is stored at most once", at_most_once(occurrences(after.right, (e,)))))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _SET = "parte.semantics.partelang.kernel", "parte.semantics.partelang.rules.collection"
_EARLY = Mutant("expire-at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_WAITING = Mutant(
    "forget-what-waits",
    f"{_SET}:needing",
    "tuple(map(kernel.propagated_bound, left_bounds, stored))",
    "left_bounds",
)
_LATER = Mutant(
    "forget-what-comes",
    f"{_SET}:needing",
    "tuple(map(kernel.propagated_bound, left_bounds, stored))",
    "tuple(stored)",
)
_ALL = Mutant("pass-all", f"{_SET}:holding", " if node.gathering.holds(events)]", "]")
_UNDECIDED = Mutant(
    "decide-at-once", f"{_SET}:is_decided", "if not kernel.may_be_met(entry.opens, entry.closes, bound):", "if True:"
)
_UNSTORED = Mutant(
    "store-nothing", f"{_SET}:set_right", "data.right.stored(entry) if live else data.right", "data.right"
)

_LEFT = ("PARTE/SET-LEFT-DECIDED", "PARTE/SET-LEFT-OPEN")
_CASES = (
    ("SET-LEFT-own", _LEFT, True, "it arrives", _UNDECIDED),
    ("SET-RIGHT-own", ("PARTE/SET-RIGHT",), True, "an event arrives that may belong to its set", _UNSTORED),
    ("SET-LEFT-other", _LEFT, False, "another partial match arrives", _WAITING),
    ("SET-RIGHT-other", ("PARTE/SET-RIGHT",), False, "another event arrives", _EARLY),
    ("SET-LEFT-BOTTOM", ("PARTE/SET-LEFT-BOTTOM",), False, "bounds arrive from the left", _LATER),
    ("SET-RIGHT-BOTTOM", ("PARTE/SET-RIGHT-BOTTOM",), False, "a bound arrives from the right", _ALL),
)


def _lemma(
    width: int | Width,
    sets: Sequence[str],
    name: str,
    rules: tuple[str, ...],
    arrives: bool,
    what: str,
    mutant: Mutant,
) -> Lemma:
    behind = "".join(f"-and-{name}" for name in sets)
    return Lemma(
        f"set-{name}-{name_of_width(width)}{behind}",
        f"When {what}, a partial match at a set-node is decided just if no event to come belongs to its set, by all "
        "events that do.",
        OURS,
        rules,
        f"any histories; any function of the set; {events_per_match(width)}{', behind another set' if sets else ''}",
        gathered(rules, width, arrives=arrives, sets=sets),
        mutant,
        IN_SOUND if isinstance(width, Width) else HOLDS,
    )


_WIDTHS: Sequence[tuple[int | Width, Sequence[str]]] = ((1, ()), (1, ("set",)), (ANY, ()))
LEMMAS = tuple(_lemma(*width, *case) for width in _WIDTHS for case in _CASES)
