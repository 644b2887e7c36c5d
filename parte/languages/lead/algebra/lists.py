"""The lists of items that a repetition collects (specification: lead-denotation; L §3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parte.languages.lead.algebra.effort import Effort, few
from parte.languages.lead.algebra.expressions import Environment, Known, holds, value_of
from parte.languages.lead.algebra.unions import Matches, new_match, precedes
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match


def collected(pattern: tree.Collect, items: Matches, until: int | None, enabled: int) -> Iterable[Match]:
    """(10): the list grows item by item, until it is invalid or complete."""
    accepted: list[Match] = []
    if until is not None and until <= enabled:
        return [] if _invalid(pattern, ()) else [_listed(pattern, (), enabled, enabled)]
    for item in (None, *items):
        if item is not None:
            if not _accepted(pattern, item, accepted):
                continue
            accepted.append(item)
        if _invalid(pattern, accepted):
            return []
        if _terminated(pattern, accepted):
            return [_listed(pattern, accepted, enabled if item is None else item.end, enabled)]
    return [] if until is None else [_listed(pattern, accepted, until, enabled)]


def picked(pattern: tree.Pick, items: Matches, until: int | None, enabled: int, effort: Effort) -> Iterable[Match]:
    """Of the lists of some of the items, return the best of those that end first."""
    collect = pattern.collect
    lists: list[tuple[Match, ...]] = [()]
    for at, item in [(enabled, None), *((item.end, item) for item in items)]:
        effort.spend(len(lists))
        if item is not None:
            lists = few([*lists, *((*chosen, item) for chosen in lists if _accepted(collect, item, chosen))])
        lists = [chosen for chosen in lists if not _invalid(collect, chosen)]
        now = [chosen for chosen in lists if _over(collect, chosen, until, enabled)]
        if now and item is not None:
            # Further items of the same instant make more lists that end then.
            now = _at_once(
                collect, lists, [later for later in items if precedes(item) < precedes(later) and later.end == at]
            )
        if now:
            return _best(pattern, [_listed(collect, chosen, at, enabled) for chosen in now])
    return [] if until is None else _best(pattern, [_listed(collect, chosen, until, enabled) for chosen in lists])


def listed(pattern: tree.Collect, items: Matches, end: int, enabled: int) -> Match | None:
    """Return the list of the accepted items; None if it becomes invalid."""
    accepted: list[Match] = []
    if _invalid(pattern, accepted):
        return None
    for item in items:
        if _accepted(pattern, item, accepted):
            accepted.append(item)
            if _invalid(pattern, accepted):
                return None
    return _listed(pattern, accepted, end, enabled)


def _at_once(collect: tree.Collect, lists: list[tuple[Match, ...]], items: Matches) -> list[tuple[Match, ...]]:
    """Return all lists that these items complete. A complete list does not grow."""
    done = [chosen for chosen in lists if _terminated(collect, chosen)]
    growing = [chosen for chosen in lists if not _terminated(collect, chosen)]
    for item in items:
        grown = [(*chosen, item) for chosen in growing if _accepted(collect, item, chosen)]
        grown = [chosen for chosen in grown if not _invalid(collect, chosen)]
        done += [chosen for chosen in grown if _terminated(collect, chosen)]
        growing = few([*growing, *(chosen for chosen in grown if not _terminated(collect, chosen))])
    return done


def _over(collect: tree.Collect, items: Matches, until: int | None, enabled: int) -> bool:
    return _terminated(collect, items) or (until is not None and until <= enabled)


def _best(pattern: tree.Pick, lists: Matches) -> Iterable[Match]:
    """Return the best list by the aggregate; among equals the one that starts first, then the longest, then the
    first."""
    valued = []
    for match in lists:
        items = match.bindings[0][1]
        assert isinstance(items, tuple)
        value = value_of(pattern.aggregate, _of_list(pattern.collect, items))
        valued.append((match, len(items), value))
    rising = sorted(valued, key=lambda entry: (entry[0].start, -entry[1], precedes(entry[0])))
    best = None
    operator = tree.Operator.GREATER if pattern.greatest else tree.Operator.LESS
    for match, _, value in rising:
        if best is None or (value is not None and (best[1] is None or _better(value, operator, best[1]))):
            best = (match, value)
    return [] if best is None else [best[0]]


def _accepted(pattern: tree.Collect, item: Match, before: Matches) -> bool:
    if pattern.accept is None:
        return True
    return holds(pattern.accept, _of_list(pattern, tuple(before), item))


def _invalid(pattern: tree.Collect, items: Matches) -> bool:
    return pattern.invalidate is not None and holds(pattern.invalidate, _of_list(pattern, tuple(items)))


def _terminated(pattern: tree.Collect, items: Matches) -> bool:
    return pattern.terminate is not None and holds(pattern.terminate, _of_list(pattern, tuple(items)))


def _of_list(pattern: tree.Collect, items: tuple[Match, ...], item: Match | None = None) -> Environment:
    """Return the environment of the conditions of a repetition: the list, and its latest item or the item to be
    accepted."""
    latest = item if item is not None else (items[-1] if items else None)
    names: dict[str, Known] = {} if latest is None else dict(latest.bindings)
    if pattern.name is not None:
        names[pattern.name] = items
    return Environment(names, items)


def _listed(pattern: tree.Collect, items: Matches, end: int, enabled: int) -> Match:
    events = frozenset(position for item in items for position in item.events)
    whole = new_match(((pattern.name or "list", tuple(items)),), end, enabled, events)
    return replace(whole, emits=tuple(emitted for item in items for emitted in item.emits))


def _better(value: tree.Constant, operator: tree.Operator, than: tree.Constant) -> bool:
    return holds(tree.Comparison(tree.Literal(value), operator, tree.Literal(than)), Environment({}))
