"""A step treats each entry of a history separately, whatever the other entries are.

The lemmas on one partial match and one event (`join`, `negation`) are about histories without other entries that a step
would affect. Here the same rules run on three arbitrary entries, on each of them alone, and on none: results, remaining
entries and stored entries are those for the entries alone. Entries are abstract, of any lifetime, key and condition, so
that each may match, be defeated, expire or stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from parte.proofs.lemma import HOLDS, Lemma
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
from parte.proofs.partelang.uniformity import covered, departures
from parte.proofs.statements import equal, every
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.network import Side
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import Effect, Kind, TwoInputData, rules_for
from parte.semantics.partelang.tokens import BetaToken

ENTRIES = range(3)
WIDTH = 1


@dataclass(frozen=True)
class Outcome:
    """The outcome of a step: the names of the results, the entries of each history from before, and new ones."""

    sent: list[str]
    searched: list[Entry]
    resting: list[Entry]
    stored: list[Entry]
    bounds: tuple[int, ...]

    @property
    def news(self) -> tuple[list[str], list[str]]:
        """The results, and the stored entries."""
        return self.sent, [name_of(entry.events) for entry in self.stored]


def abstract_entry(run: Run, name: str) -> Entry:
    """Return a left partial match with a lifetime and a key that are independent of its events."""
    opens, closes = run.integer(f"{name} opens"), run.integer(f"{name} closes")
    return Entry(partial_match(run, name, WIDTH), opens, closes, run.integer(f"key of {name}"))


def frame(side: Side, *, negated: bool, payload: bool) -> Body:
    """For a token, and three entries in the searched history, each of them alone, or none."""
    from_left = side is Side.LEFT

    def body(run: Run) -> Claims:
        node = two_input_node(run, WIDTH, negated=negated)
        lefts = [abstract_entry(run, f"p{number}") for number in ENTRIES]
        rights = [right_entry(node, event(run, f"e{number}")) for number in ENTRIES]
        searched, resting = (rights, lefts) if from_left else (lefts, rights)
        names = {name_of(entry.events) for entry in resting}
        left_bounds, right_bound = run.integers("left bound", WIDTH), run.integer("right bound")
        bounds = run.integers("arriving bound", len(left_bounds if from_left else (right_bound,)))
        arriving = partial_match(run, "arriving", len(bounds)) if payload else None

        def step(entries: Sequence[Entry], *, informs: bool = False) -> Outcome:
            left, right = (resting, entries) if from_left else (entries, resting)
            data = TwoInputData(left_bounds, right_bound, just(run, *left), just(run, *right))
            token = BetaToken(bounds, arriving)
            effect = first_outcome(run, Family.FEATHERWEIGHT, node, side, data, token, informs=informs)
            assert isinstance(effect, Effect)
            after = two_input_data(effect.data)
            own, opposite = (after.left, after.right) if from_left else (after.right, after.left)
            sent = (result.payload for result in effect.tokens if isinstance(result, BetaToken))
            return Outcome(
                [name_of(payload) for payload in sent if payload is not None],
                list(opposite),
                [entry for entry in own if name_of(entry.events) in names],
                [entry for entry in own if name_of(entry.events) not in names],
                (*after.left_bounds, after.right_bound),
            )

        known = (*bounds, right_bound) if from_left else (*left_bounds, *bounds)
        none, alone, together = step(()), [step((entry,)) for entry in searched], step(searched, informs=True)
        unread = step(searched)
        if negated and from_left:
            # The others decide only whether the arriving partial match is defeated: one alone is enough.
            expected = ([], []) if any(outcome.news != none.news for outcome in alone) else none.news
        else:
            expected = [name for outcome in alone for name in outcome.sent], none.news[1]
        claims = [
            ("results and what is stored are those of the entries alone", together.news == expected),
            (
                "the entries that stay are those that stay alone",
                _same(together.searched, [x for a in alone for x in a.searched]),
            ),
            ("of the other side every entry stays", _same(together.resting, resting)),
            (
                "the bounds that came are stored beside those of the other side",
                every(map(equal, together.bounds, known)),
            ),
            (
                "unread bounds make no difference",
                unread.news == together.news and _same(unread.searched, together.searched),
            ),
        ]
        if arriving is not None:
            expected_entry = left_entry(node, arriving) if from_left else right_entry(node, arriving[0])
            same = (every(map(equal, _times(entry), _times(expected_entry))) for entry in together.stored)
            claims.append(("what is stored has its own lifetime and key", every(same)))
        return claims

    return body


def _same(first: Sequence[Entry], second: Sequence[Entry]) -> bool:
    return [id(entry) for entry in first] == [id(entry) for entry in second]


def _times(entry: Entry) -> tuple[int, ...]:
    return entry.opens, entry.closes, cast(int, entry.key)


def uniform(_: Run) -> Claims:
    """Claims about the text of the functions; no solver is needed."""
    return tuple(
        (f"{function.__qualname__} does to one entry what it does to another", not departures(function))
        for function in covered()
    )


# --- The lemmas -------------------------------------------------------------------------------------------------------

_JOIN, _NOT, _PREMISES = (
    "parte.semantics.partelang.rules.join",
    "parte.semantics.partelang.rules.negation",
    "parte.semantics.partelang.rules.premises",
)
ONE_EXPIRES = Mutant(
    "expire-the-first-alone",
    "parte.semantics.partelang.histories:PlainHistory.passed",
    "not is_stale(entry.closes, bound)",
    "any(entry is other for other in self.entries[1:]) or not is_stale(entry.closes, bound)",
)
_CASES: Sequence[tuple[Side, bool, bool, Mutant]] = (
    (
        Side.LEFT,
        False,
        True,
        Mutant(
            "store-what-joins-nothing",
            f"{_JOIN}:join_left",
            "stored(entry) if live else",
            "stored(entry) if live and not matching_right(node, data.right, entry) else",
        ),
    ),
    (
        Side.RIGHT,
        False,
        True,
        Mutant("join-one", f"{_JOIN}:join_right", "for other in window]", "for other in window[:1]]"),
    ),
    (Side.LEFT, False, False, ONE_EXPIRES),
    (Side.RIGHT, False, False, ONE_EXPIRES),
    (Side.LEFT, True, True, Mutant("ask-one", f"{_PREMISES}:matching_right", "in window if", "in window[:1] if")),
    (Side.RIGHT, True, True, Mutant("defeat-one", f"{_NOT}:not_right", "without(defeated)", "without(defeated[:1])")),
    (Side.LEFT, True, False, ONE_EXPIRES),
    (
        Side.RIGHT,
        True,
        False,
        Mutant("release-one", f"{_NOT}:not_right_bottom", "for entry in expired]", "for entry in expired[:1]]"),
    ),
)


def _lemma(side: Side, negated: bool, payload: bool, mutant: Mutant) -> Lemma:
    kind = Kind.NOT if negated else Kind.JOIN
    rules = tuple(info.id for info in rules_for(Family.FEATHERWEIGHT, kind, side, payload))
    return Lemma(
        f"frame-{kind.name}-{side.name}{'' if payload else '-BOTTOM'}",
        f"What a {kind.value}-node does when {'something' if payload else 'a bound'} comes from the "
        f"{side.name.lower()} is, for several entries, what it does for each alone, whatever the others do.",
        "5.4.6",
        rules,
        "3 entries of any lifetime, key and condition in the history that is searched; "
        "1 event per left partial match; any number of entries by `frame-uniform`",
        frame(side, negated=negated, payload=payload),
        mutant,
        HOLDS,
    )


LEMMAS = (
    *(_lemma(*case) for case in _CASES),
    Lemma(
        "frame-uniform",
        "Syntactic, asked of no solver: no rule or premise of join-, not- and set-nodes and no operation of "
        "`PlainHistory` singles out, counts or compares entries, but for the phrases in "
        "`parte/proofs/partelang/uniformity.py`, each with its reason.",
        "5.4.6",
        tuple(
            info.id
            for kind in (Kind.JOIN, Kind.NOT, Kind.SET)
            for side in (Side.LEFT, Side.RIGHT)
            for payload in (True, False)
            for info in rules_for(Family.FEATHERWEIGHT, kind, side, payload)
        ),
        "the text of the functions",
        uniform,
        Mutant("join-three", f"{_PREMISES}:matching_left", "for entry in window if", "for entry in window[:3] if"),
        HOLDS,
    ),
)
