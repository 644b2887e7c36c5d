"""Transitions of repetitions (specification: lead-nets; L §3.3.1 (10), §5.1, figure 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parte.languages.lead.semantics.conditions import View, compared, compiled, true_of
from parte.languages.lead.semantics.net import Place, Run, TooManyFirings, Transition
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token, listed, match_of, order

MAX_LISTS = 20_000
"""The greatest number of lists to choose from; more are an error, because each item doubles their number."""

Lists = tuple[tuple[Match, ...], ...]
Deadline = Callable[[Run, Activation], int | None]
"""A function that returns the instant at which time ends a pattern, or None if the pattern never matches."""


class TooManyLists(TooManyFirings):
    """Error: a run would take too much memory."""

    def __init__(self) -> None:
        RuntimeError.__init__(self, f"a choice among more than {MAX_LISTS} lists; let `max` or `min` end sooner")


@dataclass(slots=True)
class Repetition:
    """A repetition: its conditions, the place that stores its lists, the places that enable and receive its items, and
    the place of finished lists; `begun` are the places of sub-contexts that begin a branch with an item.

    `until` returns the instant at which time ends it, and `timer` is the guard for that instant. `pick` chooses among
    all lists, and `ended` has those that ended in this instant.
    """

    pattern: tree.Collect
    lists: Place
    enable: Place
    items: Place
    out: Place
    begun: tuple[Place, ...]
    until: Deadline | None = None
    timer: Transition | None = None
    pick: tree.Pick | None = None
    ended: Place | None = None

    @property
    def name(self) -> str:
        """The name of the list."""
        return self.pattern.name or "list"

    def view(self, items: tuple[Match, ...], latest: Match | None = None) -> View:
        """Return the view of its conditions: an item and the list."""
        latest = latest or (items[-1] if items else None)
        names: dict[str, object] = dict(latest.bindings) if latest else {}
        return View(names | {self.name: items}, items)

    def accepts(self, items: tuple[Match, ...], item: Match) -> bool:
        """Return Wacc: whether an item extends the list."""
        return self.pattern.accept is None or true_of(self.pattern.accept, self.view(items, item))

    def invalid(self, items: tuple[Match, ...]) -> bool:
        """Return Win: whether a list is invalid."""
        return self.pattern.invalidate is not None and true_of(self.pattern.invalidate, self.view(items))

    def terminated(self, items: tuple[Match, ...]) -> bool:
        """Return Wrt: whether a list is terminated."""
        return self.pattern.terminate is not None and true_of(self.pattern.terminate, self.view(items))

    def settled(self, run: Run, items: tuple[Match, ...]) -> bool | None:
        """Return True for a list that is released, None for one that is garbage, False for one that grows."""
        invalid, terminated = self.invalid(items), self.terminated(items)
        if run.repairs.invalidate_first:
            return None if invalid else terminated
        return True if terminated else None if invalid else False


@rule("COLLECT", "repetition", "5.1, figure 6")
def collect(run: Run, token: Token, site: Repetition, step: str) -> None:
    """The least item extends the list; an invalid list is garbage, a terminated one is released, or time ends it."""
    if step == "enable":
        inner = _begun(run, token.activation, site)
        if inner is not None:
            _place(run, site, inner, ())
        return
    stored = run.take_all(site.lists, token.activation)
    if not stored:
        return
    (lists,) = stored
    items = _items(lists)
    if step == "due":
        _release(run, site, token.activation, items)
        return
    item = _least(run, token, site.items)
    if site.accepts(items, item):
        for place in site.begun:
            run.put(place, Token(token.activation, item))
        _place(run, site, token.activation, (*items, item))
    else:
        run.put(site.lists, lists)


def _place(run: Run, site: Repetition, inner: Activation, items: tuple[Match, ...]) -> None:
    """Store a list, or release it, or drop it."""
    state = site.settled(run, items)
    if state is False:
        run.put(site.lists, Token(inner, (items,)))
    elif state is None:
        run.close(inner)
    else:
        _release(run, site, inner, items)


def _release(run: Run, site: Repetition, inner: Activation, items: tuple[Match, ...]) -> None:
    assert inner.parent is not None
    run.put(site.out, Token(inner.parent, listed(site.name, items, run.now, inner.enabled)))
    if run.repairs.rearm:
        run.close(inner)
    elif items:
        run.put(site.lists, Token(inner, ((),)))


@rule("PICK", "Max, Min", "3.3.3, 5.1")
def pick(run: Run, token: Token, site: Repetition, step: str) -> None:
    """An item extends all lists; of those that end first, the best is released at the end of the instant."""
    if step == "enable":
        inner = _begun(run, token.activation, site)
        if inner is not None:
            _sort_lists(run, site, inner, ((),))
        return
    inner = token.activation
    if step == "ended":
        assert site.ended is not None
        ended = [token, *run.take_all(site.ended, inner)]
        _best(run, site, inner, tuple(_items(list_token) for list_token in ended))
        return
    stored = run.take_all(site.lists, inner)
    if sum(len(_lists(waiting)) for waiting in stored) > MAX_LISTS:
        raise TooManyLists
    if step == "due":
        _best(run, site, inner, tuple(items for waiting in stored for items in _lists(waiting)))
        return
    item = _least(run, token, site.items)
    lists = tuple(items for waiting in stored for items in _lists(waiting))
    grown = tuple((*items, item) for items in lists if site.accepts(items, item))
    if grown:
        for place in site.begun:
            run.put(place, Token(inner, item))
    _keep(run, site, inner, lists)
    _sort_lists(run, site, inner, grown)


def _sort_lists(run: Run, site: Repetition, inner: Activation, lists: Lists) -> None:
    growing = []
    for items in lists:
        state = site.settled(run, items)
        if state is False:
            growing.append(items)
        elif state is True:
            assert site.ended is not None
            run.put(site.ended, Token(inner, (items,)))
    _keep(run, site, inner, tuple(growing))


def _keep(run: Run, site: Repetition, inner: Activation, lists: Lists) -> None:
    if lists:
        run.put(site.lists, Token(inner, lists))


def _best(run: Run, site: Repetition, inner: Activation, lists: Lists) -> None:
    """Release the list with the best aggregate; among equals the one that starts first, then the longest, then the
    first."""
    assert site.pick is not None
    assert inner.parent is not None
    value = compiled(site.pick.aggregate)
    candidates = [
        (listed(site.name, items, run.now, inner.enabled), value(site.view(items)), len(items)) for items in lists
    ]
    candidates.sort(key=lambda candidate: (candidate[0].start, -candidate[2], order(candidate[0])))
    if candidates:
        better = tree.Operator.GREATER if site.pick.greatest else tree.Operator.LESS
        best = candidates[0]
        for candidate in candidates[1:]:
            if candidate[1] is not None and (best[1] is None or compared(candidate[1], better, best[1])):
                best = candidate
        run.put(site.out, Token(inner.parent, best[0]))
    if run.repairs.rearm:
        run.close(inner)
    else:
        run.take_all(site.lists, inner)
        run.put(site.lists, Token(inner, ((),)))


def _begun(run: Run, activation: Activation, site: Repetition) -> Activation | None:
    """Enable the items and return their activation. If time has ended the repetition already, release the empty list
    and return None."""
    until = None if site.until is None else site.until(run, activation)
    if site.until is not None and until is None and site.pattern.terminate is None:
        return None
    inner = run.activation(activation, activation.enabled, activation.names, activation.used, activation.spent)
    if until is not None and until <= activation.enabled and not _later(site):
        if not site.invalid(()) or (not run.repairs.invalidate_first and site.pattern.terminate is not None):
            if site.pick is None:
                run.put(site.out, Token(activation, listed(site.name, (), run.now, activation.enabled)))
            else:
                _best(run, site, inner, ((),))
        return None
    run.put(site.enable, Token(inner, None))
    if until is not None and site.timer is not None:
        run.due(site.timer, until, Token(inner, None))
    return inner


def _later(site: Repetition) -> bool:
    return site.timer is not None and site.timer.phase.name == "DUE_LATER"


def _least(run: Run, token: Token, items: Place) -> Match:
    """Take the least of the items of an activation; put the others back."""
    waiting = sorted([token, *run.take_all(items, token.activation)], key=lambda item: order(match_of(item)))
    for item in waiting[1:]:
        run.put(items, item)
    return match_of(waiting[0])


def _lists(token: Token) -> Lists:
    assert isinstance(token.colour, tuple)
    return token.colour


def _items(token: Token) -> tuple[Match, ...]:
    (items,) = _lists(token)
    return items


def outside(condition: tree.Expression | None) -> list[str]:
    """Return the names of the time events whose end terminates a repetition."""
    if isinstance(condition, tree.Either):
        return [part.name for part in condition.parts if isinstance(part, tree.Outside)]
    return [condition.name] if isinstance(condition, tree.Outside) else []


def time_over(names: list[str], run: Run, activation: Activation) -> int | None:
    """Return the first instant, from the activation on, that is outside one of the time events, or None."""
    instants: list[int] = []
    view = View(_objects(activation.names))
    for name in names:
        start, end = (compiled(bound)(view) for bound in (run.times[name].start, run.times[name].end))
        if _is_instant(start) and _is_instant(end):
            instants.append(end if start <= activation.enabled < end else activation.enabled)
    return min(instants, default=None)


def _is_instant(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _objects(names: Mapping[str, Occurrence]) -> dict[str, object]:
    return dict(names)
