"""The meaning of a pattern by L's formulas as printed: its matches, and the instants at which each holds.

Events match when they occur, although no interpretation fulfils (3). Wherever possible, the formulas are read in L's
favour: no policy is inserted where none is written, because the formulas define no default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from parte.languages.lead.algebra.expressions import Environment, Known, holds
from parte.languages.lead.algebra.published import formulas
from parte.languages.lead.algebra.published.formulas import Formula
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Bound, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import named, units

MAX_INSTANTS = 1_000
MAX_ITEMS = 12
BEYOND = 4
"""The number of instants that are examined after the last event and all durations."""

Bindings = tuple[tuple[str, Bound], ...]
Relation = Mapping[Bindings, frozenset[int]]
"""Matches, with the instants at which each holds."""


class Unprinted(ValueError):
    """L prints no formula for this, or no formula for the instants of its matches; or the input is too large."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The instants that are examined."""

    first: int
    last: int

    @property
    def span(self) -> int:
        """The greatest distance between two instants."""
        return self.last - self.first

    def where(self, formula: Formula) -> frozenset[int]:
        """Return the instants at which a formula holds."""
        return frozenset(now for now in range(self.first, self.last + 1) if formula(now))


def published(rule: tree.Rule, events: Sequence[Occurrence]) -> tuple[Relation, Interval]:
    """Return the matches of a rule's pattern by the printed formulas, and the interval that was examined.

    Raise Unprinted if L has no formula for a part of the pattern, or if the interval is too long.
    """
    if not events:
        return {}, Interval(0, 0)
    pattern = named(rule.pattern)
    lengths = sum(node.milliseconds for node in tree.within(pattern) if isinstance(node, tree.Duration))
    interval = Interval(events[0].time, events[-1].time + lengths + BEYOND)
    if interval.span > MAX_INSTANTS:
        raise Unprinted(f"expected at most {MAX_INSTANTS} instants, found {interval.span}; take shorter durations")
    relation = _Published(rule, events, interval).of(pattern, frozenset({interval.first}), {})
    return {bindings: instants for bindings, instants in relation.items() if instants}, interval


class _Published:
    def __init__(self, rule: tree.Rule, events: Sequence[Occurrence], interval: Interval) -> None:
        self._events = events
        self._streams = {stream.alias: stream.name for stream in rule.streams}
        self._interval = interval
        self._span = interval.span

    def of(self, pattern: tree.Pattern, enabled: frozenset[int], left: Mapping[str, Occurrence]) -> Relation:
        """Return the matches of a closed pattern that is enabled at these instants."""
        match pattern:
            case tree.Atom():
                return dict(self._atom(pattern, enabled))
            case tree.Filtered(operand=operand, condition=condition) if not tree.is_open(operand):
                relation = self.of(operand, enabled, left)
                return {m: at for m, at in relation.items() if holds(condition, Environment(dict(m)))}
            case tree.And(parts=parts):
                return self._chain(parts, enabled, left, self._conjunction)
            case tree.Or(parts=parts):
                return self._chain(parts, enabled, left, self._disjunction)
            case tree.Sequence(parts=parts):
                return self._sequence(list(units(parts)), enabled, left)
            case tree.Within():
                return self._within(pattern, enabled, left)
            case tree.Wait(operand=operand, duration=duration):
                ago = duration.milliseconds
                if tree.is_open(operand):
                    return self._ended(operand, enabled, left, formulas.past(enabled.__contains__, ago))
                return {
                    m: self._interval.where(formulas.wait(at.__contains__, enabled.__contains__, ago))
                    for m, at in self.of(operand, enabled, left).items()
                }
            case tree.Collect():
                return self._repetition(pattern, enabled, left, lambda _: True)
            case tree.Policy():
                return self._selected(pattern, enabled, left)
            case _:
                raise Unprinted(f"L prints no formula that says when this matches: {type(pattern).__name__}")

    # --- Core operators ----------------------------------------------------------------------------------------------

    def _atom(self, pattern: tree.Atom, enabled: frozenset[int]) -> Iterator[tuple[Bindings, frozenset[int]]]:
        for occurrence in self._events:
            if occurrence.event.template == self._streams[pattern.stream] and occurrence.time >= min(
                enabled, default=occurrence.time + 1
            ):
                yield ((pattern.name or pattern.stream, occurrence),), frozenset({occurrence.time})

    def _chain(
        self,
        parts: Sequence[tree.Pattern],
        enabled: frozenset[int],
        left: Mapping[str, Occurrence],
        join: Callable[[Relation, Relation], Relation],
    ) -> Relation:
        done, *others = [self.of(part, enabled, left) for part in parts]
        for relation in others:
            done = join(done, relation)
        return done

    def _conjunction(self, left: Relation, right: Relation) -> Relation:
        return {
            m + n: self._interval.where(formulas.conjunction(p.__contains__, q.__contains__, self._span))
            for m, p in left.items()
            for n, q in right.items()
        }

    def _disjunction(self, left: Relation, right: Relation) -> Relation:
        if not left or not right:
            return {**left, **right}
        return {
            m + n: self._interval.where(formulas.disjunction(p.__contains__, q.__contains__))
            for m, p in left.items()
            for n, q in right.items()
        }

    def _sequence(
        self, parts: Sequence[tuple[tree.Pattern, ...]], enabled: frozenset[int], left: Mapping[str, Occurrence]
    ) -> Relation:
        """(8), from the left. An open part enables the next part, which ends it."""
        part, *others = parts
        if not others and len(part) == 1:
            return self.of(part[0], enabled, left)
        relation: dict[Bindings, frozenset[int]] = {}
        following = [part[1:], *others] if len(part) > 1 else others
        if len(part) > 1:
            return self._until(part[0], following, enabled, left)
        for m, at in self.of(part[0], enabled, left).items():
            for begun in sorted(at):
                start = frozenset({begun})
                for n, then in self._sequence(following, start, {**left, **_events(m)}).items():
                    formula = formulas.sequence(at.__contains__, start.__contains__, then.__contains__, self._span)
                    relation[m + n] = relation.get(m + n, frozenset()) | self._interval.where(formula)
        return relation

    def _until(
        self,
        core: tree.Pattern,
        following: Sequence[tuple[tree.Pattern, ...]],
        enabled: frozenset[int],
        left: Mapping[str, Occurrence],
    ) -> Relation:
        """Remark 3: the following parts end the open pattern, and its match enables them. Iterate from the empty
        relation until nothing changes."""
        ends: Relation = {}
        for _ in range(MAX_INSTANTS):
            over = frozenset[int]().union(*ends.values())
            before = self._ended(core, enabled, left, over.__contains__)
            relation: dict[Bindings, frozenset[int]] = {}
            again: dict[Bindings, frozenset[int]] = {}
            for m, at in before.items():
                for n, then in self._sequence(following, at, left).items() if at else ():
                    formula = formulas.sequence(at.__contains__, at.__contains__, then.__contains__, self._span)
                    relation[m + n] = self._interval.where(formula)
                    again[n] = then
            if again == ends:
                return relation
            ends = again
        raise Unprinted("what ends the pattern and what it ends do not come to rest")

    # --- Patterns that time ends -------------------------------------------------------------------------------------

    def _within(self, pattern: tree.Within, enabled: frozenset[int], left: Mapping[str, Occurrence]) -> Relation:
        length, source = pattern.duration.milliseconds, pattern.source
        if source is not None and not isinstance(source, tree.Bound):
            if tree.is_open(pattern.operand):
                inner = tree.Within(pattern.operand, pattern.duration, None)
                return self._sequence([(source,), (inner,)], enabled, left)
            return {
                m + n: self._interval.where(formulas.within(at.__contains__, since.__contains__, length))
                for m, at in self.of(pattern.operand, enabled, left).items()
                for n, since in self.of(source, enabled, left).items()
            }
        origin = enabled if source is None else frozenset({left[source.name].time} if source.name in left else ())
        if tree.is_open(pattern.operand):
            return self._ended(pattern.operand, enabled, left, formulas.past(origin.__contains__, length))
        return {
            m: self._interval.where(formulas.within(at.__contains__, origin.__contains__, length))
            for m, at in self.of(pattern.operand, enabled, left).items()
        }

    def _ended(
        self, pattern: tree.Pattern, enabled: frozenset[int], left: Mapping[str, Occurrence], ended: Formula
    ) -> Relation:
        """Return the matches of an open pattern that `ended` ends."""
        match pattern:
            case tree.Filtered(operand=operand, condition=condition):
                relation = self._ended(operand, enabled, left, ended)
                return {m: at for m, at in relation.items() if holds(condition, Environment(dict(m)))}
            case tree.Not(operand=operand):
                matches = [at.__contains__ for at in self.of(operand, enabled, left).values()]
                whole = formulas.negation(matches, enabled.__contains__, ended, self._span)
                return {(): frozenset(now for now in self._interval.where(whole) if now >= min(enabled, default=now))}
            case tree.Collect():
                return self._repetition(pattern, enabled, left, ended)
            case tree.Policy(operand=operand):
                return {
                    m: self._interval.where(formulas.last(at.__contains__, ended, self._span))
                    for m, at in self.of(operand, enabled, left).items()
                }
            case _:
                raise Unprinted("a closed pattern was to be ended")

    def _repetition(
        self, pattern: tree.Collect, enabled: frozenset[int], left: Mapping[str, Occurrence], ended: Formula
    ) -> Relation:
        """(10), for each list of items."""
        items = sorted(
            self.of(pattern.operand, enabled, left).items(), key=lambda entry: (sorted(entry[1]), _key(entry[0]))
        )
        if len(items) > MAX_ITEMS:
            raise Unprinted(f"expected at most {MAX_ITEMS} items, found {len(items)}; take a shorter trace")
        name = pattern.name or "list"
        relation: dict[Bindings, frozenset[int]] = {}
        for size in range(len(items) + 1):
            for chosen in combinations(items, size):
                listed = tuple(_item(m, at) for m, at in chosen)
                whole = formulas.repetition(
                    [at.__contains__ for _, at in chosen],
                    _fits(pattern, name, listed),
                    enabled.__contains__,
                    ended,
                    self._span,
                )
                relation[((name, listed),)] = self._interval.where(whole)
        return relation

    # --- Policies ----------------------------------------------------------------------------------------------------

    def _selected(self, pattern: tree.Policy, enabled: frozenset[int], left: Mapping[str, Occurrence]) -> Relation:
        if pattern.choice is tree.Choice.ADJ:
            return self._adjacent(pattern.operand, enabled, left)
        relation = self.of(pattern.operand, enabled, left)
        matches = {m: at.__contains__ for m, at in relation.items()}
        match pattern.choice:
            case tree.Choice.FIRST:
                every = list(matches.values())
                chosen = {m: formulas.first(p, every, enabled.__contains__, self._span) for m, p in matches.items()}
            case tree.Choice.EVERY:
                began = max(enabled, default=self._interval.first)
                chosen = {
                    m: formulas.every(p, matches.values(), began, max(relation[m], default=began - 1))
                    for m, p in matches.items()
                }
            case _:
                chosen = {
                    m: formulas.consume(p, list(self._sharing(m, matches, pattern.consumed)), self._span)
                    for m, p in matches.items()
                }
        return {m: self._interval.where(formula) for m, formula in chosen.items()}

    @staticmethod
    def _sharing(m: Bindings, matches: Mapping[Bindings, Formula], consumed: Sequence[str]) -> Iterator[Formula]:
        for bindings, formula in matches.items():
            if any(name in consumed and (name, bound) in m for name, bound in bindings):
                yield formula

    def _adjacent(self, operand: tree.Pattern, enabled: frozenset[int], left: Mapping[str, Occurrence]) -> Relation:
        """(16); for a sequence, the form that L shows with ρ3: `last` of the part before, then `first`."""
        assert isinstance(operand, tree.Sequence | tree.And)
        whole = operand.parts
        before = whole[0] if len(whole) == 2 else replace(operand, parts=whole[:-1])
        orders = [(before, whole[-1])] + ([(whole[-1], before)] if isinstance(operand, tree.And) else [])
        relation: dict[Bindings, frozenset[int]] = {}
        for earlier, later in orders:
            relation.update(self._nearest(earlier, later, enabled, left))
        return relation

    def _nearest(
        self, earlier: tree.Pattern, later: tree.Pattern, enabled: frozenset[int], left: Mapping[str, Occurrence]
    ) -> Iterable[tuple[Bindings, frozenset[int]]]:
        """last(P) → first(Q). The first P enables Q, so that Q can end the pattern."""
        firsts = self.of(tree.Policy(tree.Choice.FIRST, earlier, ()), enabled, left)
        begun = frozenset(min(at) for at in firsts.values() if at)
        if not begun:
            return
        for n, then in self.of(tree.Policy(tree.Choice.FIRST, later, ()), begun, left).items():
            for m, at in self._ended(
                tree.Policy(tree.Choice.LAST, earlier, ()), enabled, left, then.__contains__
            ).items():
                yield m + n, at


def _events(m: Bindings) -> dict[str, Occurrence]:
    return {name: bound for name, bound in m if isinstance(bound, Occurrence)}


def _key(m: Bindings) -> tuple[object, ...]:
    return tuple(
        bound.position if isinstance(bound, Occurrence) else tuple(_key(i.bindings) for i in bound) for _, bound in m
    )


def _item(m: Bindings, at: frozenset[int]) -> Match:
    end = min(at, default=0)
    return Match(m, end, end, frozenset())


def _fits(pattern: tree.Collect, name: str, items: tuple[Match, ...]) -> bool:
    """wacc of each item, given the items before it; ¬win and wrt of the list."""

    def seen(before: tuple[Match, ...], latest: Match | None) -> Environment:
        names: dict[str, Known] = {} if latest is None else dict(latest.bindings)
        return Environment({**names, name: before}, before)

    accepted = pattern.accept is None or all(
        holds(pattern.accept, seen(items[:number], item)) for number, item in enumerate(items)
    )
    whole = seen(items, items[-1] if items else None)
    invalid = pattern.invalidate is not None and holds(pattern.invalidate, whole)
    return accepted and not invalid and (pattern.terminate is None or holds(pattern.terminate, whole))
