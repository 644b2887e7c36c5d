"""Random rules of LEAD and traces. The rules have no errors, because conditions use the names that their pattern
binds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from parte.conformance.fuzz.draw import Draw
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.checking import check, productive
from parte.languages.lead.semantics.syntax.codes import CODES
from parte.languages.lead.semantics.syntax.names import Scope, events_of, named, resolved, scope_of
from parte.semantics.events.event import Event
from parte.semantics.source.reporting import Reporter

STREAMS = ("A", "B", "C")
NAMES = ("x", "y", "z")
LISTS = ("l", "k")
ATTRIBUTES = ("v", "w", "event_time")
GAPS = (0, 0, 0, 1, 1, 2, 3)
"""Milliseconds between events; ties are frequent."""
PACES = (GAPS, GAPS, GAPS, GAPS, (0,), (0, 0, 5, 1000))
"""The gaps between the events of a trace; some are all zero, some have long silences."""
VALUES: tuple[tree.Constant, ...] = (0, 1, 2, -1, 1.5, True, "a", "")

_COUNT = tree.Aggregate(tree.Function.COUNT, ())
_ONE = tree.Literal(1)


@dataclass(frozen=True, slots=True)
class Shape:
    """The limits of a drawn rule and of its trace."""

    depth: int = 3
    events: int = 6
    least: int = 1
    contexts: bool = True
    rules: bool = True


def drawn_events(draw: Draw, most: int, least: int = 1) -> tuple[Event, ...]:
    """Return a trace in order of time; some streams may be empty."""
    now = draw.choice((0, 0, 0, -3, 10**9))
    gaps = draw.choice(PACES)
    kinds = draw.subset(STREAMS, 1, 2) if draw.chance(20) else (*STREAMS, *STREAMS, "D")
    events: list[Event] = []

    def event() -> None:
        nonlocal now
        now += draw.choice(gaps)
        kind = draw.choice(kinds)
        attributes = {name: draw.choice(VALUES) for name in ("v", "w") if draw.chance(80)}
        events.append(Event(f"{kind.lower()}{len(events)}", kind, now, attributes))

    draw.several(event, least, most)
    return tuple(events)


def drawn_rule(draw: Draw, shape: Shape = Shape()) -> tree.Rule:
    """Return a rule of a shape, without errors."""
    while True:
        rule = draw.part(partial(_rule, draw, shape))
        if fits(rule):
            return rule


def fits(rule: tree.Rule) -> bool:
    """Return whether a rule has no errors."""
    reporter = Reporter("", CODES)
    check(rule, reporter)
    return not reporter.failed and resolved(unbound(rule.pattern)) == rule.pattern


def unbound(pattern: tree.Pattern) -> tree.Pattern:
    """Return the pattern as the parser reads it, before the names behind `from` are resolved."""

    def change(node: tree.Node) -> tree.Node:
        return tree.Atom(node.name, None) if isinstance(node, tree.Bound) else node

    return tree.TREE.mapped(pattern, change)


# --- Rules ------------------------------------------------------------------------------------------------------------


def _rule(draw: Draw, shape: Shape) -> tree.Rule:
    streams = tuple(tree.Stream(name, name) for name in STREAMS)
    if draw.chance(15):
        streams = (*streams[:-1], tree.Stream(STREAMS[0], STREAMS[-1]))  # one stream under two names
    every = draw.chance(60)
    pattern = _Patterns(draw, shape, selected=every).closed(draw.integer(0, shape.depth))
    if every:
        pattern = tree.Policy(tree.Choice.ALL, pattern, ())
    sight = _Sight(draw, scope_of(named(pattern)))
    pattern, times = _with_times(pattern, sight)
    keys = draw.choice(_keys(draw)) if shape.rules and draw.chance(20) else ()
    outcome = _outcome(draw, sight) if shape.rules and draw.chance(30) else ()
    types = (_type(draw),) if shape.rules and draw.chance(10) else ()
    return tree.Rule(streams, times, types, pattern, keys, outcome)


def _with_times(pattern: tree.Pattern, sight: _Sight) -> tuple[tree.Pattern, tuple[tree.TimeEvent, ...]]:
    """Return the pattern and its time events. Without an event that could start one, replace them by conditions."""
    names = {node.name for node in tree.within(pattern) if isinstance(node, tree.Outside)}
    if not sight.events:

        def change(node: tree.Node) -> tree.Node:
            many = tree.Comparison(_COUNT, tree.Operator.GREATER, _ONE)
            return many if isinstance(node, tree.Outside) else node

        return tree.TREE.mapped(pattern, change), ()
    times = []
    for name in sorted(names):
        start = tree.Reference((sight.draw.choice(sight.events), "event_time"))
        end = tree.Sum((start, tree.Duration(sight.draw.integer(0, 5), tree.Unit.MS)))
        times.append(tree.TimeEvent(name, start, end))
    return pattern, tuple(times)


def _keys(draw: Draw) -> Sequence[tuple[tree.Key, ...]]:
    value, second_value = tree.Key("A", "v", None), tree.Key("A", "w", None)
    length = draw.integer(1, 4)
    count, time = tree.Key("", "", length), tree.Key("", "", tree.Duration(length, tree.Unit.MS))
    return (value,), (value, second_value), (time,), (count,), (value, count)


def _type(draw: Draw) -> tree.EventType:
    names = draw.subset(("v", "w", "p", "q"), 1, 3)
    attributes = (tree.Attribute("INTEGER", name, draw.choice((None, tree.Literal(7)))) for name in names)
    return tree.EventType("E", tuple(attributes), draw.chance(50))


def _outcome(draw: Draw, sight: _Sight) -> tuple[tree.Outcome, ...]:
    emission = tree.Emission("E", (sight.value(), _ONE))
    if draw.chance(50):
        return (emission,)
    clauses = draw.several(lambda: tree.Where(sight.condition(), (emission,)), 1, 2)
    return (tree.Check(draw.chance(50), clauses),)


# --- Patterns ---------------------------------------------------------------------------------------------------------

Make = Callable[[], tree.Pattern]


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of one scope, in which some names are `used` and events to the left are bound; `selected` means below
    `all` or `every`."""

    draw: Draw
    shape: Shape
    selected: bool = False
    used: set[str] = field(default_factory=set)
    left: frozenset[str] = frozenset()

    def closed(self, depth: int) -> tree.Pattern:
        """Return a pattern that needs nothing to end it."""
        if depth <= 0:
            return self.event()
        inner: Make = partial(self._inner, depth - 1)
        return self.draw.one_of(
            (30, self.event),
            (40, partial(self._sequence, depth - 1)),
            (20, lambda: chain(self.draw.several(inner, 2, 3))),
            (5, lambda: chain([tree.Atom(self.draw.choice(STREAMS), None)] * 2)),
            (20, lambda: tree.Or(self.draw.several(inner, 2, 3))),
            (20, lambda: tree.Within(inner(), self._duration(), None)),
            (20, lambda: tree.Within(self._open(depth - 1), self._duration(), None)),
            (15, partial(self._from, depth - 1)),
            (10, lambda: tree.Wait(self._element(depth - 1), self._duration())),
            (10, lambda: self._filtered(inner)),
            (20, lambda: self._collected(depth - 1, ends=True)),
            (7, partial(self._picked, depth - 1)),
            (22, partial(self._policy, depth - 1)),
            (7, partial(self._adjacent, depth - 1)),
            (15, self._telling),
            (20 if self.shape.contexts else 0, partial(self._context, depth - 1)),
        )

    def event(self) -> tree.Pattern:
        """Return an event, seldom with a condition."""
        atom = tree.Atom(self.draw.choice(STREAMS), self._name(NAMES) if self.draw.chance(60) else None)
        hidden = atom.stream in self.used and atom.name is None
        self.used.add(atom.name or atom.stream)
        if hidden or not self.draw.chance(15):
            return atom
        sight = _Sight(self.draw, {atom.name or atom.stream: None})
        return tree.Filtered(atom, sight.compared(sight.value()))

    def _inner(self, depth: int) -> tree.Pattern:
        return self.draw.part(partial(self.closed, depth))

    def _apart(self, *, nested: bool = True) -> _Patterns:
        """Return patterns of another scope, seldom with contexts."""
        contexts = self.shape.contexts and nested and self.draw.chance(50)
        return _Patterns(self.draw, replace(self.shape, contexts=contexts))

    def _name(self, names: Sequence[str]) -> str | None:
        free = [name for name in names if name not in self.used]
        return self.draw.choice(free) if free else None

    def _named_list(self, names: Sequence[str] = LISTS) -> str:
        """Return a free name, with a number if none of `names` is free."""
        name = self._name(names) or f"{names[0]}{len(self.used)}"
        self.used.add(name)
        return name

    def _duration(self) -> tree.Duration:
        return tree.Duration(self.draw.choice((1, 1, 2, 3, 5)), tree.Unit.MS)

    def _sight(self, operand: tree.Pattern, before: Collection[str]) -> _Sight:
        """Return the names that a condition on a pattern sees; a part with the name of an earlier part has another
        name there."""
        return _Sight(self.draw, {name: s for name, s in scope_of(named(operand)).items() if name not in before})

    def _sequence(self, depth: int) -> tree.Pattern:
        parts: list[tree.Pattern] = []
        left = self.left
        for last in (*((False,) * self.draw.choice((1, 1, 2))), True):
            here = replace(self, left=left)
            parts.append(here._inner(depth) if last else here._element(depth))  # its own class
            left |= events_of(parts[-1])
        return tree.Sequence(tuple(parts))

    def _element(self, depth: int) -> tree.Pattern:
        """Return a part of a sequence that is not the last."""
        return self._open(depth) if self.draw.chance(35) else self._inner(depth)

    def _open(self, depth: int) -> tree.Pattern:
        match self.draw.integer(0, 3):
            case 0:
                return tree.Not(self._apart()._inner(depth))
            case 1:
                return tree.Policy(tree.Choice.LAST, self._inner(depth), ())
            case 2:
                return self._collected(depth, ends=False)
            case _:
                collected = self._collected(depth, ends=False, name=self._named_list())
                assert collected.name is not None
                counted = tree.Aggregate(tree.Function.COUNT, (collected.name,))
                return tree.Filtered(collected, _Sight(self.draw, {}).compared(counted))

    def _from(self, depth: int) -> tree.Pattern:
        operand = self._element(depth)
        bound = [name for name in sorted(self.left) if "#" not in name]
        source = self.draw.one_of(
            (1, lambda: tree.Atom(self.draw.choice(STREAMS), None)),
            (1, self.event),
            (1, partial(self._inner, depth)),
            (3 * len(bound), lambda: tree.Bound(self.draw.choice(bound))),
        )
        if isinstance(source, tree.Atom) and source.name is None and source.stream in self.left:
            source = tree.Bound(source.stream)
        return tree.Within(operand, self._duration(), source)

    def _filtered(self, inner: Make) -> tree.Pattern:
        before = frozenset(self.used)
        operand = inner()
        return tree.Filtered(operand, self._sight(operand, before).condition())

    def _policy(self, depth: int) -> tree.Pattern:
        choice = self.draw.choice((tree.Choice.FIRST, tree.Choice.EVERY, tree.Choice.ALL))
        counted = choice is not tree.Choice.FIRST and not self.selected
        before = frozenset(self.used)
        operand = replace(self, selected=self.selected or counted)._inner(depth)
        if not counted or (choice is tree.Choice.EVERY and not productive(operand)):
            return tree.Policy(tree.Choice.FIRST, operand, ())
        names = [name for name in self._sight(operand, before).scope if "#" not in name]
        consumes = choice is tree.Choice.ALL and names and self.draw.chance(50)
        return tree.Policy(choice, operand, (self.draw.choice(names),) if consumes else ())

    def _adjacent(self, depth: int) -> tree.Pattern:
        parts = (self._inner(depth), self._inner(depth))
        return tree.Policy(tree.Choice.ADJ, chain(parts) if self.draw.chance(50) else tree.Sequence(parts), ())

    def _telling(self) -> tree.Pattern:
        """Return a small pattern with many matches at once, on which a net that confuses two matches fails."""
        whole: Sequence[Make] = (
            lambda: tree.Sequence((self.event(), chain((self.event(), self.event())))),
            lambda: tree.Sequence((self.event(), tree.Within(tree.Not(self._apart().event()), self._duration(), None))),
            lambda: tree.Within(self.event(), self._duration(), tree.Sequence((self.event(), self.event()))),
            lambda: tree.Wait(self.event(), self._duration()),
        )
        choice = tree.Choice.FIRST if self.selected else tree.Choice.ALL
        return tree.Policy(choice, self.draw.choice(whole)(), ())

    def _collected(self, depth: int, *, ends: bool, name: str | None = None) -> tree.Collect:
        inside = self._apart()
        policy = self.draw.choice((tree.Choice.EVERY, tree.Choice.ALL)) if self.draw.chance(20) else None
        inside = replace(inside, selected=policy is not None)
        operand = inside._inner(depth if self.draw.chance(30) else 0)
        if policy is not None and (policy is tree.Choice.ALL or productive(operand)):
            operand = tree.Policy(policy, operand, ())
        if name is None and self.draw.chance(60):
            name = self._named_list()
        items = scope_of(named(operand))
        sight = _Sight(self.draw, {**items, **({name: items} if name else {})}, items)
        outside = tree.Outside(self.draw.choice(("t", "u")))
        terminate: Sequence[Callable[[], tree.Expression]] = (
            sight.limit,
            sight.limit,
            lambda: outside,
            lambda: tree.Either((sight.limit(), outside)),
        )
        return tree.Collect(
            operand,
            sight.limit() if self.draw.chance(20) else None,
            self.draw.choice(terminate)() if ends else None,
            sight.limit() if self.draw.chance(20) else None,
            name,
        )

    def _picked(self, depth: int) -> tree.Pattern:
        collect = self._collected(depth, ends=True)
        items = scope_of(named(collect.operand))
        return tree.Pick(self.draw.chance(50), collect, _Sight(self.draw, {}, items).of_items((), items))

    def _context(self, depth: int) -> tree.Pattern:
        before = frozenset(self.used)
        name = self._named_list()
        inside = replace(self, shape=self._apart().shape)
        collected = partial(inside._collected, depth, name=name)
        operand: tree.Pattern
        match self.draw.integer(0, 3):
            case 0:
                operand = collected(ends=True)
            case 1:
                first = inside._inner(depth)
                operand = tree.Sequence((first, collected(ends=True)))
            case 2:
                operand = chain((collected(ends=True), inside._inner(depth)))
            case _:
                operand = tree.Sequence((collected(ends=False), inside._inner(depth)))
        sight = self._sight(operand, before)
        begin, end = self.draw.choice(((None, None), (None, None), (1, 1), (2, 3)))
        single: Scope | None = sight.scope[name]
        if single is not None and list(single.values()) == [None]:
            single = None
        item = _Sight(self.draw, {"i": single}) if single is None else sight
        branch = self._branch()
        within = _Sight(self.draw, {**scope_of(named(branch)), "i": single})
        actions = (tree.Emission("E", (within.value(),)),) if self.draw.chance(40) else ()
        counted = tree.Aggregate(tree.Function.COUNT, (name,))
        return tree.Subcontext(
            operand,
            "i",
            name,
            begin,
            end,
            item.compared(item.value()) if self.draw.chance(30) else None,
            tree.Branch(branch, actions),
            sight.compared(counted) if self.draw.chance(20) else None,
            self._named_list(("b", "m")),
        )

    def _branch(self) -> tree.Pattern:
        inside = self._apart()
        absent = self.draw.chance(50)
        pattern = (inside._apart() if absent else inside)._inner(self.draw.integer(0, 1))
        branch: tree.Pattern = tree.Not(pattern) if absent else pattern
        return (
            tree.Wait(branch, self._duration()) if self.draw.chance(20) else tree.Within(branch, self._duration(), None)
        )


def chain(parts: Iterable[tree.Pattern]) -> tree.Pattern:
    """Return a conjunction, none of whose parts is one."""
    nested = (part.parts if isinstance(part, tree.And) else (part,) for part in parts)
    return tree.And(tuple(part for some in nested for part in some))


# --- Conditions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sight:
    """Conditions over the names of a scope, and of an item of the list that is being collected."""

    draw: Draw
    scope: Scope
    current: Scope | None = None

    @property
    def events(self) -> list[str]:
        """The events whose names a rule can write; it cannot write the name of a second event without a name."""
        return _written(self.scope)

    @property
    def lists(self) -> list[str]:
        """The lists whose names a rule can write."""
        return [name for name, items in self.scope.items() if items is not None and "#" not in name]

    def condition(self, depth: int = 1) -> tree.Expression:
        """Return a condition."""
        deeper = partial(self.condition, depth - 1)
        return self.draw.one_of(
            (50, lambda: self.compared(self.value())),
            (15 if depth else 0, lambda: tree.Both((deeper(), deeper()))),
            (15 if depth else 0, lambda: tree.Either((deeper(), deeper()))),
            (10 if depth else 0, lambda: tree.Negation(deeper())),
            (15, self._quantified),
            (5, lambda: self.compared(self.aggregate())),
        )

    def compared(self, left: tree.Expression) -> tree.Expression:
        """Return a comparison of a value with a constant, or with a value."""
        right = self._literal() if self.draw.chance(70) else self.value()
        if self.draw.chance(20):
            options: Sequence[tree.Expression] = (
                tree.Sum((left, right)),
                tree.Product((left, right)),
                tree.Negative(left),
            )
            left = self.draw.choice(options)
        return tree.Comparison(left, self.draw.choice(list(tree.Operator)), right)

    def limit(self) -> tree.Expression:
        """Return a condition on the list that is being collected."""
        return self.compared(self.value() if self.draw.chance(33) else self.aggregate())

    def value(self) -> tree.Expression:
        """Return the value of an attribute, or of a list if there is no event."""
        if self.events:
            return tree.Reference((self.draw.choice(self.events), self.draw.choice(ATTRIBUTES)))
        return self.aggregate()

    def aggregate(self) -> tree.Expression:
        """Return a function of a visible list, or a constant if there is none."""
        if self.lists and (self.current is None or self.draw.chance(30)):
            name = self.draw.choice(self.lists)
            return self.of_items((name,), self.scope[name] or {})
        return _ONE if self.current is None else self.of_items((), self.current)

    def of_items(self, path: tuple[str, ...], items: Scope) -> tree.Aggregate:
        """Return a function of the items of a list."""
        function = self.draw.choice(list(tree.Function)) if self.draw.chance(50) else tree.Function.COUNT
        events = _written(items)
        if function is tree.Function.COUNT or not events:
            return tree.Aggregate(tree.Function.COUNT, path)
        single = len(items) == 1 and self.draw.chance(50)
        event = () if single else (self.draw.choice(events),)
        return tree.Aggregate(function, (*path, *event, self.draw.choice(("v", "event_time"))))

    def _quantified(self) -> tree.Expression:
        paths = [
            (name, attribute) if len(self.scope[name] or ()) == 1 else (name, event, attribute)
            for name in self.lists
            for event in _written(self.scope[name] or {})
            for attribute in ("v", "event_time")
        ]
        if not paths:
            return self.compared(self.aggregate())
        least, most = self.draw.choice(((None, None), (1, None), (None, 1), (1, 2)))
        left = tree.Reference(self.draw.choice(paths))
        operator = self.draw.choice(list(tree.Operator))
        return tree.Quantified(least, most, tree.Comparison(left, operator, self._literal()))

    def _literal(self) -> tree.Expression:
        value = self.draw.choice(VALUES)
        if isinstance(value, bool | str) or value >= 0:
            return tree.Literal(value)
        return tree.Negative(tree.Literal(-value))


def _written(scope: Scope) -> list[str]:
    return [name for name, items in scope.items() if items is None and "#" not in name]
