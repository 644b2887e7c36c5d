"""Bounds of the places of a net: a number of tokens, an age, or none (specification: lead-kept).

They follow from the lifetime of the activations that enable a pattern, the number of these that live at once, and the
number of matches of each pattern for one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from parte.languages.lead.semantics.net import Net, Place
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import bound
from parte.languages.lead.semantics.syntax.names import scope_of, units


@dataclass(frozen=True, slots=True)
class Kept:
    """The bounds of a place at the end of an instant: the most tokens, their greatest age in ms, and the most items
    of its lists. None means that no bound is known."""

    tokens: int | None = None
    age: int | None = None
    items: int | None = 0

    @property
    def bounded(self) -> bool:
        """True if all that the place keeps is bounded, by a number or by an age."""
        return self.age is not None or (self.tokens is not None and self.items is not None)

    def __str__(self) -> str:
        if self.tokens is not None and self.items is not None:
            return f"at most {self.tokens} token{'' if self.tokens == 1 else 's'}" + (
                f" with {self.items} items" if self.items else ""
            )
        return "nothing" if self.age is None else f"what is at most {self.age} ms old"


@dataclass(frozen=True, slots=True)
class Enabled:
    """The activations that enable a pattern: how many live at once, how many ms one lives, and the events that are
    always bound to its left."""

    alive: int | None
    life: int | None
    names: frozenset[str] = frozenset()

    def keeps(self, tokens: int | None, age: int | None = None, items: int | None = 0) -> Kept:
        """Return the bounds of a place with `tokens` tokens for each activation, which leave it at `age` ms."""
        limits = [limit for limit in (age, self.life) if limit is not None]
        return Kept(_times(self.alive, tokens), min(limits, default=None), items)

    def within(self, life: int | None) -> Enabled:
        """Return an activation of its own for each, which lives at most `life` ms."""
        limits = [limit for limit in (life, self.life) if limit is not None]
        return Enabled(self.alive, min(limits, default=None), self.names)

    def after(self, pattern: tree.Pattern) -> Enabled:
        """Return an activation for each match of a pattern."""
        return Enabled(_times(self.alive, matches(pattern)), self.life, self.names | {*events_of(pattern)})


def _times(*counts: int | None) -> int | None:
    if 0 in counts:
        return 0
    return None if None in counts else prod(count for count in counts if count is not None)


def bounds_of(net: Net, times: tuple[tree.TimeEvent, ...]) -> dict[int, Kept]:
    """Return the bounds of each stateful place, by its number; places without a known bound are missing."""
    assert net.pattern is not None
    known: dict[tuple[int, str], Kept] = {}
    for key, bounds in _Places({time.name: time for time in times}).of(net.pattern, Enabled(1, None)):
        before = known.get(key, bounds)
        known[key] = Kept(
            _most(before.tokens, bounds.tokens), _most(before.age, bounds.age), _most(before.items, bounds.items)
        )
    return {place.number: known[key] for place in net.places if place.red and (key := _key(place)) in known}


def _most(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else max(left, right)


def _key(place: Place) -> tuple[int, str]:
    return id(place.pattern), place.role


def matches(pattern: tree.Pattern) -> int | None:
    """Return the greatest number of matches of a pattern for one activation; None if there is no bound."""
    match pattern:
        case tree.Policy(choice=choice) if choice in (tree.Choice.FIRST, tree.Choice.ADJ, tree.Choice.LAST):
            return 1
        case tree.Pick() | tree.Collect() | tree.Not():
            return 1
        case tree.Filtered(operand=operand) | tree.Within(operand=operand, source=None | tree.Bound()):
            return matches(operand)
        case tree.Within(operand=operand, source=source) if source is not None:
            return _times(matches(operand), matches(source))
        case tree.Wait(operand=operand) | tree.Subcontext(operand=operand):
            return matches(operand)
        case tree.And(parts=parts):
            return _times(*map(matches, parts))
        case tree.Sequence(parts=parts):
            return _times(*(matches(unit[-1]) for unit in units(parts)))
        case tree.Or(parts=parts):
            counts = [matches(part) for part in parts]
            return None if None in counts else prod(1 + count for count in counts if count is not None) - 1
        case _:
            return None


def events_of(pattern: tree.Pattern) -> list[str]:
    """Return the names of the events that every match of a pattern binds."""
    if any(isinstance(node, tree.Or) for node in tree.within(pattern)):
        return []
    return [name for name, inner in scope_of(pattern).items() if inner is None]


Claims = Iterator[tuple[tuple[int, str], Kept]]


class _Places:
    def __init__(self, times: dict[str, tree.TimeEvent]) -> None:
        self._times = times

    def of(self, pattern: tree.Pattern, enabled: Enabled) -> Claims:
        """Yield the bounds of the places of a pattern and of its parts."""
        here = id(pattern)
        match pattern:
            case tree.Atom():
                yield (here, "enabled"), enabled.keeps(1)
            case tree.Filtered(operand=operand):
                yield from self.of(operand, enabled)
            case tree.And(parts=parts):
                sides = [matches(part) for part in parts]
                left = [_times(*sides[:number]) for number in range(1, len(sides))]
                yield (here, "left"), enabled.keeps(None if None in left else max(count or 0 for count in left))
                yield (
                    (here, "right"),
                    enabled.keeps(None if None in sides[1:] else max(count or 0 for count in sides[1:])),
                )
                for part in parts:
                    yield from self.of(part, enabled)
            case tree.Or(parts=parts):
                for part in parts:
                    yield from self.of(part, enabled)
            case tree.Sequence(parts=parts):
                yield from self._sequence(here, list(units(parts)), enabled)
            case tree.Within(operand=operand, duration=duration, source=source):
                yield from self._within(pattern, operand, duration.milliseconds, source, enabled)
            case tree.Wait(operand=operand, duration=duration):
                yield from self._timed(here, operand, enabled.within(duration.milliseconds))
            case tree.Collect():
                yield from self._lists(pattern, enabled, pattern, self._time_over(pattern, enabled))
            case tree.Pick(collect=collect):
                yield from self._lists(pattern, enabled, collect, self._time_over(collect, enabled))
            case tree.Policy(choice=tree.Choice.ALL, operand=operand, consumed=consumed):
                yield (here, "memory"), enabled.keeps(1, None, None if consumed else 0)
                yield from self.of(operand, enabled)
            case tree.Policy(choice=tree.Choice.FIRST | tree.Choice.EVERY, operand=operand):
                yield from self.of(operand, enabled)
            case tree.Policy(choice=tree.Choice.ADJ, operand=tree.And() | tree.Sequence() as whole):
                parts = whole.parts
                before = parts[0] if len(parts) == 2 else replace(whole, parts=parts[:-1])
                orders = [(before, parts[-1])]
                if isinstance(whole, tree.And):
                    orders.append((parts[-1], before))
                for earlier, later in orders:
                    yield from self._unit(here, (tree.Policy(tree.Choice.LAST, earlier, ()), later), enabled)
            case tree.Subcontext():
                yield from self._sub_context(pattern, enabled)
            case _:
                return

    def _sequence(self, here: int, parts: list[tuple[tree.Pattern, ...]], enabled: Enabled) -> Claims:
        """Yield the bounds of a sequence. The matches of the units before a unit enable it."""
        lefts: list[Enabled] = []
        for number, unit in enumerate(parts):
            own = enabled.within(_over(unit[0])) if number and len(unit) == 1 else enabled
            lefts += [own] if number else []
            yield from self._unit(here, unit, own)
            enabled = enabled.after(unit[-1])
        if lefts:
            counts, lives = [left.alive for left in lefts], [left.life for left in lefts]
            most = None if None in counts else max(count or 0 for count in counts)
            yield (here, "left"), Kept(most, None if None in lives else max(life or 0 for life in lives))

    def _unit(self, here: int, unit: tuple[tree.Pattern, ...], enabled: Enabled) -> Claims:
        if len(unit) == 1:
            yield from self.of(unit[0], enabled)
            return
        core = unit[0]
        while isinstance(core, tree.Filtered):
            core = core.operand
        assert isinstance(core, tree.Not | tree.Collect | tree.Policy)
        yield (here, "stored"), enabled.keeps(matches(core.operand))
        yield from self.of(core.operand, enabled)
        yield from self._unit(here, unit[1:], enabled)

    def _within(
        self,
        pattern: tree.Pattern,
        operand: tree.Pattern,
        length: int,
        source: tree.Pattern | None,
        enabled: Enabled,
    ) -> Claims:
        here = id(pattern)
        if source is None or isinstance(source, tree.Bound):
            yield from self._timed(here, operand, enabled.within(length))
            return
        yield from self.of(source, enabled)
        after = enabled.after(source)
        if tree.is_open(operand):
            yield (here, "left"), after.keeps(1)
            yield from self._timed(here, operand, after.within(length))
            return
        yield (here, "from"), enabled.keeps(matches(source), length)
        yield from self.of(operand, enabled)

    def _timed(self, here: int, operand: tree.Pattern, inner: Enabled) -> Claims:
        """Yield the bounds of a clock and of the pattern for which it runs; an open pattern has the places of its
        ending."""
        core = operand
        while isinstance(core, tree.Filtered) and tree.is_open(core):
            core = core.operand
        yield (here, "T"), inner.keeps(1)
        match core:
            case tree.Not(operand=negated):
                yield (here, "stored"), Kept(0, 0)
                yield from self.of(negated, inner)
            case tree.Policy(choice=tree.Choice.LAST, operand=selected):
                yield (here, "stored"), inner.keeps(1)
                yield from self.of(selected, inner)
            case tree.Collect() if tree.is_open(core):
                yield (here, "lists"), inner.keeps(1, None, matches(core.operand))
                yield from self.of(core.operand, inner)
            case _:
                yield (here, "stored"), inner.keeps(matches(core))
                yield from self.of(core, inner)

    def _lists(self, pattern: tree.Pattern, enabled: Enabled, collect: tree.Collect, life: int | None) -> Claims:
        inner = enabled.within(life)
        items = _fewest([_count(collect.terminate), matches(collect.operand)])
        if isinstance(pattern, tree.Pick):
            yield (id(pattern), "lists"), inner.keeps(2, None, None)
        else:
            yield (id(pattern), "lists"), inner.keeps(1, None, items)
        yield from self.of(collect.operand, inner)

    def _time_over(self, collect: tree.Collect, enabled: Enabled) -> int | None:
        """Return the longest time, in ms, that a repetition runs before the time events that end it."""
        lengths = []
        for node in tree.within(collect.terminate) if collect.terminate is not None else ():
            if isinstance(node, tree.Outside):
                time = self._times[node.name]
                known = isinstance(time.start, tree.Reference) and time.start.path[0] in enabled.names
                known = known and isinstance(time.start, tree.Reference) and time.start.path[1:] == ("event_time",)
                if known and isinstance(time.end, tree.Sum) and time.end.parts[:-1] == (time.start,):
                    lengths += [part.milliseconds for part in time.end.parts[-1:] if isinstance(part, tree.Duration)]
        return min(lengths, default=None)

    def _sub_context(self, pattern: tree.Subcontext, enabled: Enabled) -> Claims:
        here, length = id(pattern), bound(pattern.branch.pattern)
        yield (here, "entered"), enabled.keeps(1)
        held = self._held(pattern.operand, pattern.list, enabled)
        limits = [enabled.life, None if held is None or length is None else held + length]
        yield (here, "count"), Kept(None, _fewest(limits))
        yield (here, "waiting"), enabled.keeps(matches(pattern.operand), length)
        yield from self.of(pattern.operand, enabled)
        yield from self.of(pattern.branch.pattern, Enabled(None, enabled.life).within(length))

    def _held(self, pattern: tree.Pattern, name: str, enabled: Enabled) -> int | None:
        """Return the longest time, in ms, that the net of a pattern keeps an item of a list after the item matched."""
        match pattern:
            case tree.Policy(choice=tree.Choice.FIRST | tree.Choice.EVERY | tree.Choice.ALL, operand=operand):
                return self._held(operand, name, enabled)
            case tree.Filtered(operand=operand) if not tree.is_open(operand):
                return self._held(operand, name, enabled)
            case tree.Within(operand=operand, duration=duration, source=None | tree.Bound()):
                return self._held(operand, name, enabled.within(duration.milliseconds))
            case tree.Wait(duration=duration):
                return enabled.within(duration.milliseconds).life
            case tree.Sequence(parts=parts) if name in scope_of(parts[-1]) and len(units(parts)[-1]) == 1:
                for unit in units(parts)[:-1]:
                    enabled = enabled.after(unit[-1])
                return self._held(parts[-1], name, enabled)
            case tree.Collect() | tree.Pick():
                collect = pattern.collect if isinstance(pattern, tree.Pick) else pattern
                return enabled.within(self._time_over(collect, enabled)).life
            case _:
                return enabled.life


def _over(pattern: tree.Pattern) -> int | None:
    """Return the milliseconds after which nothing in the net of a pattern waits; None if there is no bound."""
    match pattern:
        case tree.Within(duration=duration, source=None) | tree.Wait(duration=duration):
            return duration.milliseconds
        case tree.Filtered(operand=operand) | tree.Policy(choice=tree.Choice.FIRST, operand=operand):
            return _over(operand)
        case _:
            return None


def _fewest(counts: list[int | None]) -> int | None:
    return min((count for count in counts if count is not None), default=None)


def _count(condition: tree.Expression | None) -> int | None:
    """Return the most items that a list has before `terminate` ends it, which it does at one item more."""
    counts: list[int | None] = []
    for alternative in condition.parts if isinstance(condition, tree.Either) else (condition,):
        match alternative:
            case tree.Comparison(
                left=tree.Aggregate(function=tree.Function.COUNT, path=()),
                operator=tree.Operator.EQUAL | tree.Operator.GREATER_OR_EQUAL,
                right=tree.Literal(value=int() as most),
            ) if type(most) is int and most > 0:
                counts.append(most - 1)
    return _fewest(counts)
