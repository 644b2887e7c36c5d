"""Hot keys: values that so many events share that the equality on them joins next to everything with everything.

Engines hash on equalities and compare all events of a key with each other; a window does not help them. Events of a hot
key are joined by slices of time as well (`windows`): an event is compared with those of the key in two slices as wide
as the window, and the slices go to different tasks. Other keys pay nothing for that. What is left is the pairs that the
window itself admits.
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
"""A key is hot from so many events of one variable on, ..."""
PAIRS: Final = 1_000_000
"""... if they make so many pairs with those of the other."""
TOLD: Final = 100_000_000
"""A key of so many pairs is told, for slices may not save it: most of them may lie in the window."""
LARGEST: Final = 20
"""Hot keys of a join that are sliced, the greatest."""

ASKED: Final = 16
"""Different joins that are looked at, the first of a program: a thousand rules would ask for longer than they run."""

_KEYS, _HOT, _OTHER, _EVENTS = "$keys", "$hot", "$other", "$count"

Ask = Callable[[exp.Query], Sequence[Sequence[Any]]]
"""The rows of a query over the relations of a plan."""


@dataclass(frozen=True, slots=True)
class Hot:
    """A hot key: `events` of `variable` and `others` of `reference` have its values. Estimates if only some were asked.

    `position` is that of the variable's pattern in the rule, and `like_it` how many other rules are found by its query:
    then the events are those of which the constants of the rules are not asked.
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
    def told(self) -> bool:
        """Whether it makes so many pairs that people should hear of it."""
        return self.events * self.others >= TOLD

    def __str__(self) -> str:
        shown = ", ".join(map(describe, self.values))
        rules = f"{self.rule} and {self.like_it} like it" if self.like_it else self.rule
        return (
            f"rule {rules}: about {self.events:,} events may be {self.variable} and {self.others:,} may be "
            f"{self.reference} with one key, {shown}; they are joined by slices of time"
        )


def large_probes(plan: Plan, counts: Mapping[str, int]) -> list[tuple[RuleQuery, Probe]]:
    """What there is to look for: joins by equality of so many events that a key could be hot.

    `counts` are those of events by template. Rules that read what rules emit are left out.
    """
    found = []
    for stage in plan.stages:
        if stage.rule is None or any(plan.templates[pattern.template].mixed for pattern in stage.rule.rule.patterns):
            continue
        rule = stage.rule.rule
        of = {pattern.variable: pattern.template for pattern in rule.positive}
        for probe in stage.rule.probes:
            own, other = counts[rule.patterns[probe.position].template], counts[of[probe.reference]]
            if own >= EVENTS and own * other >= PAIRS:
                found.append((stage.rule, probe))
    return found


def hot_keys(
    probes: Iterable[tuple[RuleQuery, Probe]], dialect: Dialect, ask: Ask, fraction: float = 1.0
) -> tuple[Hot, ...]:
    """The hot keys of joins. `ask` sees a `fraction` of the events."""
    found: list[Hot] = []
    seen: dict[str, list[tuple[tuple[ScalarValue, ...], int, int]]] = {}
    for query, probe in probes:
        text = f"{probe.own} {probe.other}"
        if text not in seen:
            if len(seen) == ASKED:
                break
            seen[text] = list(_looked_up(probe, Operations(dialect), ask, fraction))
        found.extend(
            Hot(
                query.rule.name,
                probe.position,
                probe.variable,
                probe.reference,
                probe.keys,
                values,
                own,
                other,
                len(query.rules) - 1,
            )
            for values, own, other in seen[text]
        )
    return tuple(found)


def pairs_of(probe: Probe, dialect: Dialect, ask: Ask, fraction: float = 1.0) -> float:
    """About how many pairs of events the equalities of a join admit. `ask` sees a `fraction` of the events."""
    named = [column(_KEYS, f"key{number}") for number in range(len(probe.keys))]
    own, other = (
        _counted(events, named).subquery(exp.to_identifier(name, quoted=True), copy=False)
        for events, name in ((probe.own, _HOT), (probe.other, _OTHER))
    )
    equal = every(exp.EQ(this=column(_HOT, name.name), expression=column(_OTHER, name.name)) for name in named)
    counts = [Operations(dialect).to_float(Term(column(name, _EVENTS))).sql for name in (_HOT, _OTHER)]
    sums = [exp.Sum(this=exp.Mul(this=counts[0], expression=counts[1])), exp.Sum(this=counts[0].copy())]
    joined = exp.Select(expressions=sums).from_(own).join(other, on=equal, join_type="inner", copy=False)
    ((pairs, events),) = ask(joined)
    if pairs is None:
        return 0.0
    # Of one variable twice, each event that is looked at makes a pair with itself, in whatever fraction.
    same = events if probe.own == probe.other else 0.0
    return float((pairs - same) / fraction**2 + same / fraction)


def sliced(plan: Plan, hot: Iterable[Hot], dialect: Dialect) -> Plan:
    """The plan with the events of hot keys joined by slices of time."""
    grouped: dict[str, dict[int, list[Hot]]] = {}
    for key in hot:
        grouped.setdefault(key.rule, {}).setdefault(key.position, []).append(key)
    return with_hot_keys(plan, {rule: _together(by_position) for rule, by_position in grouped.items()}, dialect)


def _together(found: Mapping[int, Sequence[Hot]]) -> dict[int, HotKeys]:
    return {position: HotKeys(hot[0].keys, tuple(key.values for key in hot)) for position, hot in found.items()}


def _looked_up(
    probe: Probe, operations: Operations, ask: Ask, fraction: float
) -> Iterator[tuple[tuple[ScalarValue, ...], int, int]]:
    """The values of the keys that are hot, with the events of both variables that have them."""
    named = [column(_KEYS, f"key{number}") for number in range(len(probe.keys))]
    least = max(1, round(EVENTS * fraction))
    many = _counted(probe.own, named)
    many = many.having(exp.GTE(this=exp.Count(this=exp.Star()), expression=_number(least)), copy=False)
    ordered = [exp.Ordered(this=exp.Count(this=exp.Star()), desc=True), *(name.copy() for name in named)]
    own = {tuple(values): count for *values, count in ask(many.order_by(*ordered, copy=False).limit(LARGEST))}
    if not own:
        return
    # As a join after the grouping: DuckDB would compare a constant with every event, before it leaves any out.
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
    counted = counted.from_(_counted(probe.other, named).subquery(exp.to_identifier(_KEYS, quoted=True), copy=False))
    alike = every(exp.EQ(this=name.copy(), expression=column(_HOT, name.name)) for name in named)
    others = counted.join(hot, on=alike, join_type="inner", copy=False)
    other = {tuple(values): count for *values, count in ask(others)}
    for values, count in own.items():
        left, right = round(count / fraction), round(other.get(values, 0) / fraction)
        if left * right >= PAIRS:
            yield values, left, right


def _counted(events: exp.Select, named: Sequence[exp.Expr]) -> exp.Select:
    """The values that some events have, all of them, with the number of these events."""
    present = every(exp.Not(this=exp.Is(this=name.copy(), expression=exp.Null())) for name in named)
    columns = [*(name.copy() for name in named), exp.alias_(exp.Count(this=exp.Star()), _EVENTS, quoted=True)]
    source = events.subquery(exp.to_identifier(_KEYS, quoted=True))
    grouped = exp.Select(expressions=columns).from_(source).where(present, copy=False)
    return grouped.group_by(*(name.copy() for name in named), copy=False)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(str(value))
