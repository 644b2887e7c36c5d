"""The matches of a pattern on a trace, formula by formula (specification: lead-denotation; L §3.3).

⟦P⟧(τ, κ) is the set of matches of P if P is enabled at τ and κ is bound to its left. This is the definition: naive, and
exponential where the result is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.languages.lead.algebra import lists
from parte.languages.lead.algebra.effort import Effort, few
from parte.languages.lead.algebra.expressions import Environment, Known, holds, value_of
from parte.languages.lead.algebra.limits import longest
from parte.languages.lead.algebra.unions import Matches, Positions, disjoint, new_match, precedes, united
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Emitted, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import scope_of, twins, units
from parte.languages.lead.semantics.syntax.readings import Readings


@dataclass(frozen=True, slots=True)
class Context:
    """κ: the events that are bound to the left, by name, and the positions of all events used there."""

    names: tuple[tuple[str, Occurrence], ...] = ()
    used: Positions = frozenset()

    def with_match(self, match: Match) -> Context:
        """κ ∪ m."""
        events = {name: bound for name, bound in match.bindings if isinstance(bound, Occurrence)}
        return Context(tuple(sorted({**dict(self.names), **events}.items())), self.used | match.events)


Denoting = Callable[[int, Context], Matches]


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
        self._pinned: list[object] = []
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
                for second in others:
                    first = self.disjunction(first, second, enabled)
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
        """(3): the events of the stream, from τ on, that κ has not used."""
        self._effort.spend(len(self._events))
        for event in self._events:
            used = event.position in left.used
            if event.event.template == self._streams[pattern.stream] and event.time >= enabled and not used:
                bindings = ((pattern.name or pattern.stream, event),)
                yield new_match(bindings, event.time, enabled, frozenset({event.position}))

    def filtered(self, matches: Matches, condition: tree.Expression) -> Iterable[Match]:
        """(1): the matches that fulfil the condition."""
        return [match for match in matches if holds(condition, Environment(dict(match.bindings)))]

    def conjunction(
        self, parts: Sequence[Matches], ascending: Sequence[Sequence[str]], enabled: int
    ) -> Iterable[Match]:
        """(6): all disjoint unions; unnamed events of one stream ascend."""
        first, *others = parts
        for second in others:
            self._effort.spend(len(first) * len(second))
            pairs = ((m, n) for m in first for n in second if disjoint(m, n))
            first = few(united(m, n, max(m.end, n.end), enabled) for m, n in pairs)
        for match in first:
            positions = {name: bound.position for name, bound in match.bindings if isinstance(bound, Occurrence)}
            groups = ([positions[name] for name in names] for names in ascending)
            if all(group == sorted(group) for group in groups):
                yield match

    def disjunction(self, first: Matches, second: Matches, enabled: int) -> Matches:
        """(7): the outer join on the end."""
        self._effort.spend(len(first) * len(second))
        pairs = few((m, n) for m in first for n in second if m.end == n.end and disjoint(m, n))
        paired = {id(match) for pair in pairs for match in pair}
        alone = [match for match in (*first, *second) if id(match) not in paired]
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
        """Return the meaning of a part of a sequence, or of an open pattern and the part that follows it."""
        if len(parts) == 1:
            return lambda enabled, left: self.denote(parts[0], enabled, left)
        following = self._unit(parts[1:])
        core, conditions = _core(parts[0])

        def meaning(enabled: int, left: Context) -> Matches:
            matches = []
            for m, ended in self._ended(core, following, enabled, left):
                if ended is not None and all(
                    holds(condition, Environment(dict(ended.bindings))) for condition in conditions
                ):
                    matches.append(united(ended, m, m.end, enabled))
            return matches

        return meaning

    def _ended(
        self, core: tree.Pattern, following: Denoting, enabled: int, left: Context
    ) -> Iterable[tuple[Match, Match | None]]:
        """Yield each match of the following part, with the match that it makes of the open pattern."""
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
        """(9): no match of P that is disjoint from the following match ends before it, or with it."""
        for m in following:
            self._effort.spend(len(blocking))
            blocked = any(disjoint(b, m) and b.end <= m.end for b in blocking)
            yield m, None if blocked else new_match((), m.end, enabled, frozenset())

    def collected_until(
        self, pattern: tree.Collect, items: Matches, following: Matches, enabled: int
    ) -> Iterable[tuple[Match, Match | None]]:
        """(10): the items that are disjoint from the following match and end before it, or with it."""
        for m in following:
            self._effort.spend(len(items))
            eligible = [item for item in items if disjoint(item, m) and item.end <= m.end]
            yield m, lists.listed(pattern, eligible, m.end, enabled)

    def last_until(self, matches: Matches, following: Denoting, left: Context) -> Iterable[tuple[Match, Match | None]]:
        """(15): the first match of P enables the following part, whose match takes the last P that ends before it
        starts."""
        if not matches:
            return
        for m in following(matches[0].end, left.with_match(matches[0])):
            self._effort.spend(len(matches))
            closed = self._readings.last == "closed"
            before = [b for b in matches if disjoint(b, m) and (b.end <= m.start if closed else b.end < m.start)]
            yield m, before[-1] if before else None

    # --- Repetition --------------------------------------------------------------------------------------------------

    def repetition(self, pattern: tree.Collect, enabled: int, left: Context) -> Iterable[Match]:
        """(10): the list grows item by item, until it is invalid or complete."""
        return lists.collected(pattern, *self._items(pattern, enabled, left), enabled)

    def pick(self, pattern: tree.Pick, enabled: int, left: Context) -> Iterable[Match]:
        """Of the lists of some of the items, return the best of those that end first."""
        return lists.picked(pattern, *self._items(pattern.collect, enabled, left), enabled, self._effort)

    def _items(self, pattern: tree.Collect, enabled: int, left: Context) -> tuple[Matches, int | None]:
        """Return the items that may come before the time events of `terminate` are over, and the instant at which
        they are."""
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

    # --- Time --------------------------------------------------------------------------------------------------------

    def within(self, pattern: tree.Within, enabled: int, left: Context) -> Iterable[Match]:
        """(13), from the instant at which the pattern is enabled, or from an event to its left."""
        start: int | None = enabled
        if isinstance(pattern.source, tree.Bound):
            event = dict(left.names).get(pattern.source.name)
            start = None if event is None else event.time
        if start is None:
            return []
        deadline = start + pattern.duration.milliseconds
        if tree.is_open(pattern.operand):
            end = max(deadline, enabled)
            return self.ended_by_time(pattern.operand, enabled, left, lambda time: time < deadline, end)
        return [m for m in self.denote(pattern.operand, enabled, left) if m.end < deadline]

    def within_from(self, pattern: tree.Within, enabled: int, left: Context) -> Iterable[Match]:
        """(13), from another match."""
        assert pattern.source is not None
        origins = self.denote(pattern.source, enabled, left)
        if tree.is_open(pattern.operand):
            alone = replace(pattern, source=None)
            for n in origins:
                for m in self.within(alone, n.end, left.with_match(n)):
                    yield united(m, n, m.end, enabled)
            return
        least = 0 if self._readings.within == "closed" else 1
        for n in origins:
            self._effort.spend(1)
            for m in self.denote(pattern.operand, enabled, left):
                if disjoint(m, n) and least <= m.end - n.end < pattern.duration.milliseconds:
                    yield united(m, n, m.end, enabled)

    def wait(self, pattern: tree.Wait, enabled: int, left: Context) -> Iterable[Match]:
        """(12): the matches, released when the time is over."""
        end = enabled + pattern.duration.milliseconds
        if tree.is_open(pattern.operand):
            yield from self.ended_by_time(pattern.operand, enabled, left, lambda time: time <= end, end)
            return
        for m in self.denote(pattern.operand, enabled, left):
            if m.end <= end:
                yield replace(m, end=end)
            elif self._readings.wait == "conjunction":
                yield m

    def ended_by_time(
        self, pattern: tree.Pattern, enabled: int, left: Context, inside: Callable[[int], bool], end: int
    ) -> Iterable[Match]:
        """Return the match of an open pattern over an interval, at the end of the interval."""
        core, conditions = _core(pattern)
        assert isinstance(core, tree.Not | tree.Collect | tree.Policy)
        matches = [m for m in self.denote(core.operand, enabled, left) if inside(m.end)]
        ended: Match | None
        match core:
            case tree.Not():
                ended = None if matches else new_match((), end, enabled, frozenset())
            case tree.Collect():
                ended = lists.listed(core, matches, end, enabled)
            case tree.Policy():
                ended = replace(matches[-1], end=end) if matches else None
        if ended is None:
            return []
        names = Environment(dict(ended.bindings))
        return [ended] if all(holds(condition, names) for condition in conditions) else []

    # --- Policies ----------------------------------------------------------------------------------------------------

    def first(self, matches: Matches) -> Iterable[Match]:
        """(14): the first."""
        return matches[:1]

    def every(self, operand: tree.Pattern, enabled: int, left: Context) -> Iterable[Match]:
        """(17): the first match, and again from its end, of other events."""
        used = left
        while matches := self.denote(operand, enabled, used):
            yield matches[0]
            enabled = matches[0].end if self._readings.every == "meets" else matches[0].end + 1
            used = replace(used, used=used.used | matches[0].events)

    def all(self, matches: Matches, consumed: Sequence[str]) -> Iterable[Match]:
        """(18): all matches of which no consumed part is in a match selected before."""
        used: set[tuple[int, int]] = set()
        for m in matches:
            parts = {position for name in consumed for position in _part(m, name)}
            if used.isdisjoint(parts):
                used |= parts
                yield m

    def adjacent(self, operand: tree.Pattern, enabled: int, left: Context) -> Iterable[Match]:
        """(16): the last match of the part before, and the first match of the part that follows."""
        assert isinstance(operand, tree.Sequence | tree.And)
        before, after = operand.parts[0], operand.parts[-1]
        if len(operand.parts) > 2:
            before = replace(operand, parts=operand.parts[:-1])
        if isinstance(operand, tree.Sequence):
            return self._pair(before, after, enabled, left)
        order = list(scope_of(operand))
        pairs = [
            replace(m, bindings=tuple(sorted(m.bindings, key=lambda entry: order.index(entry[0]))))
            for earlier, later in ((before, after), (after, before))
            for m in self._pair(earlier, later, enabled, left)
        ]
        if self._readings.adjacent == "first":
            return sorted(pairs, key=precedes)[:1]
        return sorted(pairs, key=lambda m: (m.end - m.start, precedes(m)))[:1]

    def _pair(self, before: tree.Pattern, after: tree.Pattern, enabled: int, left: Context) -> Matches:
        policies = (tree.Policy(tree.Choice.LAST, before, ()), tree.Policy(tree.Choice.FIRST, after, ()))
        self._pinned.append(policies)
        return self._unit(policies)(enabled, left)

    # --- Sub-contexts ------------------------------------------------------------------------------------------------

    def sub_context(self, pattern: tree.Subcontext, enabled: int, left: Context) -> Iterable[Match]:
        """(11): a branch for each item; the match is complete when all its branches are over."""
        for m in self.denote(pattern.operand, enabled, left):
            items = dict(m.bindings).get(pattern.list, ())
            assert isinstance(items, tuple)
            names: dict[str, Known] = dict(m.bindings)
            ends, branches = [m.end], []
            for number, item in enumerate(items, 1):
                in_range = pattern.first is None or pattern.last is None or pattern.first <= number <= pattern.last
                chosen = Environment({**names, pattern.item: item})
                if in_range and (pattern.condition is None or holds(pattern.condition, chosen)):
                    end, branch = self.branch(pattern, item)
                    ends.append(end)
                    branches += branch
            if self._disabled(pattern, m, enabled):
                yield replace(m, bindings=(*m.bindings, (pattern.name, ())))
                continue
            emits = tuple(emitted for branch in branches for emitted in branch.emits)
            bindings = (*m.bindings, (pattern.name, tuple(branches)))
            yield replace(m, bindings=bindings, end=max(ends), emits=(*m.emits, *emits))

    def branch(self, pattern: tree.Subcontext, item: Match) -> tuple[int, list[Match]]:
        """Return the instant at which the branch of an item is over, and its match, if it has one."""
        single = item.bindings[0][1] if len(item.bindings) == 1 else None
        names = ((pattern.item, single),) if isinstance(single, Occurrence) else ()
        left = Context(names, item.events)
        inner = pattern.branch.pattern
        matches = self.denote(inner, item.end, left)
        if matches:
            seen = Environment({**dict(matches[0].bindings), pattern.item: item})
            emits = (
                *matches[0].emits,
                *(emission(action, seen, matches[0].end, self._types) for action in pattern.branch.actions),
            )
            return matches[0].end, [replace(matches[0], emits=emits)]
        over = item.end + longest(inner)
        negated = _negated(inner)
        if negated is not None:
            over = min([over, *(b.end for b in self.denote(negated, item.end, left))])
        return over, []

    def _disabled(self, pattern: tree.Subcontext, m: Match, enabled: int) -> bool:
        """Return whether the condition held, at some instant, of the bindings up to that instant."""
        if pattern.terminate is None:
            return False
        lists = [bound for _, bound in m.bindings if isinstance(bound, tuple)]
        events = [bound for _, bound in m.bindings if isinstance(bound, Occurrence)]
        instants = {enabled, m.end, *(item.end for bound in lists for item in bound), *(bound.time for bound in events)}
        for instant in instants:
            so_far: dict[str, Known] = {}
            for name, bound in m.bindings:
                if isinstance(bound, tuple):
                    so_far[name] = tuple(item for item in bound if item.end <= instant)
                elif bound.time <= instant:
                    so_far[name] = bound
            if holds(pattern.terminate, Environment(so_far)):
                return True
        return False


def emission(
    node: tree.Emission, environment: Environment, end: int, types: Mapping[str, Sequence[tree.Attribute]]
) -> Emitted:
    """Return an emitted event. An argument has the name that the type gives it, or its own."""
    declared = types.get(node.type, ())
    values: dict[str, tree.Constant | None] = {}
    for number, argument in enumerate(node.arguments, 1):
        name = argument.path[-1] if isinstance(argument, tree.Reference) else f"value{number}"
        if number <= len(declared):
            name = declared[number - 1].name
        values[name if name not in values else f"value{number}"] = value_of(argument, environment)
    for attribute in declared[len(node.arguments) :]:
        values[attribute.name] = None if attribute.default is None else attribute.default.value
    return Emitted(node.type, end, tuple(values.items()))


def _core(pattern: tree.Pattern) -> tuple[tree.Pattern, list[tree.Expression]]:
    conditions: list[tree.Expression] = []
    while isinstance(pattern, tree.Filtered):
        conditions.append(pattern.condition)
        pattern = pattern.operand
    return pattern, conditions


def _negated(pattern: tree.Pattern) -> tree.Pattern | None:
    """Return the negated pattern of a branch that is a negation ended by time. In a further `within` it is more than
    that."""
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
    return [alternative.name for alternative in alternatives if isinstance(alternative, tree.Outside)]


def _part(m: Match, name: str) -> Iterable[tuple[int, int]]:
    for known, bound in m.bindings:
        if known == name:
            yield from (
                (bound.position,) if isinstance(bound, Occurrence) else (p for item in bound for p in item.events)
            )
