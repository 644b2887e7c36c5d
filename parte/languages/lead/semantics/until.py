"""Transitions of an open pattern that the following part ends (specification: lead-nets; L §3.3.1 (9), (10), §3.3.3
(15))."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.languages.lead.semantics.conditions import View, true_of
from parte.languages.lead.semantics.core import following
from parte.languages.lead.semantics.net import Place, Run
from parte.languages.lead.semantics.repetition import Repetition
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match
from parte.languages.lead.semantics.tokens import Token, joined, listed, match_of, nothing, order


@dataclass(slots=True)
class Until:
    """The places of the matches of an open pattern, of those stored so far, of the enabling of the following part,
    and of the results; and the conditions on the ended pattern. For `last` with `strictly`, a match that ends when
    the next one begins is not before it."""

    open: tree.Pattern
    conditions: Sequence[tree.Expression]
    matches: Place
    stored: Place
    enable: Place
    out: Place
    repetition: Repetition | None = None
    begun: tuple[Place, ...] = ()
    strictly: bool = False


@rule("UNTIL", "until the next element", "3.3.1")
def until(run: Run, token: Token, site: Until, step: str) -> None:
    """The matches of the open pattern are stored. A match of the following part ends the pattern with them."""
    activation = token.activation
    if step == "matched":
        if isinstance(site.open, tree.Policy):
            _enable_next(run, token, site)
            return
        for place in site.begun:
            run.put(place, Token(activation, token.colour))
        run.put(site.stored, token)
        return
    match = match_of(token)
    parent = activation.parent if isinstance(site.open, tree.Policy) else activation
    assert parent is not None
    known = sorted((match_of(stored) for stored in run.stored(site.stored, parent)), key=order)
    if run.repairs.unique:
        known = [earlier for earlier in known if earlier.events.isdisjoint(match.events)]
    ended = _ended(site, known, match, parent.enabled)
    if ended is not None and all(true_of(condition, View(dict(ended.bindings))) for condition in site.conditions):
        run.put(site.out, Token(parent, joined(ended, match, parent.enabled)))


def _enable_next(run: Run, token: Token, site: Until) -> None:
    """Store the matches of the operand of `last`. The first match enables the following part."""
    activation = token.activation
    matched = sorted([token, *run.take_all(site.matches, activation)], key=lambda waiting: order(match_of(waiting)))
    begun = bool(run.stored(site.stored, activation))
    for waiting in matched:
        run.put(site.stored, waiting)
    if not begun:
        run.put(site.enable, Token(following(run, activation, match_of(matched[0])), None))


def _ended(site: Until, known: Sequence[Match], match: Match, enabled: int) -> Match | None:
    match site.open:
        case tree.Not():
            return None if known else nothing(match.end, enabled)
        case tree.Policy():
            latest = match.start - 1 if site.strictly else match.start
            before = [earlier for earlier in known if earlier.end <= latest]
            return before[-1] if before else None
    repetition = site.repetition
    assert repetition is not None
    items: tuple[Match, ...] = ()
    for item in (None, *known):
        if item is not None:
            if not repetition.accepts(items, item):
                continue
            items = (*items, item)
        if repetition.invalid(items):
            return None
    return listed(repetition.name, items, match.end, enabled)
