"""The joins of a rule: interval joins for positive patterns, a `LEFT` one for each pattern that binds no event.

All rows of a trace come from one table; each pattern is a scan of it. A join has one pair of bounds on rowtimes, which
makes it an interval join; further constraints compare the timestamps as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.conformance.partelang.engines.flink.expressions import (
    COMPONENT,
    IDENTITY,
    ROWTIME,
    TIMESTAMP,
    Expressions,
    column,
    literal,
)
from parte.conformance.partelang.engines.flink.intervals import Bounds, closure, interval, tightest
from parte.conformance.partelang.engines.flink.level_2 import text
from parte.conformance.partelang.engines.flink.tables import looked_up
from parte.conformance.partelang.engines.flink.trace import TEMPLATE, TRACE, attribute_column
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Joins:
    """The scans of the patterns of a rule, by variable, and the conditions on several events, by the last variable."""

    rule: core.Rule
    scans: Mapping[str, str]
    joint: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, rule: core.Rule, program: core.Program, expressions: Expressions) -> Joins:
        """Return the joins of a rule. Inexpressible names a condition that Flink SQL cannot express."""
        positive = [pattern.variable for pattern in rule.positive]
        own: dict[str, list[str]] = {pattern.variable: [] for pattern in rule.patterns}  # decided by one event alone
        joint: dict[str, list[str]] = {pattern.variable: [] for pattern in rule.patterns}
        lookups: dict[str, list[core.PredicateCall]] = {pattern.variable: [] for pattern in rule.patterns}
        for pattern in rule.patterns:
            for condition in pattern.conditions:
                variables = core.variables_of(condition) or {pattern.variable}
                place = own if len(variables) == 1 else joint
                last = max(variables, key=positive.index) if pattern.positive else pattern.variable
                if not pattern.positive and variables != {pattern.variable}:
                    place = joint
                if place is own and isinstance(condition, core.PredicateCall) and expressions.looked_up(condition):
                    lookups[last].append(condition)
                else:
                    place[last].append(expressions.value(condition))
        scans = {
            p.variable: _scan(p, program.template(p.template), own[p.variable], lookups[p.variable], expressions)
            for p in rule.patterns
        }
        return cls(rule, scans, joint)

    def lines(self, absent: Sequence[str] = (), *, collected: str | None = None) -> Sequence[str]:
        """Return `FROM … WHERE …` for the events that the rule binds, without events of `absent` variables; with each
        event of a `collected` variable, or NULL if there is none."""
        positive = [pattern.variable for pattern in self.rule.positive]
        windows = [constraint for constraint in self.rule.constraints if not constraint.negated]
        most = closure(positive, windows)
        lines = [f"FROM {self.scans[positive[0]]}"]
        for number, variable in enumerate(positive[1:], 1):
            bounds = tightest(variable, positive[:number], most)
            among = [w for w in windows if variable in (w.subject, w.reference) and _within(w, positive[: number + 1])]
            lines.append(self._join("JOIN", variable, bounds, among))
        for variable in (*absent, *([] if collected is None else [collected])):
            among = [constraint for constraint in self.rule.constraints if constraint.subject == variable]
            bounds = min(map(Bounds.of, among), key=lambda bounds: bounds.upper - bounds.lower)
            lines.append(self._join("LEFT JOIN", variable, bounds, among))
        if absent:
            lines.append("WHERE " + " AND ".join(f"{column(variable, IDENTITY)} IS NULL" for variable in absent))
        return lines

    def _join(self, kind: str, variable: str, bounds: Bounds, among: Sequence[core.Constraint]) -> str:
        own, reference_time = column(variable, ROWTIME), column(bounds.reference, ROWTIME)
        demands = [f"{own} BETWEEN {_moved(reference_time, bounds.lower)} AND {_moved(reference_time, bounds.upper)}"]
        for constraint in among:
            if Bounds.of(constraint) != bounds or constraint.subject != variable:
                subject, reference = column(constraint.subject, TIMESTAMP), column(constraint.reference, TIMESTAMP)
                upper = f"{reference} + {literal(constraint.upper)}"
                if constraint.lower is None:
                    demands.append(f"{subject} <= {upper}")
                else:
                    demands.append(f"{subject} BETWEEN {reference} + {literal(constraint.lower)} AND {upper}")
        return f"{kind} {self.scans[variable]}\n  ON {' AND '.join([*demands, *self.joint[variable]])}"


def _within(constraint: core.Constraint, variables: Sequence[str]) -> bool:
    return constraint.subject in variables and constraint.reference in variables


def _scan(
    pattern: core.Pattern,
    template: core.Template,
    conditions: Sequence[str],
    lookups: Sequence[core.PredicateCall],
    expressions: Expressions,
) -> str:
    """Return a scan named by its variable: the events that match the conditions of a pattern on them alone."""
    columns = [f"`{name}`" for name in (IDENTITY, COMPONENT, TIMESTAMP, ROWTIME)]
    columns += [
        f"`{attribute_column(template.name, attribute.name)}` AS `{attribute.name}`"
        for attribute in template.attributes
    ]
    rows = f"SELECT {', '.join(columns)} FROM `{TRACE}` WHERE `{TEMPLATE}` = {text(template.name)}"
    if conditions:
        rows = f"SELECT * FROM ({rows}) AS `{pattern.variable}` WHERE {' AND '.join(conditions)}"
    return f"({looked_up(pattern.variable, rows, lookups, expressions)}) AS `{pattern.variable}`"


def _moved(rowtime: str, milliseconds: int) -> str:
    return f"{rowtime} {'-' if milliseconds < 0 else '+'} {interval(abs(milliseconds))}"
