"""Hot keys: values that so many events share that an equality on them joins almost all events with each other.

Engines hash on equalities and compare all events of a key with each other; a window does not help them. Events of a hot
key are joined by slices of time as well (`windows`): an event is compared with the events of the key in two slices as
wide as the window, and the slices go to different tasks. Other keys pay nothing for that. The remaining pairs are those
that the window itself admits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp

from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.keys import HotKeys, Key, Probe
from parte.algebra.partelang.relational.programs import Plan, with_hot_keys
from parte.algebra.partelang.relational.relations import column
from parte.algebra.partelang.relational.rules import RuleQuery
from parte.algebra.partelang.relational.terms import Operations, Term, every
from parte.semantics.events.values import ScalarValue, describe

EVENTS: Final = 1_000
"""A key is hot if at least so many events of one variable have it, ..."""
PAIRS: Final = 1_000_000
"""... and if they make at least so many pairs with those of the other variable."""
TOLD: Final = 100_000_000
"""A key of so many pairs is reported, because slices may not help: most of the pairs may lie in the window."""
LARGEST: Final = 20
"""The most hot keys of a join that are sliced: the greatest ones."""

ASKED: Final = 16
"""The most different joins that are searched, the first of a program: a thousand take longer than a run."""

_KEYS, _HOT, _OTHER, _EVENTS = "$keys", "$hot", "$other", "$count"

Ask = Callable[[exp.Query], Sequence[Sequence[Any]]]
"""The function that returns the rows of a query over the relations of a plan."""


@dataclass(frozen=True, slots=True)
class Hot:
    """A hot key: `events` of `variable` and `others` of `reference` have its values; estimates from a sample.

    `position` is that of the variable's pattern in the rule. `like_it` is the number of other rules that its query
    finds; the events are then counted without the conditions that depend on the constants of the rules.
    """

    rule: str
    position: int
    variable: str
    reference: str
    keys: tuple[Key, ...]
    values: tuple[ScalarValue, ...]
    events: int
    others: int
    like_it: int = 0

    @property
    def is_large(self) -> bool:
        """Return whether it makes so many pairs that it must be reported."""
        return self.events * self.others >= TOLD

    def __str__(self) -> str:
        values = ", ".join(map(describe, self.values))
        rules = f"{self.rule} and {self.like_it} like it" if self.like_it else self.rule
        return (
            f"rule {rules}: about {self.events:,} events may be {self.variable} and {self.others:,} may be "
            f"{self.reference} with one key, {values}; they are joined by slices of time"
        )


def large_probes(plan: Plan, counts: Mapping[str, int]) -> list[tuple[RuleQuery, Probe]]:
    """Return the joins to search: joins by equality of so many events that a key could be hot.

    `counts` are the numbers of events by template. Rules that read events that rules emit are left out.
    """
    probes = []
    for stage in plan.stages:
        if stage.rule is None or any(plan.templates[pattern.template].mixed for pattern in stage.rule.rule.patterns):
            continue
        rule = stage.rule.rule
        of = {pattern.variable: pattern.template for pattern in rule.positive}
        for probe in stage.rule.probes:
            own, other_count = counts[rule.patterns[probe.position].template], counts[of[probe.reference]]
            if own >= EVENTS and own * other_count >= PAIRS:
                probes.append((stage.rule, probe))
    return probes


def hot_keys(
    probes: Iterable[tuple[RuleQuery, Probe]], dialect: Dialect, ask: Ask, fraction: float = 1.0
) -> tuple[Hot, ...]:
    """Return the hot keys of joins. `ask` sees a `fraction` of the events."""
    keys: list[Hot] = []
    seen: dict[str, list[tuple[tuple[ScalarValue, ...], int, int]]] = {}
    for query, probe in probes:
        text = f"{probe.own} {probe.counterpart}"
        if text not in seen:
            if len(seen) == ASKED:
                break
            seen[text] = list(_looked_up(probe, Operations(dialect), ask, fraction))
        keys.extend(
            Hot(
                query.rule.name,
                probe.position,
                probe.variable,
                probe.reference,
                probe.keys,
                values,
                own,
                other_count,
                len(query.rules) - 1,
            )
            for values, own, other_count in seen[text]
        )
    return tuple(keys)


def pairs_of(probe: Probe, dialect: Dialect, ask: Ask, fraction: float = 1.0) -> float:
    """Return about how many pairs of events the equalities of a join admit. `ask` sees a `fraction` of the events."""
    named = [column(_KEYS, f"key{number}") for number in range(len(probe.keys))]
    own, other_side = (
        _counted(events, named).subquery(exp.to_identifier(name, quoted=True), copy=False)
        for events, name in ((probe.own, _HOT), (probe.counterpart, _OTHER))
    )
    equal = every(exp.EQ(this=column(_HOT, name.name), expression=column(_OTHER, name.name)) for name in named)
    counts = [Operations(dialect).to_float(Term(column(name, _EVENTS))).sql for name in (_HOT, _OTHER)]
    sums = [exp.Sum(this=exp.Mul(this=counts[0], expression=counts[1])), exp.Sum(this=counts[0].copy())]
    joined = exp.Select(expressions=sums).from_(own).join(other_side, on=equal, join_type="inner", copy=False)
    ((pairs, events),) = ask(joined)
    if pairs is None:
        return 0.0
    # If both sides are the same, each sampled event makes a pair with itself, whatever the fraction.
    same = events if probe.own == probe.counterpart else 0.0
    return float((pairs - same) / fraction**2 + same / fraction)


def sliced(plan: Plan, hot: Iterable[Hot], dialect: Dialect) -> Plan:
    """Return the plan with the events of hot keys joined by slices of time."""
    grouped: dict[str, dict[int, list[Hot]]] = {}
    for key in hot:
        grouped.setdefault(key.rule, {}).setdefault(key.position, []).append(key)
    return with_hot_keys(plan, {rule: _together(by_position) for rule, by_position in grouped.items()}, dialect)


def _together(hot_by_position: Mapping[int, Sequence[Hot]]) -> dict[int, HotKeys]:
    return {
        position: HotKeys(hot[0].keys, tuple(key.values for key in hot)) for position, hot in hot_by_position.items()
    }


def _looked_up(
    probe: Probe, operations: Operations, ask: Ask, fraction: float
) -> Iterator[tuple[tuple[ScalarValue, ...], int, int]]:
    """Yield the values of the keys that are hot, with the numbers of events of both variables that have them."""
    named = [column(_KEYS, f"key{number}") for number in range(len(probe.keys))]
    least = max(1, round(EVENTS * fraction))
    many = _counted(probe.own, named)
    many = many.having(exp.GTE(this=exp.Count(this=exp.Star()), expression=_number(least)), copy=False)
    ordered = [exp.Ordered(this=exp.Count(this=exp.Star()), desc=True), *(name.copy() for name in named)]
    own = {tuple(values): count for *values, count in ask(many.order_by(*ordered, copy=False).limit(LARGEST))}
    if not own:
        return
    # As a join after the grouping: else DuckDB would compare a constant with every event before it drops any.
    hot = exp.Values(
        expressions=[
            exp.Tuple(
                expressions=[
                    operations.constant(value, key.type).sql for value, key in zip(values, probe.keys, strict=True)
                ]
            )
            for values in own
        ],
        alias=exp.TableAlias(this=exp.to_identifier(_HOT, quoted=True), columns=[name.this.copy() for name in named]),
    )
    counted = exp.Select(expressions=[*(name.copy() for name in named), column(_KEYS, _EVENTS)])
    counted = counted.from_(
        _counted(probe.counterpart, named).subquery(exp.to_identifier(_KEYS, quoted=True), copy=False)
    )
    alike = every(exp.EQ(this=name.copy(), expression=column(_HOT, name.name)) for name in named)
    others = counted.join(hot, on=alike, join_type="inner", copy=False)
    other_counts = {tuple(values): count for *values, count in ask(others)}
    for values, count in own.items():
        left, right = round(count / fraction), round(other_counts.get(values, 0) / fraction)
        if left * right >= PAIRS:
            yield values, left, right


def _counted(events: exp.Select, named: Sequence[exp.Expr]) -> exp.Select:
    """Return the query for the values that events have, without NULLs, with the number of events for each."""
    present = every(exp.Not(this=exp.Is(this=name.copy(), expression=exp.Null())) for name in named)
    columns = [*(name.copy() for name in named), exp.alias_(exp.Count(this=exp.Star()), _EVENTS, quoted=True)]
    source = events.subquery(exp.to_identifier(_KEYS, quoted=True))
    grouped = exp.Select(expressions=columns).from_(source).where(present, copy=False)
    return grouped.group_by(*(name.copy() for name in named), copy=False)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(str(value))
