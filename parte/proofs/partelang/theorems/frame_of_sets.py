"""A step at a set-node treats each entry of a history separately, whatever the other entries are (see `frame`).

A left partial match has the set that the right events alone would give it, one by one, and is decided, sent or stored
as if no other were there. A right event stays just if it would stay for one of the left partial matches alone. The
summary, and the conditions on it, are any functions of the set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    event,
    first_outcome,
    just,
    name_of,
    partial_match,
    two_input_data,
    two_input_node,
)
from parte.proofs.partelang.theorems.frame import ENTRIES, ONE_EXPIRES, WIDTH
from parte.proofs.statements import equal, every
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.events.event import Event
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.network import Gathering, Side, TwoInputNode
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import OURS, Effect, Kind, TwoInputData, rules_for
from parte.semantics.partelang.tokens import BetaToken


@dataclass
class _Outcome:
    """The outcome of a step, by names: the sets of the partial matches that it decides, those of them that meet the
    conditions, what it sends, and the histories after it."""

    sets: dict[str, list[str]] = field(default_factory=dict)
    holding: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    bounds: tuple[int, ...] = ()


def _node(run: Run, outcome: _Outcome, *, conditions: bool) -> TwoInputNode:
    """Return a set-node that notes what it decides; without `conditions`, nothing meets them."""

    def summarize(elements: Collection[Event], opens: int) -> Event:
        return Event(" ".join(sorted(element.id for element in elements)), "", opens, {}, "")

    def holds(events: Sequence[Event]) -> bool:
        *left, summary = events
        outcome.sets[name_of(left)] = summary.id.split()
        if conditions and run.truth(f"having of {name_of(left)} with {summary.id}"):
            outcome.holding.append(name_of(events))
            return True
        return False

    gathering = Gathering(summarize, holds, False)
    return replace(two_input_node(run, WIDTH, negated=False), collects=True, gathering=gathering)


def _entries(side: Side, *, payload: bool) -> range:
    """Return the numbers of the entries that are searched: two where an event may belong to the set of each."""
    return ENTRIES[1:] if side is Side.RIGHT and payload else ENTRIES


def framed(side: Side, *, payload: bool) -> Body:
    """For a token, and some entries in the searched history, each of them alone, or none.

    The other history has one entry, or none where a right event arrives: then that is the one that sets may have.
    """
    from_left = side is Side.LEFT
    numbers = _entries(side, payload=payload)

    def body(run: Run) -> Claims:
        plain = two_input_node(run, WIDTH, negated=False)
        lefts = [left_entry(plain, partial_match(run, f"p{number}", WIDTH)) for number in numbers]
        rights = [right_entry(plain, event(run, f"e{number}")) for number in numbers]
        searched, resting = (rights, lefts[:1]) if from_left else (lefts, rights[: not payload])
        left_bounds, right_bound = run.integers("left bound", WIDTH), run.integer("right bound")
        bounds = run.integers("arriving bound", WIDTH)
        arriving = partial_match(run, "arriving", WIDTH) if payload else None

        def step(entries: Sequence[Entry], *, whole: bool = False, informs: bool = False) -> _Outcome:
            outcome = _Outcome()
            node = _node(run, outcome, conditions=whole or not from_left)
            left, right = (resting, entries) if from_left else (entries, resting)
            data = TwoInputData(left_bounds, right_bound, just(run, *left), just(run, *right))
            effect = first_outcome(
                run, Family.FEATHERWEIGHT, node, side, data, BetaToken(bounds, arriving), informs=informs
            )
            assert isinstance(effect, Effect)
            after = two_input_data(effect.data)
            sent = (result.payload for result in effect.tokens if isinstance(result, BetaToken))
            outcome.sent = [name_of(events) for events in sent if events is not None]
            outcome.left = [name_of(entry.events) for entry in after.left]
            outcome.right = [name_of(entry.events) for entry in after.right]
            outcome.bounds = (*after.left_bounds, after.right_bound)
            return outcome

        none, alone = step(()), [step((entry,)) for entry in searched]
        together, unread = step(searched, whole=True, informs=True), step(searched, whole=True)
        united = {
            name: sorted({element for outcome in alone for element in outcome.sets.get(name, ())})
            for name in chain(*(outcome.sets for outcome in (none, *alone)))
        }
        known = (*bounds, right_bound) if from_left else (*left_bounds, *bounds)
        claims = [
            ("each set has the elements that it has of the entries alone", together.sets == united),
            ("what is sent is what meets the conditions", together.sent == together.holding),
            ("unread bounds make no difference", replace(unread, bounds=()) == replace(together, bounds=())),
            (
                "the bounds that came are stored beside those of the other side",
                every(map(equal, together.bounds, known)),
            ),
        ]
        if from_left:
            stays = [name for outcome in alone for name in outcome.right]
            claims.append(("of the left every entry is stored as without right events", together.left == none.left))
            claims.append(("the right events that stay are those that stay alone", together.right == stays))
        else:
            stays = [name for outcome in alone for name in outcome.left]
            needed = {name for outcome in (none, *alone) for name in outcome.right}
            claims.append(("the left entries that stay are those that stay alone", together.left == stays))
            claims.append(("a right event stays if it stays for one alone", set(together.right) == needed))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_SET = "parte.semantics.partelang.rules.collection"
_CASES = (
    (
        Side.LEFT,
        True,
        Mutant(
            "summarize-one",
            f"{_SET}:elements_of",
            "matching_right(node, right, entry)]",
            "matching_right(node, right, entry)[:1]]",
        ),
    ),
    (Side.RIGHT, True, Mutant("decide-one", f"{_SET}:holding", "for entry in entries]", "for entry in entries[:1]]")),
    (Side.LEFT, False, ONE_EXPIRES),
    (
        Side.RIGHT,
        False,
        Mutant(
            "complete-one",
            f"{_SET}:set_right_bottom",
            "holding(node, data.right, complete)",
            "holding(node, data.right, complete[:1])",
        ),
    ),
)


def _lemma(side: Side, payload: bool, mutant: Mutant) -> Lemma:
    return Lemma(
        f"frame-SET-{side.name}{'' if payload else '-BOTTOM'}",
        f"What a set-node does when {'something' if payload else 'a bound'} comes from the {side.name.lower()} is, for "
        "several entries, what it does for each alone: each set has the elements that it has of each.",
        OURS,
        tuple(info.id for info in rules_for(Family.FEATHERWEIGHT, Kind.SET, side, payload)),
        f"{len(_entries(side, payload=payload))} entries of any key and condition in the history that is searched, 1 "
        "right event in sets of the left entries; any function of the set; 1 event per left partial match; any number "
        "of entries by `frame-uniform`",
        framed(side, payload=payload),
        mutant,
        IN_SOUND,
    )


LEMMAS = tuple(_lemma(*case) for case in _CASES)
