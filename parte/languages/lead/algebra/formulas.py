"""The matches of a pattern on a trace, formula by formula (specification: lead-denotation; L §3.3).

⟦P⟧(τ, κ) are the matches of P that is enabled at τ when κ is bound to its left. This is the definition: naive, and
exponential where the result is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.algebra.effort import Effort, few
from parte.languages.lead.algebra.expressions import Environment, Known, holds, value_of
from parte.languages.lead.algebra.limits import longest
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Bound, Emitted, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import scope_of, twins, units
from parte.languages.lead.semantics.syntax.readings import Readings

Matches = Sequence[Match]
Positions = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Context:
    """κ: the events that are bound to the left, by their names, and all that are used up there."""

    names: tuple[tuple[str, Occurrence], ...] = ()
    used: Positions = frozenset()

    def with_match(self, found: Match) -> Context:
        """κ ∪ m."""
        events = {name: each for name, each in found.bindings if isinstance(each, Occurrence)}
        return Context(tuple(sorted({**dict(self.names), **events}.items())), self.used | found.events)


Denoting = Callable[[int, Context], Matches]


def precedes(found: Match) -> tuple[object, ...]:
    """≺ as a key: by end, then by positions in the order of the pattern, then by names."""
    return found.end, tuple(_positions(found)), _names(found)


def _positions(found: Match) -> Iterable[tuple[int, int]]:
    for _, each in found.bindings:
        if isinstance(each, Occurrence):
            yield each.position
        else:
            for item in each:
                yield from _positions(item)


def _names(found: Match) -> tuple[tuple[str, object], ...]:
    return tuple(
        (name, () if isinstance(each, Occurrence) else tuple(map(_names, each))) for name, each in found.bindings
    )


def made(bindings: tuple[tuple[str, Bound], ...], end: int, enabled: int, events: Positions) -> Match:
    """A match of these events."""
    return Match(bindings, end, min((time for time, _ in events), default=enabled), events)


def united(left: Match, right: Match, end: int, enabled: int) -> Match:
    """m ∪ n, m first in the order of the text."""
    whole = made((*left.bindings, *right.bindings), end, enabled, left.events | right.events)
    return replace(whole, emits=(*left.emits, *right.emits))


def disjoint(left: Match, right: Match) -> bool:
    """Whether two matches share no event."""
    return left.events.isdisjoint(right.events)


class Denotation:
    """The meaning of a named pattern with policies, on the events of one run."""

    def __init__(
        self,
        rule: tree.Rule,
        events: Sequence[Occurrence],
        types: Mapping[str, Sequence[tree.Attribute]],
        readings: Readings,
        effort: Effort | None = None,
    ) -> None:
        self._effort = effort or Effort()
        self._events = events
        self._streams = {stream.alias: stream.name for stream in rule.streams}
        self._times = {time.name: time for time in rule.times}
        self._types = types
        self._readings = readings
        self._kept: list[object] = []
        self._known: dict[tuple[int, int, Context], Matches] = {}

    def denote(self, pattern: tree.Pattern, enabled: int, left: Context) -> Matches:
        """⟦P⟧(τ, κ), in the order ≺."""
        key = (id(pattern), enabled, left)
        if key not in self._known:
            self._known[key] = sorted(set(few(self._denote(pattern, enabled, left))), key=precedes)
        return self._known[key]

    def _denote(self, pattern: tree.Pattern, enabled: int, left: Context) -> Iterable[Match]:
        match pattern:
            case tree.Atom():
                return self.event(pattern, enabled, left)
            case tree.Filtered(operand=operand, condition=condition):
                return self.filtered(self.denote(operand, enabled, left), condition)
            case tree.And(parts=parts):
                return self.conjunction([self.denote(part, enabled, left) for part in parts], twins(parts), enabled)
            case tree.Or(parts=parts):
                first, *others = [self.denote(part, enabled, left) for part in parts]
                for other in others:
                    first = self.disjunction(first, other, enabled)
                return first
            case tree.Sequence(parts=parts):
                return self.sequence([self._unit(unit) for unit in units(parts)], enabled, left)
            case tree.Within(source=None | tree.Bound()):
                return self.within(pattern, enabled, left)
            case tree.Within():
                return self.within_from(pattern, enabled, left)
            case tree.Wait():
                return self.wait(pattern, enabled, left)
            case tree.Collect():
                return self.repetition(pattern, enabled, left)
            case tree.Pick():
                return self.pick(pattern, enabled, left)
            case tree.Subcontext():
                return self.sub_context(pattern, enabled, left)
            case tree.Policy(choice=tree.Choice.FIRST, operand=operand):
                return self.first(self.denote(operand, enabled, left))
            case tree.Policy(choice=tree.Choice.EVERY, operand=operand):
                return self.every(operand, enabled, left)
            case tree.Policy(choice=tree.Choice.ALL, operand=operand, consumed=consumed):
                return self.all(self.denote(operand, enabled, left), consumed)
            case tree.Policy(choice=tree.Choice.ADJ, operand=operand):
                return self.adjacent(operand, enabled, left)
            case _:
                raise AssertionError("an open pattern stands alone")

    # --- Core operators ----------------------------------------------------------------------------------------------

    def event(self, pattern: tree.Atom, enabled: int, left: Context) -> Iterable[Match]:
        """(3): an event of the stream, from τ on, that κ has not."""
        self._effort.spend(len(self._events))
        for each in self._events:
            used = each.position in left.used
            if each.event.template == self._streams[pattern.stream] and each.time >= enabled and not used:
                bindings = ((pattern.name or pattern.stream, each),)
                yield made(bindings, each.time, enabled, frozenset({each.position}))

    def filtered(self, matches: Matches, condition: tree.Expression) -> Iterable[Match]:
        """(1): the matches that fulfil the condition."""
        return [each for each in matches if holds(condition, Environment(dict(each.bindings)))]

    def conjunction(
        self, parts: Sequence[Matches], ascending: Sequence[Sequence[str]], enabled: int
    ) -> Iterable[Match]:
        """(6): all disjoint unions; unnamed events of one stream ascend."""
        first, *others = parts
        for other in others:
            self._effort.spend(len(first) * len(other))
            pairs = ((m, n) for m in first for n in other if disjoint(m, n))
            first = few(united(m, n, max(m.end, n.end), enabled) for m, n in pairs)
        for each in first:
            positions = {name: found.position for name, found in each.bindings if isinstance(found, Occurrence)}
            groups = ([positions[name] for name in names] for names in ascending)
            if all(group == sorted(group) for group in groups):
                yield each

    def disjunction(self, one: Matches, other: Matches, enabled: int) -> Matches:
        """(7): the outer join on the end."""
        self._effort.spend(len(one) * len(other))
        pairs = few((m, n) for m in one for n in other if m.end == n.end and disjoint(m, n))
        paired = {id(each) for pair in pairs for each in pair}
        alone = [each for each in (*one, *other) if id(each) not in paired]
        return [*(united(m, n, m.end, enabled) for m, n in pairs), *alone]

    def sequence(self, parts: Sequence[Denoting], enabled: int, left: Context) -> Iterable[Match]:
        """(8): each part is enabled when the one before ends, and binds other events."""
        first, *others = parts
        for m in first(enabled, left):
            self._effort.spend(1)
            if not others:
                yield m
                continue
            for n in self.sequence(others, m.end, left.with_match(m)):
                yield united(m, n, n.end, enabled)

    def _unit(self, parts: tuple[tree.Pattern, ...]) -> Denoting:
        """A part of a sequence, or what is open with what follows it."""
        if len(parts) == 1:
            return lambda enabled, left: self.denote(parts[0], enabled, left)
        following = self._unit(parts[1:])
        core, conditions = _core(parts[0])

        def meaning(enabled: int, left: Context) -> Matches:
            found = []
            for m, ended in self._ended(core, following, enabled, left):
                if ended is not None and all(holds(each, Environment(dict(ended.bindings))) for each in conditions):
                    found.append(united(ended, m, m.end, enabled))
            return found

        return meaning

    def _ended(
        self, core: tree.Pattern, following: Denoting, enabled: int, left: Context
    ) -> Iterable[tuple[Match, Match | None]]:
        """Each match of what follows, with what it makes of the open pattern."""
        match core:
            case tree.Not(operand=operand):
                return self.absent_until(self.denote(operand, enabled, left), following(enabled, left), enabled)
            case tree.Collect(operand=operand):
                return self.collected_until(
                    core, self.denote(operand, enabled, left), following(enabled, left), enabled
                )
            case tree.Policy(operand=operand):
                return self.last_until(self.denote(operand, enabled, left), following, left)
            case _:
                raise AssertionError("a closed pattern was to be ended")

    def absent_until(self, blocking: Matches, following: Matches, enabled: int) -> Iterable[tuple[Match, Match | None]]:
        """(9): no match of P that is disjoint from what follows ends before it, or with it."""
        for m in following:
            self._effort.spend(len(blocking))
            blocked = any(disjoint(b, m) and b.end <= m.end for b in blocking)
            yield m, None if blocked else made((), m.end, enabled, frozenset())

    def collected_until(
        self, pattern: tree.Collect, items: Matches, following: Matches, enabled: int
    ) -> Iterable[tuple[Match, Match | None]]:
        """(10): the items that are disjoint from what follows and end before it, or with it."""
        for m in following:
            self._effort.spend(len(items))
            kept = [item for item in items if disjoint(item, m) and item.end <= m.end]
            yield m, self.listed(pattern, kept, m.end, enabled)

    def last_until(self, matches: Matches, following: Denoting, left: Context) -> Iterable[tuple[Match, Match | None]]:
        """(15): what follows is enabled by the first match of P, and takes the last that ends before it starts."""
        if not matches:
            return
        for m in following(matches[0].end, left.with_match(matches[0])):
            self._effort.spend(len(matches))
            closed = self._readings.last == "closed"
            before = [b for b in matches if disjoint(b, m) and (b.end <= m.start if closed else b.end < m.start)]
            yield m, before[-1] if before else None

    # --- Repetition --------------------------------------------------------------------------------------------------

    def repetition(self, pattern: tree.Collect, enabled: int, left: Context) -> Iterable[Match]:
        """(10): the list grows item by item, until it is invalid, or over."""
        items, until = self._items(pattern, enabled, left)
        kept: list[Match] = []
        if until is not None and until <= enabled:
            return [] if self._invalid(pattern, ()) else [_listed(pattern, (), enabled, enabled)]
        for item in (None, *items):
            if item is not None:
                if not self._accepted(pattern, item, kept):
                    continue
                kept.append(item)
            if self._invalid(pattern, kept):
                return []
            if self._terminated(pattern, kept):
                return [_listed(pattern, kept, enabled if item is None else item.end, enabled)]
        return [] if until is None else [_listed(pattern, kept, until, enabled)]

    def pick(self, pattern: tree.Pick, enabled: int, left: Context) -> Iterable[Match]:
        """Of the lists of some of the items, those that end first, and of these the best."""
        collect = pattern.collect
        items, until = self._items(collect, enabled, left)
        lists: list[tuple[Match, ...]] = [()]
        for at, item in [(enabled, None), *((item.end, item) for item in items)]:
            self._effort.spend(len(lists))
            if item is not None:
                lists = few([*lists, *((*each, item) for each in lists if self._accepted(collect, item, each))])
            lists = [each for each in lists if not self._invalid(collect, each)]
            now = [each for each in lists if self._over(collect, each, until, enabled)]
            if now and item is not None:
                # Further items of the same instant make more lists that end then.
                now = self._at_once(
                    collect, lists, [other for other in items if precedes(item) < precedes(other) and other.end == at]
                )
            if now:
                return self._best(pattern, [_listed(collect, each, at, enabled) for each in now])
        return [] if until is None else self._best(pattern, [_listed(collect, each, until, enabled) for each in lists])

    def _at_once(
        self, collect: tree.Collect, lists: list[tuple[Match, ...]], items: Matches
    ) -> list[tuple[Match, ...]]:
        """All lists that are over by these items, none of which grows when it is over."""
        done = [each for each in lists if self._terminated(collect, each)]
        growing = [each for each in lists if not self._terminated(collect, each)]
        for item in items:
            grown = [(*each, item) for each in growing if self._accepted(collect, item, each)]
            grown = [each for each in grown if not self._invalid(collect, each)]
            done += [each for each in grown if self._terminated(collect, each)]
            growing = few([*growing, *(each for each in grown if not self._terminated(collect, each))])
        return done

    def _over(self, collect: tree.Collect, items: Matches, until: int | None, enabled: int) -> bool:
        return self._terminated(collect, items) or (until is not None and until <= enabled)

    def _best(self, pattern: tree.Pick, lists: Matches) -> Iterable[Match]:
        """The best by the aggregate; then the one that starts first, the longest, the first."""
        valued = []
        for each in lists:
            items = each.bindings[0][1]
            assert isinstance(items, tuple)
            value = value_of(pattern.aggregate, _of_list(pattern.collect, items))
            valued.append((each, len(items), value))
        rising = sorted(valued, key=lambda entry: (entry[0].start, -entry[1], precedes(entry[0])))
        best = None
        operator = tree.Operator.GREATER if pattern.greatest else tree.Operator.LESS
        for each, _, value in rising:
            if best is None or (value is not None and (best[1] is None or _better(value, operator, best[1]))):
                best = (each, value)
        return [] if best is None else [best[0]]

    def _items(self, pattern: tree.Collect, enabled: int, left: Context) -> tuple[Matches, int | None]:
        """The items that may come before the time events of `terminate` are over, and when that is."""
        items = self.denote(pattern.operand, enabled, left)
        until: int | None = None
        for name in _outside(pattern.terminate):
            time = self._times[name]
            names = Environment(dict(left.names))
            start, end = value_of(time.start, names), value_of(time.end, names)
            if isinstance(start, int) and isinstance(end, int) and bool not in (type(start), type(end)):
                when = end if start <= enabled < end else enabled
                until = when if until is None else min(until, when)
        return (items if until is None else [item for item in items if item.end < until]), until

    def listed(self, pattern: tree.Collect, items: Matches, end: int, enabled: int) -> Match | None:
        """The list of those items that are accepted; None if it becomes invalid."""
        kept: list[Match] = []
        if self._invalid(pattern, kept):
            return None
        for item in items:
            if self._accepted(pattern, item, kept):
                kept.append(item)
                if self._invalid(pattern, kept):
                    return None
        return _listed(pattern, kept, end, enabled)

    def _accepted(self, pattern: tree.Collect, item: Match, before: Matches) -> bool:
        if pattern.accept is None:
            return True
        return holds(pattern.accept, _of_list(pattern, tuple(before), item))

    def _invalid(self, pattern: tree.Collect, items: Matches) -> bool:
        return pattern.invalidate is not None and holds(pattern.invalidate, _of_list(pattern, tuple(items)))

    def _terminated(self, pattern: tree.Collect, items: Matches) -> bool:
        return pattern.terminate is not None and holds(pattern.terminate, _of_list(pattern, tuple(items)))

    # --- Time --------------------------------------------------------------------------------------------------------

    def within(self, pattern: tree.Within, enabled: int, left: Context) -> Iterable[Match]:
        """(13), from when the pattern is enabled or from an event to its left."""
        start: int | None = enabled
        if isinstance(pattern.source, tree.Bound):
            event = dict(left.names).get(pattern.source.name)
            start = None if event is None else event.time
        if start is None:
            return []
        deadline = start + pattern.duration.milliseconds
        if tree.is_open(pattern.operand):
            end = max(deadline, enabled)
            return self.ended_by_time(pattern.operand, enabled, left, lambda each: each < deadline, end)
        return [m for m in self.denote(pattern.operand, enabled, left) if m.end < deadline]

    def within_from(self, pattern: tree.Within, enabled: int, left: Context) -> Iterable[Match]:
        """(13), from another match."""
        assert pattern.source is not None
        found = self.denote(pattern.source, enabled, left)
        if tree.is_open(pattern.operand):
            alone = replace(pattern, source=None)
            for n in found:
                for m in self.within(alone, n.end, left.with_match(n)):
                    yield united(m, n, m.end, enabled)
            return
        least = 0 if self._readings.within == "closed" else 1
        for n in found:
            self._effort.spend(1)
            for m in self.denote(pattern.operand, enabled, left):
                if disjoint(m, n) and least <= m.end - n.end < pattern.duration.milliseconds:
                    yield united(m, n, m.end, enabled)

    def wait(self, pattern: tree.Wait, enabled: int, left: Context) -> Iterable[Match]:
        """(12): what matched when the time is over."""
        end = enabled + pattern.duration.milliseconds
        if tree.is_open(pattern.operand):
            yield from self.ended_by_time(pattern.operand, enabled, left, lambda each: each <= end, end)
            return
        for m in self.denote(pattern.operand, enabled, left):
            if m.end <= end:
                yield replace(m, end=end)
            elif self._readings.wait == "conjunction":
                yield m

    def ended_by_time(
        self, pattern: tree.Pattern, enabled: int, left: Context, inside: Callable[[int], bool], end: int
    ) -> Iterable[Match]:
        """What an open pattern has inside an interval, when that is over."""
        core, conditions = _core(pattern)
        assert isinstance(core, tree.Not | tree.Collect | tree.Policy)
        found = [m for m in self.denote(core.operand, enabled, left) if inside(m.end)]
        ended: Match | None
        match core:
            case tree.Not():
                ended = None if found else made((), end, enabled, frozenset())
            case tree.Collect():
                ended = self.listed(core, found, end, enabled)
            case tree.Policy():
                ended = replace(found[-1], end=end) if found else None
        if ended is None:
            return []
        names = Environment(dict(ended.bindings))
        return [ended] if all(holds(each, names) for each in conditions) else []

    # --- Policies ----------------------------------------------------------------------------------------------------

    def first(self, matches: Matches) -> Iterable[Match]:
        """(14): the first."""
        return matches[:1]

    def every(self, operand: tree.Pattern, enabled: int, left: Context) -> Iterable[Match]:
        """(17): the first, and again from where it ends, of other events."""
        used = left
        while found := self.denote(operand, enabled, used):
            yield found[0]
            enabled = found[0].end if self._readings.every == "meets" else found[0].end + 1
            used = replace(used, used=used.used | found[0].events)

    def all(self, matches: Matches, consumed: Sequence[str]) -> Iterable[Match]:
        """(18): all of which no consumed part is in one selected before."""
        used: set[tuple[int, int]] = set()
        for m in matches:
            parts = {position for name in consumed for position in _part(m, name)}
            if used.isdisjoint(parts):
                used |= parts
                yield m

    def adjacent(self, operand: tree.Pattern, enabled: int, left: Context) -> Iterable[Match]:
        """(16): the last of what is before, and the first of what follows."""
        assert isinstance(operand, tree.Sequence | tree.And)
        before, after = operand.parts[0], operand.parts[-1]
        if len(operand.parts) > 2:
            before = replace(operand, parts=operand.parts[:-1])
        if isinstance(operand, tree.Sequence):
            return self._pair(before, after, enabled, left)
        order = list(scope_of(operand))
        found = [
            replace(m, bindings=tuple(sorted(m.bindings, key=lambda entry: order.index(entry[0]))))
            for one, other in ((before, after), (after, before))
            for m in self._pair(one, other, enabled, left)
        ]
        if self._readings.adjacent == "first":
            return sorted(found, key=precedes)[:1]
        return sorted(found, key=lambda m: (m.end - m.start, precedes(m)))[:1]

    def _pair(self, before: tree.Pattern, after: tree.Pattern, enabled: int, left: Context) -> Matches:
        policies = (tree.Policy(tree.Choice.LAST, before, ()), tree.Policy(tree.Choice.FIRST, after, ()))
        self._kept.append(policies)
        return self._unit(policies)(enabled, left)

    # --- Sub-contexts ------------------------------------------------------------------------------------------------

    def sub_context(self, pattern: tree.Subcontext, enabled: int, left: Context) -> Iterable[Match]:
        """(11): a branch for each item; the match is over when all its branches are."""
        for m in self.denote(pattern.operand, enabled, left):
            items = dict(m.bindings).get(pattern.list, ())
            assert isinstance(items, tuple)
            names: dict[str, Known] = dict(m.bindings)
            ends, found = [m.end], []
            for number, item in enumerate(items, 1):
                in_range = pattern.first is None or pattern.last is None or pattern.first <= number <= pattern.last
                chosen = Environment({**names, pattern.item: item})
                if in_range and (pattern.condition is None or holds(pattern.condition, chosen)):
                    end, branch = self.branch(pattern, item)
                    ends.append(end)
                    found += branch
            if self._disabled(pattern, m, enabled):
                yield replace(m, bindings=(*m.bindings, (pattern.name, ())))
                continue
            emits = tuple(emitted for branch in found for emitted in branch.emits)
            bindings = (*m.bindings, (pattern.name, tuple(found)))
            yield replace(m, bindings=bindings, end=max(ends), emits=(*m.emits, *emits))

    def branch(self, pattern: tree.Subcontext, item: Match) -> tuple[int, list[Match]]:
        """When the branch of an item is over, and its match, if it has one."""
        single = item.bindings[0][1] if len(item.bindings) == 1 else None
        names = ((pattern.item, single),) if isinstance(single, Occurrence) else ()
        left = Context(names, item.events)
        inner = pattern.branch.pattern
        found = self.denote(inner, item.end, left)
        if found:
            seen = Environment({**dict(found[0].bindings), pattern.item: item})
            emits = (
                *found[0].emits,
                *(emission(each, seen, found[0].end, self._types) for each in pattern.branch.actions),
            )
            return found[0].end, [replace(found[0], emits=emits)]
        over = item.end + longest(inner)
        negated = _negated(inner)
        if negated is not None:
            over = min([over, *(b.end for b in self.denote(negated, item.end, left))])
        return over, []

    def _disabled(self, pattern: tree.Subcontext, m: Match, enabled: int) -> bool:
        """Whether the condition held of what the lists had at some instant."""
        if pattern.terminate is None:
            return False
        lists = [each for _, each in m.bindings if isinstance(each, tuple)]
        events = [each for _, each in m.bindings if isinstance(each, Occurrence)]
        instants = {enabled, m.end, *(item.end for each in lists for item in each), *(each.time for each in events)}
        for instant in instants:
            so_far: dict[str, Known] = {}
            for name, each in m.bindings:
                if isinstance(each, tuple):
                    so_far[name] = tuple(item for item in each if item.end <= instant)
                elif each.time <= instant:
                    so_far[name] = each
            if holds(pattern.terminate, Environment(so_far)):
                return True
        return False


def emission(
    node: tree.Emission, environment: Environment, end: int, types: Mapping[str, Sequence[tree.Attribute]]
) -> Emitted:
    """An emitted event: arguments have the names that the type gives them, or their own."""
    declared = types.get(node.type, ())
    values: dict[str, tree.Constant | None] = {}
    for number, argument in enumerate(node.arguments, 1):
        name = argument.path[-1] if isinstance(argument, tree.Reference) else f"value{number}"
        if number <= len(declared):
            name = declared[number - 1].name
        values[name if name not in values else f"value{number}"] = value_of(argument, environment)
    for each in declared[len(node.arguments) :]:
        values[each.name] = None if each.default is None else each.default.value
    return Emitted(node.type, end, tuple(values.items()))


def _core(pattern: tree.Pattern) -> tuple[tree.Pattern, list[tree.Expression]]:
    conditions: list[tree.Expression] = []
    while isinstance(pattern, tree.Filtered):
        conditions.append(pattern.condition)
        pattern = pattern.operand
    return pattern, conditions


def _negated(pattern: tree.Pattern) -> tree.Pattern | None:
    """What a branch negates, if it is a negation that time ends; in a further `within` it is more than that."""
    while isinstance(pattern, tree.Filtered) or (
        isinstance(pattern, tree.Policy) and pattern.choice is tree.Choice.FIRST
    ):
        pattern = pattern.operand
    if not isinstance(pattern, tree.Wait) and not (
        isinstance(pattern, tree.Within) and isinstance(pattern.source, tree.Bound | None)
    ):
        return None
    inner, _ = _core(pattern.operand)
    return inner.operand if isinstance(inner, tree.Not) else None


def _outside(condition: tree.Expression | None) -> list[str]:
    if condition is None:
        return []
    alternatives = condition.parts if isinstance(condition, tree.Either) else (condition,)
    return [each.name for each in alternatives if isinstance(each, tree.Outside)]


def _of_list(pattern: tree.Collect, items: tuple[Match, ...], item: Match | None = None) -> Environment:
    """What conditions of a repetition see: the list, and its latest item or the one that is to be accepted."""
    latest = item if item is not None else (items[-1] if items else None)
    names: dict[str, Known] = {} if latest is None else dict(latest.bindings)
    if pattern.name is not None:
        names[pattern.name] = items
    return Environment(names, items)


def _listed(pattern: tree.Collect, items: Matches, end: int, enabled: int) -> Match:
    events = frozenset(position for item in items for position in item.events)
    whole = made(((pattern.name or "list", tuple(items)),), end, enabled, events)
    return replace(whole, emits=tuple(emitted for item in items for emitted in item.emits))


def _better(value: tree.Constant, operator: tree.Operator, than: tree.Constant) -> bool:
    return holds(tree.Comparison(tree.Literal(value), operator, tree.Literal(than)), Environment({}))


def _part(m: Match, name: str) -> Iterable[tuple[int, int]]:
    for known, each in m.bindings:
        if known == name:
            yield from (each.position,) if isinstance(each, Occurrence) else (p for item in each for p in item.events)
