"""Transitions of the policies (specification: lead-nets; L §3.3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.semantics.net import Place, Run, Transition
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token, match_of, order


@dataclass(slots=True)
class Selection:
    """A policy: the place of the matches that it selects from, the place that enables these, the place of selected
    matches, and the names whose events it uses once. With a `timer`, the place `again` has the activations that
    begin at the next instant."""

    matches: Place
    enable: Place
    out: Place
    consumed: Sequence[str] = ()
    again: Place | None = None
    timer: Transition | None = None


def _inner(activation: Activation, run: Run) -> Activation:
    return run.activation(activation, activation.enabled, activation.names, activation.used, activation.spent)


def _present(run: Run, token: Token, site: Selection) -> list[Match]:
    """Return all matches of the instant, in order."""
    tokens = [token, *run.take_all(site.matches, token.activation)]
    return sorted((match_of(waiting) for waiting in tokens), key=order)


@rule("FIRST", "first", "3.3.3 (14)")
def first(run: Run, token: Token, site: Selection, step: str) -> None:
    """The first match of an activation passes, and closes it."""
    if step == "enable":
        run.put(site.enable, Token(_inner(token.activation, run), None))
        return
    parent = token.activation.parent
    assert parent is not None
    least = _present(run, token, site)[0]
    run.close(token.activation)
    run.put(site.out, Token(parent, least))


@rule("EVERY", "every", "3.3.3 (17)")
def every(run: Run, token: Token, site: Selection, step: str) -> None:
    """The first match passes, closes its activation, and makes another one: from its end on, with other events. If
    matches must not meet (`again`), the new one begins at the next instant."""
    if step == "enable":
        run.put(site.enable, Token(_inner(token.activation, run), None))
        return
    if step == "due":
        assert site.again is not None
        for waiting in run.take_all(site.again, token.activation):
            run.put(site.enable, waiting)
        return
    before = token.activation
    assert before.parent is not None
    least = _present(run, token, site)[0]
    run.close(before)
    run.put(site.out, Token(before.parent, least))
    if site.timer is not None and site.again is not None:
        later = run.activation(before.parent, least.end + 1, before.names, before.used)
        run.put(site.again, Token(later, None))
        run.due(site.timer, least.end + 1, Token(later, None))
        return
    # The next match cannot have events from before its end anyway.
    spent = frozenset(position for position in before.spent | least.events if position[0] >= least.end)
    run.put(site.enable, Token(run.activation(before.parent, least.end, before.names, before.used, spent), None))


@rule("CONSUME", "all … consume", "3.3.3 (18)")
def consume(run: Run, token: Token, site: Selection, memory: Place) -> None:
    """Matches pass in order, except those that share a consumed part with a match that passed before."""
    used: set[tuple[int, int]] = set()
    for remembered in run.take_all(memory, token.activation):
        assert isinstance(remembered.colour, frozenset)
        used |= remembered.colour
    for match in _present(run, token, site):
        parts = set(_parts(match, site.consumed))
        if not parts & used:
            used |= parts
            run.put(site.out, Token(token.activation, match))
    if site.consumed:
        run.put(memory, Token(token.activation, frozenset(used)))


def _parts(match: Match, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    for name, bound in match.bindings:
        if name in names:
            yield from {bound.position} if isinstance(bound, Occurrence) else (p for item in bound for p in item.events)


@rule("ADJ", "adj", "3.3.3 (16)")
def adjacent(run: Run, token: Token, names: Sequence[str], out: Place) -> None:
    """Adjacent parts are bound in the order of the text, whichever part came first."""
    bindings = sorted(match_of(token).bindings, key=lambda binding: names.index(binding[0]))
    run.put(out, Token(token.activation, replace(match_of(token), bindings=tuple(bindings))))
