"""The demands of a rule on events, and their results: conditions, windows, absences, sets and conditions on sets.

They are those of `mapping.pattern_of`, in the order of the patterns. `reasons` evaluates them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from parte.algebra.partelang.expressions import Valuation, value_of
from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.domain import Predicates
from parte.semantics.events.duration import duration_in_words, duration_text
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text

_FILLING = 3  # events named that fill a negated pattern


class Kind(Enum):
    """The kinds of demands of a rule on events."""

    TEMPLATE = "template"
    CONDITION = "condition"
    WINDOW = "window"
    ABSENCE = "absence"
    SET = "set"
    AGGREGATE = "aggregate"
    HAVING = "having"


@dataclass(frozen=True, slots=True)
class Reason:
    """The result of a demand of the rule's `pattern`th pattern, from 1; 0 for a condition of `having`.

    `value` is a text with the values, or with the distance by which the demand is missed. `line` and `column` are its
    place in the program. `outside` is by how much it is missed: a window in milliseconds, a comparison of numbers in
    `having` by their difference, others 0. A set and its aggregates always hold; they are what `having` is about.
    `events` are the ids of the elements of a set, and of the events that fill a negated pattern. `file` is that of the
    place, if the program consists of several.
    """

    pattern: int
    variable: str
    kind: Kind
    demand: str
    line: int
    column: int
    holds: bool
    value: str
    outside: float = 0
    events: tuple[str, ...] = ()
    file: str = ""


def _no_events(_: Valuation) -> Iterable[Event]:
    return ()


@dataclass(frozen=True, slots=True)
class Demand:
    """A demand on the events that the variables `needs` are bound to.

    `missed` returns None if it is met, else by how much it is missed. `value` returns the values as text.
    """

    variable: str
    kind: Kind
    text: str
    at: core.Expression | core.Constraint | core.Pattern
    needs: frozenset[str]
    missed: Callable[[Valuation], float | None]
    value: Callable[[Valuation], str]
    events: Callable[[Valuation], Iterable[Event]] = _no_events

    def reason(self, bound: Valuation, pattern: int) -> Reason:
        """Return the result of the demand for bound events."""
        span, missed = self.at.span, self.missed(bound)
        place = (span.start.line, span.start.column)
        events = tuple(event.id for event in self.events(bound))
        value, holds = self.value(bound), missed is None
        return Reason(
            pattern, self.variable, self.kind, self.text, *place, holds, value, missed or 0, events, span.file
        )


def demands_of(
    rule: core.Rule, pattern: core.Pattern, stream: Collection[Event], domain: Predicates
) -> tuple[Demand, ...]:
    """Return the demands of a pattern, its template first. A window is tested at the later of its two patterns."""
    own = pattern.variable
    template = Demand(
        own,
        Kind.TEMPLATE,
        pattern.template,
        pattern,
        frozenset({own}),
        lambda bound: None if bound[own].template == pattern.template else 0,
        lambda bound: f"{bound[own].id} is a {bound[own].template}",
    )
    if pattern.negated:
        return template, _absence(rule, pattern, stream, domain)
    windows = [c for c in rule.constraints if not c.negated and own in (c.subject, c.reference)]
    return (
        template,
        *(_condition(own, condition, domain) for condition in pattern.conditions),
        *(_window(own, w) for w in windows),
    )


def _condition(own: str, condition: core.Expression, domain: Predicates) -> Demand:
    return Demand(
        own,
        Kind.CONDITION,
        expression_text(condition, own),
        condition,
        core.variables_of(condition),
        lambda bound: None if value_of(condition, bound, domain) is True else 0,
        lambda bound: values_text(condition, own, bound, domain),
    )


def _window(own: str, window: core.Constraint) -> Demand:
    def missed(bound: Valuation) -> int | None:
        return max(-_inside(window, bound), 0) or None

    def describe(bound: Valuation) -> str:
        return _where(window, bound) + ("" if missed(bound) is None else f", {_off(window, bound)}")

    needs = frozenset({window.subject, window.reference})
    return Demand(own, Kind.WINDOW, f"{window.subject} {_place(window)}", window, needs, missed, describe)


def _inside(window: core.Constraint, bound: Valuation) -> int:
    """Return how many milliseconds an event lies within the nearest end of a window; negative if it lies outside."""
    distance = _distance(window, bound)
    return min(distance - window.begins, window.upper - distance)


def _where(window: core.Constraint, bound: Valuation) -> str:
    distance = _distance(window, bound)
    if distance == 0:
        return f"at the time of {window.reference}"
    return f"{duration_in_words(abs(distance))} {'before' if distance < 0 else 'after'} {window.reference}"


def _off(window: core.Constraint, bound: Valuation) -> str:
    """Return the distance of an event from the nearest end of a window in words, with the side on which it lies."""
    inside, distance = _inside(window, bound), _distance(window, bound)
    if inside > 0:
        return f"{duration_in_words(inside)} inside"
    if inside == 0:
        return f"exactly at the closed {'beginning' if distance == window.begins < window.upper else 'end'}"
    return f"{duration_in_words(-inside)} too {'early' if distance < window.begins else 'late'}"


def _distance(window: core.Constraint, bound: Valuation) -> int:
    return bound[window.subject].timestamp - bound[window.reference].timestamp


@dataclass(frozen=True, slots=True)
class Fillers:
    """The events that fill a negated or a collected pattern beside bound events."""

    pattern: core.Pattern
    windows: tuple[core.Constraint, ...]
    there: tuple[Event, ...]
    domain: Predicates

    @staticmethod
    def of(rule: core.Rule, pattern: core.Pattern, stream: Collection[Event], domain: Predicates) -> Fillers:
        """Return the fillers of a pattern of a rule among the events of a stream."""
        windows = tuple(window for window in rule.constraints if window.negated and window.subject == pattern.variable)
        return Fillers(pattern, windows, tuple(e for e in stream if e.template == pattern.template), domain)

    def beside(self, bound: Valuation, *, in_time: bool = True) -> Iterator[Event]:
        """Yield the events that meet the conditions and lie in all windows, or, without `in_time`, outside one."""
        for event in self.there:
            valuation = {**bound, self.pattern.variable: event}
            if in_time is all(_inside(window, valuation) >= 0 for window in self.windows) and all(
                value_of(condition, valuation, self.domain) is True for condition in self.pattern.conditions
            ):
                yield event

    def placed(self, event: Event, bound: Valuation, *, briefly: bool = False) -> tuple[int, str]:
        """Return how far (ms) an event is inside the window where that is least, and a description of it."""
        valuation = {**bound, self.pattern.variable: event}
        if (selection := self.pattern.selects) is not None:
            window = next(window for window in self.windows if window.reference == selection.variable)
            return _inside(window, valuation), f"{event.id} ({_where(window, valuation)})"
        window = min(self.windows, key=lambda constraint: _inside(constraint, valuation))
        off = "" if briefly else f", {_off(window, valuation)}"
        return _inside(window, valuation), f"{event.id} ({_where(window, valuation)}{off})"

    def listed(self, events: Sequence[Event], bound: Valuation, most: int, *, briefly: bool = False) -> str:
        """Return a description of events, of `most` at most; briefly, without their distances from ends of windows."""
        more = f" and {len(events) - most} more" if len(events) > most else ""
        return f"{', '.join(self.placed(event, bound, briefly=briefly)[1] for event in events[:most])}{more}"

    def none(self, bound: Valuation, verb: str) -> str:
        """Return the report that no event fills the pattern (`verb`), with the event that is nearest to the windows."""
        outside = [self.placed(event, bound) for event in self.beside(bound, in_time=False)]
        nearest = f"; nearest: {max(outside, key=lambda pair: pair[0])[1]}" if outside else ""
        return f"none of {len(self.there)} {verb}{nearest}"

    def text(self, quantifier: str) -> str:
        """Return the pattern as a demand."""
        return " ".join([quantifier, self.pattern.template, *map(_place, self.windows)])

    @property
    def needs(self) -> frozenset[str]:
        """The variables to which the events are compared."""
        mentioned = frozenset[str]().union(*map(core.variables_of, self.pattern.conditions))
        return (mentioned | {window.reference for window in self.windows}) - {self.pattern.variable}


def _absence(rule: core.Rule, pattern: core.Pattern, stream: Collection[Event], domain: Predicates) -> Demand:
    """Return the demand that no event fills a negated pattern beside the bound events.

    For a selection: that no event that could be bound instead is earlier, or later.
    """
    selection = pattern.selects
    fillers = Fillers.of(rule, pattern, stream, domain)

    def describe(bound: Valuation) -> str:
        events = list(fillers.beside(bound))
        if selection is not None:
            chosen = _chosen(selection, events)
            several = f"chosen instead: {fillers.listed(chosen, bound, _FILLING)}"
            return several if events else f"none of {len(fillers.there)} is"
        return f"filled by {fillers.listed(events, bound, _FILLING)}" if events else fillers.none(bound, "fills it")

    text = fillers.text("no such")
    if selection is not None:
        side = "earlier" if selection.event == "first" else "later"
        text = f"no {side} {pattern.template} that could be {selection.variable}"
    return Demand(
        pattern.variable if selection is None else selection.variable,
        Kind.ABSENCE,
        text,
        pattern,
        fillers.needs,
        lambda bound: 0 if any(True for _ in fillers.beside(bound)) else None,
        describe,
        fillers.beside,
    )


def _chosen(selection: core.Selection, events: Sequence[Event]) -> list[Event]:
    """Return the first or the last of events, with those of the same time."""
    times = [event.timestamp for event in events]
    time = (min if selection.event == "first" else max)(times, default=None)
    return [event for event in events if event.timestamp == time]


def _place(window: core.Constraint) -> str:
    return f"in {window.reference} [{duration_text(window.begins)}, {duration_text(window.upper)}]"


def values_text(condition: core.Expression, own: str, bound: Valuation, domain: Predicates) -> str:
    """Return the values of the parts of a condition, and of the computed sides of a comparison, as text."""
    parts: list[core.Expression] = [
        part for part in core.EXPRESSIONS.within(condition) if isinstance(part, core.OF_VARIABLES)
    ]
    if isinstance(condition, core.Comparison):
        plain = (*core.OF_VARIABLES, core.Constant, core.TimeConstant, core.ToFloat)
        parts += [side for side in (condition.left, condition.right) if not isinstance(side, plain)]
    if isinstance(condition, core.Presence) and not isinstance(condition.operand, core.AttributeOf):
        parts.append(condition.operand)
    values = {expression_text(part, own): _found(part, value_of(part, bound, domain)) for part in parts}
    return ", ".join(f"{text} {value}" for text, value in values.items())


def _found(part: core.Expression, value: Value | None) -> str:
    missing = value is NO_VALUE and isinstance(part, core.AttributeOf)
    return "is missing" if missing else f"= {value_text(value)}"


def value_text(value: Value | None) -> str:
    if value is NO_VALUE:
        return "no value (an overflow, a division by zero, or a result beyond the finite numbers)"
    return json.dumps(value, ensure_ascii=False)
