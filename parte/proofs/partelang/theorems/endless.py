"""Windows without a beginning: what stands for the past answers as the whole past would.

A node of such a window stores recent events, and for each key one event for all those before (`EndlessHistory`). Its
conditions are on the right event alone or keys (specification: windows-endless), so that an event belongs to a partial
match just if their keys are equal and it is not later than the window. Pointwise, as for other nodes: one arbitrary
left partial match `p` and one arbitrary right event `e`, which has yet to come, is recent, or is among those for which
the event of its key stands; that event stands for any number of others too. Merging is any function of the set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    arriving,
    beta,
    emitted,
    event,
    event_at,
    events_per_match,
    from_left,
    left_sample,
    occurrences,
    only_effect,
    partial_match,
    two_input_data,
    two_input_node,
)
from parte.proofs.partelang.statements import times_of
from parte.proofs.partelang.theorems.collection import DECIDED, STORED, TO_COME, Decisions
from parte.proofs.statements import at_most, at_most_once, both, every, implies, once, pointwise, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang import kernel
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.histories import Entry, PlainHistory
from parte.semantics.partelang.network import Past, TwoInputNode
from parte.semantics.partelang.pasts import EndlessHistory
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import OURS, Effect, TwoInputData
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.tokens import BetaToken, PartialMatch
from parte.semantics.rulebook.connectives import lowest, neg

_OWN_KEY, _KEYS = "own key", ("own key", "another key")


def _parts(event: Event) -> list[str]:
    """Return the names of the events for which an event stands."""
    return event.id.split("+")


def _merge(events: Collection[Event]) -> Event:
    names = sorted(chain(*map(_parts, events)))
    return event_at("+".join(names), lowest(tuple(event.timestamp for event in events)))


class _Decisions(Decisions):
    """Decisions by summaries of sets of which one event may stand for several."""

    def _summarize(self, elements: Collection[Event], opens: int) -> Event:
        return super()._summarize([event_at(name, opens) for name in chain(*map(_parts, elements))], opens)


def _endless(run: Run, node: TwoInputNode) -> TwoInputNode:
    """Return a node without a beginning of its window; the key of a partial match is `_OWN_KEY`."""
    return replace(
        node,
        minima=(NEGATIVE_INFINITY,),
        condition=lambda _: True,
        left_key=lambda _: _OWN_KEY,
        right_key=lambda events: choice(run, f"key of {events[0].id}", _KEYS),
        past=Past(_merge, False, ()),
    )


def _in_64_bits(events: Sequence[Event]) -> bool:
    return every(both(at_most(LEAST_INTEGER, time), at_most(time, GREATEST_INTEGER)) for time in times_of(events))


def _standing(history: Sequence[Entry], name: str) -> list[Event]:
    """Return the events of a history that are an event, or stand for it."""
    return [entry.events[0] for entry in history if name in _parts(entry.events[0])]


def _step(
    run: Run,
    rules: Sequence[str],
    node: TwoInputNode,
    data: TwoInputData,
    payload: PartialMatch,
    *,
    arrives: bool,
    came: bool,
) -> tuple[BetaToken, Effect | None]:
    """Return the token that the rules take, and their effect; None if not exactly one of them applies."""
    contract = data.left_bounds if from_left(rules[0]) else (data.right_bound,)
    token = arriving(run, rules[0], contract, payload, arrives=arrives, came=came)
    if token.payload is not None:
        run.assume(_in_64_bits(token.payload))
    return token, only_effect(run, rules, node, data, token)


def summarized(rules: Sequence[str], *, arrives: bool) -> Body:
    """Rules whose token is `p` or `e` (`arrives`), or carries another payload or none, keep the invariant."""
    left_comes = from_left(rules[0])

    def body(run: Run) -> Claims:
        decisions = _Decisions(run)
        node = _endless(run, decisions.node(1))
        p, e = partial_match(run, "p", 1), event(run, "e")
        run.assume(_in_64_bits((*p, e)))
        entry, own = left_entry(node, p), right_entry(node, e)
        inside = at_most(e.timestamp, entry.closes)
        belongs = inside if own.key == _OWN_KEY else False
        left_bounds, right_bound = run.integers("left bound", 1), run.integer("right bound")

        # The state before, as the invariant allows it.
        phase = choice(run, "p", (TO_COME,) if arrives and left_comes else (TO_COME, STORED, DECIDED))
        came = not (arrives and not left_comes) and choice(run, "e has arrived", (True, False))
        merged = came and choice(run, "another event stands for e", (True, False))
        if phase is TO_COME:
            run.assume(pointwise(left_bounds, times_of(p)))
        if phase is STORED:
            run.assume(kernel.may_be_met(entry.opens, entry.closes, right_bound))
        if merged and phase is not DECIDED:
            run.assume(inside)
        if not came:
            run.assume(at_most(right_bound, e.timestamp))
        before = event(run, "e+others" if merged else "others")
        run.assume(_in_64_bits((before,)), at_most(before.timestamp, e.timestamp) if merged else True)
        recent = (own,) if came and not merged else ()
        key = own.key if merged else choice(run, "key of others", _KEYS)
        past = Entry((before,), before.timestamp, POSITIVE_INFINITY, key)
        left = left_sample(run, node, *((p,) if phase is STORED else ()))
        right = EndlessHistory(PlainHistory(recent), node.past or Past(_merge, False, ()), {key: past})

        data = TwoInputData(left_bounds, right_bound, left, right)
        here = phase is not TO_COME if left_comes else came
        _, applied = _step(run, rules, node, data, p if left_comes else (e,), arrives=arrives, came=here)
        if applied is None:
            return (("exactly one rule applies", False),)

        # The state after, as the invariant demands it.
        after = two_input_data(applied.data)
        sent, entries = decisions.passed(beta(applied.tokens), p), occurrences(after.left, p)
        elements, standing = decisions.elements(p), _standing(list(after.right), "e")
        comes = arrives and left_comes
        claims = [
            ("p is stored or sent, and once", at_most_once([*sent, *entries])),
            ("e is in the history at most once", at_most_once(standing)),
        ]
        if phase is DECIDED or (phase is TO_COME and not comes):
            claims.append(("p is neither sent nor stored", not sent and not entries))
        elif not entries and elements is None:
            claims.append(("what is neither stored nor sent was decided", False))
        elif elements is not None:
            claims.append(("e is in the set just if it belongs to it", belongs if "e" in elements else neg(belongs)))
        if (came or (arrives and not left_comes)) and (entries or (phase is TO_COME and not comes)):
            claims.append(
                ("e, or what stands for it, is stored as long as p may need it", implies(belongs, once(standing)))
            )
            if standing and standing[0].id != "e":
                claims.append(("what another event stands for is inside the window of p", inside))
                claims.append(("it is no earlier than what stands for it", at_most(standing[0].timestamp, e.timestamp)))
        return claims

    return body


# --- Not-nodes --------------------------------------------------------------------------------------------------------


@cache
def _absent() -> Past:
    """Return the past of a negated pattern, as the compiler makes it."""
    program = parse(
        """level 2
        template A {}
        template T {}
        rule R where a: A, no v: T when no v in a [-ever, 0 ms] then
        """
    )
    network = compile_program(program, {}, {"A": ("s",), "T": ("s",)})
    (node,) = (node for node in network.nodes if isinstance(node, TwoInputNode))
    assert node.past is not None
    return node.past


def defeated(rules: Sequence[str], *, arrives: bool) -> Body:
    """The same of a not-node: the earliest event of a key stands for all of them."""
    left_comes = from_left(rules[0])

    def body(run: Run) -> Claims:
        node = replace(_endless(run, two_input_node(run, 1, negated=True)), past=_absent())
        p, e = partial_match(run, "p", 1), event(run, "e")
        run.assume(_in_64_bits((*p, e)))
        entry, own = left_entry(node, p), right_entry(node, e)

        def belonging(event: Event) -> bool:
            return at_most(event.timestamp, entry.closes) if node.right_key((event,)) == _OWN_KEY else False

        belongs = belonging(e)
        left_bounds, right_bound = run.integers("left bound", 1), run.integer("right bound")

        # The state before, as the invariant allows it.
        phase = choice(run, "p", (TO_COME,) if arrives and left_comes else (TO_COME, STORED, DECIDED))
        came = not (arrives and not left_comes) and choice(run, "e has arrived", (True, False))
        stands = came and choice(run, "an event stands for e", (True, False))
        if phase is TO_COME:
            run.assume(pointwise(left_bounds, times_of(p)), neg(belongs) if came and not stands else True)
        if phase is STORED:
            run.assume(kernel.may_be_met(entry.opens, entry.closes, right_bound))
            run.assume(neg(belongs) if came else True)
        if not came:
            run.assume(at_most(right_bound, e.timestamp))
        earliest = event(run, "earliest")
        key = own.key if stands else node.right_key((earliest,))
        run.assume(_in_64_bits((earliest,)), at_most(earliest.timestamp, e.timestamp) if stands else True)
        if phase is STORED and key == _OWN_KEY:
            run.assume(neg(at_most(earliest.timestamp, entry.closes)))
        past = Entry((earliest,), earliest.timestamp, POSITIVE_INFINITY, key)
        left = left_sample(run, node, *((p,) if phase is STORED else ()))
        right = EndlessHistory(PlainHistory(), _absent(), {key: past})

        data = TwoInputData(left_bounds, right_bound, left, right)
        here = phase is not TO_COME if left_comes else came
        token, applied = _step(run, rules, node, data, p if left_comes else (e,), arrives=arrives, came=here)
        if applied is None:
            return (("exactly one rule applies", False),)

        # The state after, as the invariant demands it.
        after = two_input_data(applied.data)
        sent, entries = emitted(beta(applied.tokens), p), occurrences(after.left, p)
        known, e_came = phase is STORED or (arrives and left_comes), came or (arrives and not left_comes)
        claims = [("p is stored or sent, and once", at_most_once([*sent, *entries]))]
        if not known:
            claims.append(("p is neither sent nor stored", not sent and not entries))
        elif sent:
            claims.append(("no event, arrived or to come, defeats what is sent", neg(belongs)))
        elif entries:
            claims.append(("what is stored is not defeated", implies(e_came, neg(belongs))))
        else:
            there = both(key == _OWN_KEY, at_most(earliest.timestamp, entry.closes))
            comes = token.payload is not None and not left_comes and belonging(token.payload[0])
            claims.append(("an event that has come defeats what is dropped", some((there, comes))))
        standing = [entry_standing for entry_standing in after.right if entry_standing.key == own.key]
        claims.append(("one event stands for those of a key", at_most_once(standing)))
        if e_came and phase is TO_COME and not (arrives and left_comes):
            earlier = every(at_most(entry_standing.opens, e.timestamp) for entry_standing in standing)
            claims.append(
                ("it is there, and no later than e, if p may need it", implies(belongs, both(once(standing), earlier)))
            )
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_PASTS, _SET = "parte.semantics.partelang.pasts:EndlessHistory", "parte.semantics.partelang.rules.collection"
_LEFT = ("PARTE/SET-LEFT-DECIDED", "PARTE/SET-LEFT-OPEN")
_UNSTORED = Mutant(
    "recent-events-alone",
    f"{_PASTS}.overlapping",
    "return recent if past is None or not in_window(past.opens, opens, closes) else [past, *recent]",
    "return recent",
)
_LOST = Mutant(
    "forget-the-past",
    f"{_PASTS}.passed",
    "self._after(recent)._merged(leaving), leaving",
    "self._after(recent), leaving",
)
_AFRESH = Mutant(
    "begin-the-past-afresh",
    f"{_PASTS}._merged",
    "known = [merged._past[key]] if key in merged._past else []",
    "known: list[Entry] = []",
)
_WAITING = Mutant(
    "past-those-that-wait",
    f"{_SET}:inside_until",
    "needing(left_bounds, left)",
    "left_bounds",
)
_CASES = (
    ("SET-LEFT-own", _LEFT, True, "it arrives", _UNSTORED),
    ("SET-RIGHT-own", ("PARTE/SET-RIGHT",), True, "an event arrives that may belong to its set", _LOST),
    ("SET-LEFT-other", _LEFT, False, "another partial match arrives", _WAITING),
    ("SET-RIGHT-other", ("PARTE/SET-RIGHT",), False, "another event arrives", _AFRESH),
    ("SET-LEFT-BOTTOM", ("PARTE/SET-LEFT-BOTTOM",), False, "bounds arrive from the left", _LOST),
    ("SET-RIGHT-BOTTOM", ("PARTE/SET-RIGHT-BOTTOM",), False, "a bound arrives from the right", _LOST),
)


_LATEST = Mutant(
    "forget-what-was-known",
    f"{_PASTS}._merged",
    "for entry in (*known, *several)",
    "for entry in several",
)
_UNMERGED = Mutant(
    "store-beside-the-past", f"{_PASTS}.stored", "if self._how.at_once else", "if not self._how.at_once else"
)
_WHENEVER = Mutant(
    "without-an-end",
    f"{_PASTS}.overlapping",
    "past is None or not in_window(past.opens, opens, closes)",
    "past is None",
)
_EARLY = Mutant(
    "release-at-once",
    "parte.semantics.partelang.histories:PlainHistory.passed",
    "not is_stale(entry.closes, bound)",
    "False",
)
_DROPPED = Mutant(
    "drop-the-past", f"{_PASTS}.passed", "self._after(recent)._merged(leaving)", "EndlessHistory(recent, self._how)"
)
_NOT_LEFT = ("PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH")
_NOT_CASES = (
    ("NOT-LEFT-own", _NOT_LEFT, True, "it arrives", _WHENEVER),
    ("NOT-RIGHT-own", ("PARTE/NOT-RIGHT",), True, "an event arrives that may defeat it", _UNMERGED),
    ("NOT-LEFT-other", _NOT_LEFT, False, "another partial match arrives", _DROPPED),
    ("NOT-RIGHT-other", ("PARTE/NOT-RIGHT",), False, "another event arrives", _LATEST),
    ("NOT-LEFT-BOTTOM", ("PARTE/NOT-LEFT-BOTTOM",), False, "bounds arrive from the left", _DROPPED),
    ("NOT-RIGHT-BOTTOM", ("PARTE/NOT-RIGHT-BOTTOM",), False, "a bound arrives from the right", _EARLY),
)


def _not_lemma(name: str, rules: tuple[str, ...], arrives: bool, what: str, mutant: Mutant) -> Lemma:
    return Lemma(
        f"ever-{name}",
        f"When {what}, a partial match at a not-node whose window has no beginning passes just if no event of its key, "
        "of the past or to come, is in the window.",
        OURS,
        rules,
        f"a past of any number of events; any left history; {events_per_match(1)}",
        defeated(rules, arrives=arrives),
        mutant,
        IN_SOUND,
    )


def _lemma(name: str, rules: tuple[str, ...], arrives: bool, what: str, mutant: Mutant) -> Lemma:
    return Lemma(
        f"ever-{name}",
        f"When {what}, a partial match at a set-node whose window has no beginning is decided by all events of its key "
        "that are not later than the window, those of the past among them.",
        OURS,
        rules,
        f"a past of any number of events; any left history; any function of the set; {events_per_match(1)}",
        summarized(rules, arrives=arrives),
        mutant,
        IN_SOUND,
    )


LEMMAS = (*(_lemma(*case) for case in _CASES), *(_not_lemma(*case) for case in _NOT_CASES))
