"""The reasons why events match a rule or do not: the result of each demand on them, and where a search ends.

The demands are those of `mapping.pattern_of`, in the order of the patterns: conditions, windows to events that are
bound before, and the absence of events that fill a negated pattern. `explained` evaluates each demand; `search` binds
the remaining variables, pattern by pattern, and stores the combinations that failed by least.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from heapq import nsmallest

from parte.algebra.partelang.expressions import Valuation, value_of
from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.domain import Predicates
from parte.semantics.events.duration import duration_in_words, duration_text
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text

LIMIT = 200_000
"""The most combinations of events that a search tries."""
NEAREST = 3
"""The number of combinations that failed by least and are reported."""
_FILLING = 3  # events named that fill a negated pattern
_MOST_FAILING = 1000  # stored at a time; the nearest are chosen from them


class Kind(Enum):
    """The kinds of demands of a rule on events."""

    TEMPLATE = "template"
    CONDITION = "condition"
    WINDOW = "window"
    ABSENCE = "absence"


@dataclass(frozen=True, slots=True)
class Reason:
    """The result of a demand of the rule's `pattern`th pattern, from 1.

    `found` is a text with the values, or with the distance by which the demand is missed. `line` and `column` are its
    place in the program. `outside` is by how many milliseconds a window is missed.
    """

    pattern: int
    variable: str
    kind: Kind
    demand: str
    line: int
    column: int
    holds: bool
    found: str
    outside: int = 0


@dataclass(frozen=True, slots=True)
class Explained:
    """Events that are bound to positive variables, and the results of the demands on them."""

    bindings: tuple[tuple[str, str], ...]
    reasons: tuple[Reason, ...]

    @property
    def holds(self) -> bool:
        """Return whether every demand is met."""
        return all(reason.holds for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Level:
    """A pattern of a search: of `tried` combinations, `left` are continued.

    `failed` are the demands that were not met, with their numbers of failures, the most frequent first.
    """

    variable: str
    template: str
    negated: bool
    tried: int
    left: int
    failed: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Search:
    """A search for matches of a rule. `complete` is False if it stopped at its limit; then there may be more matches.

    `matches` are the first of `count`; `nearest` are combinations that failed at the last level that any reached,
    ordered by the number of failed demands, then by the milliseconds by which they miss windows.
    """

    levels: tuple[Level, ...]
    count: int
    matches: tuple[Explained, ...]
    nearest: tuple[Explained, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class _Demand:
    """A demand on the events that the variables `needs` are bound to.

    `missed` returns None if it is met; else by how many milliseconds a window is missed, and 0 for other demands.
    `found` returns the values as text.
    """

    variable: str
    kind: Kind
    text: str
    at: core.Expression | core.Constraint | core.Pattern
    needs: frozenset[str]
    missed: Callable[[Valuation], int | None]
    found: Callable[[Valuation], str]

    def reason(self, bound: Valuation, pattern: int) -> Reason:
        """Return the result of the demand for bound events."""
        start, missed = self.at.span.start, self.missed(bound)
        place = (start.line, start.column)
        return Reason(
            pattern, self.variable, self.kind, self.text, *place, missed is None, self.found(bound), missed or 0
        )


def explained(rule: core.Rule, bound: Valuation, stream: Collection[Event], domain: Predicates) -> Explained:
    """Return the results of the demands on bound events.

    Demands that mention an unbound variable are left out, and so are those on an event of another template.
    """
    reasons: list[Reason] = []
    known: dict[str, Event] = {}
    for position, pattern in enumerate(rule.patterns, start=1):
        template, *others = _demands(rule, pattern, stream, domain)
        if not pattern.negated:
            if pattern.variable not in bound:
                continue
            if (wrong := template.reason(bound, position)) and not wrong.holds:
                reasons.append(wrong)
                continue
            known[pattern.variable] = bound[pattern.variable]
        reasons.extend(demand.reason(known, position) for demand in others if demand.needs <= known.keys())
    bindings = tuple((p.variable, bound[p.variable].id) for p in rule.positive if p.variable in bound)
    return Explained(bindings, tuple(reasons))


def search(
    rule: core.Rule,
    fixed: Valuation,
    stream: Collection[Event],
    domain: Predicates,
    *,
    limit: int = LIMIT,
    nearest: int = NEAREST,
) -> Search:
    """Bind the positive variables that are not fixed, in the order of the patterns, as far as the demands allow."""
    levels: list[Level] = []
    going: list[Valuation] = [{}]
    failing: list[tuple[int, int, int, Valuation]] = []
    budget = limit
    for pattern in rule.patterns:
        demands = _demands(rule, pattern, stream, domain)
        partial, going, failing, tried, failures = going, [], [], 0, Counter[str]()
        for valuation_so_far in _extended(pattern, partial, fixed, stream):
            if tried == budget:
                break
            tried += 1
            missed = _missed(demands, valuation_so_far)
            if not missed:
                going.append(valuation_so_far)
                continue
            failures.update(demand.text for demand, _ in missed)
            failing.append((len(missed), sum(by for _, by in missed), tried, valuation_so_far))
            if len(failing) > _MOST_FAILING:
                failing = nsmallest(nearest, failing, key=lambda entry: entry[:3])
        budget -= tried
        common = tuple(failures.most_common())
        levels.append(Level(pattern.variable, pattern.template, pattern.negated, tried, len(going), common))
        if not going:
            break
    near = [] if going else nsmallest(nearest, failing, key=lambda entry: entry[:3])
    return Search(
        tuple(levels),
        len(going),
        tuple(explained(rule, valuation, stream, domain) for valuation in going[:nearest]),
        tuple(explained(rule, valuation, stream, domain) for *_, valuation in near),
        budget > 0,
    )


def _extended(
    pattern: core.Pattern, partial: Sequence[Valuation], fixed: Valuation, stream: Collection[Event]
) -> Iterator[Valuation]:
    """Yield partial matches with an event for the variable of a further pattern; a negated pattern adds none."""
    if pattern.negated:
        yield from partial
        return
    own = pattern.variable
    events = [fixed[own]] if own in fixed else [event for event in stream if event.template == pattern.template]
    yield from ({**valuation, own: event} for valuation in partial for event in events)


def _missed(demands: Sequence[_Demand], bound: Valuation) -> list[tuple[_Demand, int]]:
    """Return the demands that bound events do not meet, with the milliseconds missed; one if the template is wrong."""
    failures: list[tuple[_Demand, int]] = []
    for demand in demands:
        if demand.needs <= bound.keys() and (by := demand.missed(bound)) is not None:
            failures.append((demand, by))
            if demand.kind is Kind.TEMPLATE:
                break
    return failures


# --- The demands of a pattern -----------------------------------------------------------------------------------------


def _demands(
    rule: core.Rule, pattern: core.Pattern, stream: Collection[Event], domain: Predicates
) -> tuple[_Demand, ...]:
    """Return the demands of a pattern, its template first. A window is tested at the later of its two patterns."""
    own = pattern.variable
    template = _Demand(
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


def _condition(own: str, condition: core.Expression, domain: Predicates) -> _Demand:
    return _Demand(
        own,
        Kind.CONDITION,
        expression_text(condition, own),
        condition,
        core.variables_of(condition),
        lambda bound: None if value_of(condition, bound, domain) is True else 0,
        lambda bound: _values(condition, own, bound, domain),
    )


def _window(own: str, window: core.Constraint) -> _Demand:
    def missed(bound: Valuation) -> int | None:
        return max(-_inside(window, bound), 0) or None

    def describe(bound: Valuation) -> str:
        return _where(window, bound) + ("" if missed(bound) is None else f", {_off(window, bound)}")

    needs = frozenset({window.subject, window.reference})
    return _Demand(own, Kind.WINDOW, f"{window.subject} {_place(window)}", window, needs, missed, describe)


def _inside(window: core.Constraint, bound: Valuation) -> int:
    """Return how many milliseconds an event lies within the nearest end of a window; negative if it lies outside."""
    distance = _distance(window, bound)
    return min(distance - window.lower, window.upper - distance)


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
        return f"exactly at the closed {'beginning' if distance == window.lower < window.upper else 'end'}"
    return f"{duration_in_words(-inside)} too {'early' if distance < window.lower else 'late'}"


def _distance(window: core.Constraint, bound: Valuation) -> int:
    return bound[window.subject].timestamp - bound[window.reference].timestamp


def _absence(rule: core.Rule, pattern: core.Pattern, stream: Collection[Event], domain: Predicates) -> _Demand:
    """Return the demand that no event fills a negated pattern beside the bound events."""
    own = pattern.variable
    windows = [constraint for constraint in rule.constraints if constraint.negated and constraint.subject == own]
    there = [event for event in stream if event.template == pattern.template]

    def filling(bound: Valuation, *, in_time: bool = True) -> Iterator[Event]:
        """Yield the events that meet the conditions and lie in all windows, or, without `in_time`, outside one."""
        for event in there:
            beside = {**bound, own: event}
            if in_time is all(_inside(constraint, beside) >= 0 for constraint in windows) and all(
                value_of(condition, beside, domain) is True for condition in pattern.conditions
            ):
                yield event

    def placed(event: Event, bound: Valuation) -> tuple[int, str]:
        """Return how far (ms) an event is inside the window where that is least, and a description of it."""
        beside = {**bound, own: event}
        window = min(windows, key=lambda constraint: _inside(constraint, beside))
        return _inside(window, beside), f"{event.id} ({_where(window, beside)}, {_off(window, beside)})"

    def describe(bound: Valuation) -> str:
        fillers = list(filling(bound))
        if fillers:
            more = f" and {len(fillers) - _FILLING} more" if len(fillers) > _FILLING else ""
            return f"filled by {', '.join(placed(event, bound)[1] for event in fillers[:_FILLING])}{more}"
        outside = [placed(event, bound) for event in filling(bound, in_time=False)]
        nearest = f"; nearest: {max(outside, key=lambda pair: pair[0])[1]}" if outside else ""
        return f"none of {len(there)} fills it{nearest}"

    text = " ".join([f"no such {pattern.template}", *map(_place, windows)])
    mentioned = frozenset[str]().union(*map(core.variables_of, pattern.conditions), (w.reference for w in windows))
    return _Demand(
        own,
        Kind.ABSENCE,
        text,
        pattern,
        mentioned - {own},
        lambda bound: 0 if any(True for _ in filling(bound)) else None,
        describe,
    )


def _place(window: core.Constraint) -> str:
    return f"in {window.reference} [{duration_text(window.lower)}, {duration_text(window.upper)}]"


def _values(condition: core.Expression, own: str, bound: Valuation, domain: Predicates) -> str:
    """Return the values of the parts of a condition, and of the computed sides of a comparison, as text."""
    parts: list[core.Expression] = [
        part for part in core.EXPRESSIONS.within(condition) if isinstance(part, core.AttributeOf | core.TimestampOf)
    ]
    if isinstance(condition, core.Comparison):
        plain = core.AttributeOf | core.TimestampOf | core.Constant | core.ToFloat
        parts += [side for side in (condition.left, condition.right) if not isinstance(side, plain)]
    values = {expression_text(part, own): _value_text(value_of(part, bound, domain)) for part in parts}
    return ", ".join(f"{text} = {value}" for text, value in values.items())


def _value_text(value: Value | None) -> str:
    if value is NO_VALUE:
        return "no value (an overflow, a division by zero, or a result beyond the finite numbers)"
    return json.dumps(value, ensure_ascii=False)
