"""The reasons why events match a rule or do not: the result of each demand on them, and where a search ends.

`explained` evaluates each demand (`demands`, `set_demands`); `search` binds the remaining variables, pattern by
pattern, and stores the combinations that failed by least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from parte.algebra.partelang.demands import Demand, Fillers, Kind, Reason, demands_of
from parte.algebra.partelang.expressions import Valuation
from parte.algebra.partelang.set_demands import elements_of, having_demands, set_demands
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core

LIMIT = 200_000
"""The most combinations of events that a search tries."""
NEAREST = 3
"""The number of combinations that failed by least and are reported."""
_MOST_FAILING = 1000  # stored at a time; the nearest are chosen from them


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
    """A pattern of a search, or `having`, which has no variable: of `tried` combinations, `left` are continued.

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
    ordered by the number of failed demands, then by how much they miss them.
    """

    levels: tuple[Level, ...]
    count: int
    matches: tuple[Explained, ...]
    nearest: tuple[Explained, ...]
    complete: bool


def explained(rule: core.Rule, bound: Valuation, stream: Collection[Event], domain: Predicates) -> Explained:
    """Return the results of the demands on bound events.

    Demands that mention an unbound variable are left out, and so are those on an event of another template.
    """
    reasons: list[Reason] = []
    known: dict[str, Event] = {}
    for position, pattern in enumerate(rule.patterns, start=1):
        if pattern.collected:
            fillers = Fillers.of(rule, pattern, stream, domain)
            if fillers.needs <= known.keys():
                known[pattern.variable] = elements_of(fillers, known)
                reasons.extend(demand.reason(known, position) for demand in set_demands(fillers, rule))
            continue
        template, *others = demands_of(rule, pattern, stream, domain)
        if not pattern.negated:
            if pattern.variable not in bound:
                continue
            if (wrong := template.reason(bound, position)) and not wrong.holds:
                reasons.append(wrong)
                continue
            known[pattern.variable] = bound[pattern.variable]
        reasons.extend(demand.reason(known, position) for demand in others if demand.needs <= known.keys())
    reasons.extend(demand.reason(known, 0) for demand in having_demands(rule, domain) if demand.needs <= known.keys())
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
    failing: list[tuple[int, float, int, Valuation]] = []
    budget = limit
    for pattern in _levels(rule):
        if pattern is None:
            demands = having_demands(rule, domain)
            name, template, negated = "", "", False
        else:
            demands = demands_of(rule, pattern, stream, domain)
            name, template, negated = pattern.variable, pattern.template, pattern.negated and pattern.selects is None
        partial, going, failing, tried, failures = going, [], [], 0, Counter[str]()
        for valuation_so_far in _extended(rule, pattern, partial, fixed, stream, domain):
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
        levels.append(Level(name, template, negated, tried, len(going), tuple(failures.most_common())))
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


def _levels(rule: core.Rule) -> Iterator[core.Pattern | None]:
    """Yield the patterns of a search, then None for `having`. Sets demand nothing by themselves."""
    yield from (pattern for pattern in rule.patterns if not pattern.collected)
    if rule.having:
        yield None


def _extended(
    rule: core.Rule,
    pattern: core.Pattern | None,
    partial: Sequence[Valuation],
    fixed: Valuation,
    stream: Collection[Event],
    domain: Predicates,
) -> Iterator[Valuation]:
    """Yield partial matches with an event for the variable of a further pattern; a negated pattern adds none.

    For `having` (None) they have the sets.
    """
    if pattern is None:
        sets = [Fillers.of(rule, collected, stream, domain) for collected in rule.collected]
        for valuation in partial:
            yield {
                **valuation,
                **{pattern_set.pattern.variable: elements_of(pattern_set, valuation) for pattern_set in sets},
            }
        return
    if pattern.negated:
        yield from partial
        return
    own = pattern.variable
    events = [fixed[own]] if own in fixed else [event for event in stream if event.template == pattern.template]
    yield from ({**valuation, own: event} for valuation in partial for event in events)


def _missed(demands: Sequence[Demand], bound: Valuation) -> list[tuple[Demand, float]]:
    """Return the demands that bound events do not meet, with how much they miss them; one if the template is wrong."""
    failures: list[tuple[Demand, float]] = []
    for demand in demands:
        if demand.needs <= bound.keys() and (by := demand.missed(bound)) is not None:
            failures.append((demand, by))
            if demand.kind is Kind.TEMPLATE:
                break
    return failures
