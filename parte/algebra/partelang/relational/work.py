"""The numbers of events that may fill the patterns of a rule, and whether its matches fit in memory.

Before a program is run, an engine counts the events of each pattern, the pairs that each equality joins, and the hot
keys (`skew`). From these and the lengths of windows follow the expected matches, if events are spread evenly in time.
If they exceed the free memory, a trial decides: it runs the query itself, for one in so many events of the pattern that
is joined first, and stops at the number of matches that would be too many. So no program that fits is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlglot import exp

from parte.algebra.partelang.relational.closure import closed_windows
from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.keys import Probe
from parte.algebra.partelang.relational.order import Joins, joins_of
from parte.algebra.partelang.relational.programs import Plan, Stage
from parte.algebra.partelang.relational.relations import Templates, table
from parte.algebra.partelang.relational.rules import RuleQuery, rule_query
from parte.algebra.partelang.relational.scans import EVENT, Filtered, is_costly
from parte.algebra.partelang.relational.skew import Hot, pairs_of
from parte.algebra.partelang.relational.terms import Operations, every
from parte.algebra.partelang.relational.windows import tightest
from parte.semantics.events.values import ScalarValue

Ask = Callable[[exp.Query], Sequence[Sequence[Any]]]
"""The function that returns the rows of a query over the relations of a plan."""

_COUNTED: Final = 256
"""The most scans that are counted. A program with more is treated as if it had no conditions on single events."""
_SPARSEST: Final = 64
"""A trial samples at least one in so many events, ..."""
_ENOUGH: Final = 64
"""... and at least about so many of them, if there are."""
_HOPELESS: Final = 1_000
"""If a trial does not end in time, the rule is rejected from so many times the matches that fit on."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers of events that may fill each variable, by rule, and the time from first to last event (ms)."""

    rules: Mapping[str, Mapping[str, int]]
    span: int


def sizes_of(plan: Plan, counts: Mapping[str, int], ask: Ask) -> Sizes:
    """Return the sizes for the events in the database; `counts` are the external events by template.

    Conditions that ask a predicate are left out, and those on events that rules emit.
    """
    queries = [stage.rule for stage in plan.stages if stage.rule is not None]
    scans: dict[str, list[Filtered]] = {plan.templates[name].trace: [] for name in plan.read}
    for query in queries:
        for scan in _counted(query, plan).values():
            if scan.conditions and scan not in scans[scan.events]:
                scans[scan.events].append(scan)
    if sum(map(len, scans.values())) > _COUNTED:
        scans = {relation: [] for relation in scans}
    sizes_of_scans: dict[Filtered, int] = {}
    ends: list[int] = []
    of_trace = {plan.templates[name].trace: counts[name] for name in plan.read}
    for relation, some in scans.items():
        if of_trace[relation]:
            first, last, *numbers = _ask_of(relation, some, ask)
            ends += [first, last]
            sizes_of_scans.update(zip(some, numbers, strict=True))
    sizes: dict[str, Mapping[str, int]] = {}
    for query in queries:
        counted = _counted(query, plan)
        sizes[query.rule.name] = {
            pattern.variable: sizes_of_scans.get(counted[pattern.variable], counts[pattern.template])
            if pattern.variable in counted
            else counts[pattern.template]
            for pattern in query.rule.positive
        }
    return Sizes(sizes, max(ends) - min(ends) if ends else 0)


def _counted(query: RuleQuery, plan: Plan) -> dict[str, Filtered]:
    """Return the scans of variables that arriving events fill, with the conditions that are cheap."""
    return {
        pattern.variable: Filtered(scan.events, tuple(c for c in scan.conditions if not is_costly(c, plan.relations)))
        for pattern in query.rule.positive
        if not plan.templates[pattern.template].mixed
        for scan in [query.scans[pattern.variable]]
    }


def _ask_of(relation: str, scans: Iterable[Filtered], ask: Ask) -> Sequence[int]:
    """Return the least and the greatest timestamp of a relation, and the number of events in each scan of it."""
    stamp = exp.Column(this=exp.to_identifier(Templates.timestamp, quoted=True))
    aggregates: list[exp.Expr] = [exp.Min(this=stamp), exp.Max(this=stamp.copy())]
    for scan in scans:
        # COUNT_IF of conditions without any value is NULL.
        fulfilled = exp.Coalesce(this=every(c.copy() for c in scan.conditions), expressions=[exp.false()])
        aggregates.append(exp.CountIf(this=fulfilled))
    source = exp.alias_(table(relation), EVENT, table=True, quoted=True)
    (row,) = ask(exp.Select(expressions=aggregates).from_(source))
    return row


def ordered(plan: Plan, sizes: Sizes, dialect: Dialect) -> Plan:
    """Return the plan with the joins that suit the sizes."""

    def again(stage: Stage) -> Stage:
        if stage.rule is None:
            return stage
        joins = joins_of(stage.rule.rule, sizes.rules[stage.rule.rule.name])
        return stage if joins == stage.rule.joins else _recompiled(plan, stage, dialect, joins=joins)

    return replace(plan, stages=tuple(map(again, plan.stages)))


def _recompiled(plan: Plan, stage: Stage, dialect: Dialect, *, joins: Joins, one_in: int = 1) -> Stage:
    assert stage.rule is not None
    query = rule_query(
        stage.rule.rule,
        plan.templates,
        plan.relations,
        Operations(dialect),
        joins,
        stage.rule.hot,
        alike=stage.rule.alike,
        one_in=one_in,
    )
    return Stage(stage.name, query.select, query)


# --- Expected matches ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trial:
    """A query with a row for each match of a rule among one in so many events of the variable joined first.

    `most` rows are too many. `expected` is the estimate that makes the trial necessary.
    """

    stage: Stage
    query: exp.Query
    one_in: int
    most: int
    expected: float

    def too_many(self, counted: int | None) -> str | None:
        """Return the error message if `counted` matches are too many, else None; `counted` None: it timed out."""
        assert self.stage.rule is not None
        rules = self.stage.rule.rules
        named = rules[0].name if len(rules) == 1 else f"{rules[0].name} and {len(rules) - 1} like it"
        first = self.stage.rule.joins.order[0].variable
        some = f"one in {self.one_in} of the events that may be {first}" if self.one_in > 1 else f"{first}"
        by_counts = f"counts of keys and windows let expect {_rounded(self.expected)}"
        room = self.most * self.one_in
        if counted is None:
            if self.expected < _HOPELESS * room:
                return None
            return f"rule {named}: {by_counts} matches, and to look for those of {some} takes too long"
        if counted < self.most:
            return None
        return f"rule {named} has more than {room:,} matches: {some} has {self.most:,}, and {by_counts}"


def trials(
    plan: Plan,
    sizes: Sizes,
    hot: Sequence[Hot],
    probes: Iterable[tuple[RuleQuery, Probe]],
    ask: Ask,
    fraction: float,
    dialect: Dialect,
    most: Callable[[RuleQuery], int],
) -> Iterator[Trial]:
    """Yield the trials that are necessary if there is room for `most` matches of a rule.

    `ask` sees a `fraction` of the events, in which the pairs of `probes` are counted.
    """
    probes_by_place = {(query.rule.name, probe.position): probe for query, probe in probes}
    known: dict[str, float] = {}

    def pairs(probe: Probe) -> float:
        text = f"{probe.own} {probe.counterpart}"
        if text not in known:
            known[text] = pairs_of(probe, dialect, ask, fraction)
        return known[text]

    for stage in plan.stages:
        query = stage.rule
        if query is None or any(plan.templates[pattern.template].mixed for pattern in query.rule.patterns):
            continue
        room = most(query)
        of = sizes.rules[query.rule.name]
        upper = float(len(query.rules))
        for variable in of:
            upper *= of[variable]
        if upper <= room:
            continue
        expected = len(query.rules) * _expected(query, of, sizes.span, hot, probes_by_place, pairs)
        if expected > room:
            size = of[query.joins.order[0].variable]
            one_in = min(_SPARSEST, 1 << max((size // _ENOUGH).bit_length() - 1, 0))
            limit = max(1, room // one_in)
            yield Trial(stage, _sampled(plan, stage, dialect, one_in), one_in, limit, expected)


def _sampled(plan: Plan, stage: Stage, dialect: Dialect, one_in: int) -> exp.Query:
    assert stage.rule is not None
    matches = _recompiled(plan, stage, dialect, joins=stage.rule.joins, one_in=one_in).query.copy()
    matches.set("expressions", [exp.Literal.number("1")])
    return matches


def _expected(
    query: RuleQuery,
    sizes: Mapping[str, int],
    span: int,
    hot: Sequence[Hot],
    probes: Mapping[tuple[str, int], Probe],
    pairs: Callable[[Probe], float],
) -> float:
    """Return the expected matches of a rule by its keys and windows: of all events, or of the hot keys if more."""
    rule, order = query.rule, query.joins.order
    windows = closed_windows(rule)
    first = order[0].variable
    own_hot = [key for key in hot if key.rule == rule.name]
    rows = float(sizes[first])
    of_key: dict[tuple[ScalarValue, ...], float] = {}
    for values in dict.fromkeys(key.values for key in own_hot):
        firsts = [key.others for key in own_hot if key.values == values and key.reference == first]
        of_key[values] = float(max(firsts, default=sizes[first]))
    bound = {first}
    for pattern in order[1:]:
        variable, position = pattern.variable, rule.patterns.index(pattern)
        window = tightest(windows, variable, bound)
        share = 1.0
        if window is not None and span:
            share = min(1.0, (window.upper - window.begins + 1) / span)
        more = float(sizes[variable])
        if (probe := probes.get((rule.name, position))) is not None:
            more = pairs(probe) / max(1, sizes[probe.reference])
        rows *= more * share
        for values in of_key:
            events = [key.events for key in own_hot if key.values == values and key.position == position]
            of_key[values] *= max([*events, more]) * share
        bound.add(variable)
    return max([rows, sum(of_key.values())])


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number < 10**9 else f"{number:.1e}"
