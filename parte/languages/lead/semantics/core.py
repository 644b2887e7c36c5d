"""Transitions of the core operators (specification: lead-nets; L §5.1, figures 4 to 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.languages.lead.semantics.conditions import Test, View
from parte.languages.lead.semantics.net import Place, Run
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token, joined, match_of

LEFT, RIGHT = 0, 1


@dataclass(frozen=True, slots=True)
class Source:
    """The places of a source: that of its activations, that of the arrivals of the instant, and that of its matches.
    `name` is the name of the event."""

    enabled: Place
    present: Place
    name: str
    out: Place


@dataclass(frozen=True, slots=True)
class Pair:
    """The places of two joined patterns: those of the matches of each side, and that of the joined matches. `twins`
    are the names that ascend; `reverse` says that the left pattern is second in the text."""

    sides: tuple[Place, Place]
    out: Place
    twins: Sequence[Sequence[str]] = ()
    enable: Place | None = None
    reverse: bool = False


@rule("ENABLE", "In", "5.1")
def enable(run: Run, token: Token, targets: Sequence[Place]) -> None:
    """A token that enables a pattern enables its parts."""
    for place in targets:
        run.put(place, Token(token.activation, token.colour))


@rule("SOURCE", "source", "5.1, figure 4")
def source(run: Run, token: Token, site: Source) -> None:
    """An arrival meets every activation, and an activation every arrival of the instant, except events that are
    used."""
    if isinstance(token.colour, Occurrence):
        run.put(site.present, token)
        _meet(run, [active.activation for active in run.all_stored(site.enabled)], token.colour, site)
    else:
        run.put(site.enabled, token)
        for present in run.all_stored(site.present):
            assert isinstance(present.colour, Occurrence)
            _meet(run, [token.activation], present.colour, site)


def _meet(run: Run, activations: Sequence[Activation], event: Occurrence, site: Source) -> None:
    position, time = event.position, event.time
    match = Match(((site.name, event),), time, time, frozenset({position}))
    for activation in activations:
        used = run.repairs.unique and position in activation.used
        if time >= activation.enabled and not used and position not in activation.spent:
            run.put(site.out, Token(activation, match))


@rule("FILTER", "filter", "3.3 (1)")
def filtered(run: Run, token: Token, test: Test, out: Place) -> None:
    """A match passes if it fulfils the condition."""
    if test.holds(View(dict(match_of(token).bindings))):
        run.put(out, token)


@rule("AND", "conjunction", "5.1, figure 5")
def conjunction(run: Run, token: Token, site: Pair, side: int) -> None:
    """A match is stored, and joined with all matches of the other side that share no event with it."""
    run.put(site.sides[side], token)
    match = match_of(token)
    for stored in run.stored(site.sides[1 - side], token.activation):
        first, second = (match, match_of(stored)) if side == LEFT else (match_of(stored), match)
        if run.repairs.unique and not first.events.isdisjoint(second.events):
            continue
        whole = joined(first, second, token.activation.enabled)
        if not run.repairs.twins or _ascending(whole, site.twins):
            run.put(site.out, Token(token.activation, whole))


def _ascending(match: Match, twins: Sequence[Sequence[str]]) -> bool:
    bound = dict(match.bindings)
    for names in twins:
        events = [bound[name] for name in names if name in bound]
        positions = [event.position for event in events if isinstance(event, Occurrence)]
        if positions != sorted(positions):
            return False
    return True


@rule("OR", "dis-junction", "5.1, figure 5")
def disjunction(run: Run, token: Token, site: Pair, side: int) -> None:
    """Matches of both sides at one instant are joined; a match without a partner passes alone."""
    if not run.repairs.outer_join:
        run.put(site.out, token)
        return
    activation = token.activation
    taken = [match_of(match_token) for match_token in (token, *run.take_all(site.sides[side], activation))]
    others = [match_of(match_token) for match_token in run.take_all(site.sides[1 - side], activation)]
    left, right = (taken, others) if side == LEFT else (others, taken)
    partners: dict[int, bool] = {}
    for first in left:
        for second in right:
            if not run.repairs.unique or first.events.isdisjoint(second.events):
                partners[id(first)] = partners[id(second)] = True
                run.put(site.out, Token(activation, joined(first, second, activation.enabled)))
    for match in (*left, *right):
        if id(match) not in partners:
            run.put(site.out, Token(activation, match))


@rule("SEQ", "sequence", "5.1, figure 6")
def sequence(run: Run, token: Token, site: Pair, side: int) -> None:
    """A match on the left is stored and enables the right; a match on the right joins the one that enabled it."""
    lefts = site.sides[LEFT]
    match, activation = match_of(token), token.activation
    if side == LEFT:
        assert site.enable is not None
        shared = run.stored(lefts, activation)
        if not run.repairs.activation and shared:
            run.put(lefts, Token(activation, match))
            return
        after = following(run, activation, match)
        run.put(lefts, Token(activation if not run.repairs.activation else after, match))
        run.put(site.enable, Token(after, None))
        return
    parent = activation.parent
    assert parent is not None
    for stored in run.stored(lefts, activation if run.repairs.activation else parent):
        left = match_of(stored)
        if run.repairs.unique and not left.events.isdisjoint(match.events):
            continue
        first, second = (match, left) if site.reverse else (left, match)
        whole = joined(first, second, parent.enabled)
        run.put(site.out, Token(parent, whole))


def following(run: Run, activation: Activation, match: Match) -> Activation:
    """Return the activation that a match enables: from its end on, with other events."""
    events = {name: bound for name, bound in match.bindings if isinstance(bound, Occurrence)}
    names = {**activation.names, **events}
    return run.activation(activation, match.end, names, activation.used | match.events, activation.spent)
