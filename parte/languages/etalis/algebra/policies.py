"""Consumption policies by their equation (specification: etalis-equation; E §6 has no declarative account of them).

For programs without recursion. The arrivals of a joined pattern are the events of its operands in the order in which
they happen; its findings are pairs of an arrival with its partner among the earlier ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from parte.languages.etalis.algebra.fixpoint import check_count, head, interpretation, of_stream
from parte.languages.etalis.algebra.patterns import (
    Effort,
    Finding,
    Interpretation,
    agreed,
    is_pierced,
    joined,
    lasts,
    matched,
)
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.algebra.terms import holds
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number, rank

Name = tuple[int, Number, tuple[int, ...], str]
"""A key that orders the names of events: moments by time, subpatterns by place, then other events by name."""
Place = tuple[int, ...]

ONE_SIDED = frozenset({tree.Operator.SEQ, tree.Operator.DURING, tree.Operator.STARTS})


class Recursive(ValueError):
    """The equation does not define a program whose rules depend on their own events."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The partners of an event: `all` that fit, the `last` or the `first` of them; whether partners are consumed; and
    whether the shorter ones of those that end together count as later."""

    selected: str = "all"
    consuming: bool = False
    shortest: bool = False


POLICIES = {
    "unrestricted": Policy(),
    "recent": Policy("last"),
    "recent-consuming": Policy("last", consuming=True),
    "chronological": Policy("first", consuming=True),
    "shortest": Policy("last", shortest=True),
    "recent-consuming-shortest": Policy("last", consuming=True, shortest=True),
    "chronological-shortest": Policy("first", consuming=True, shortest=True),
}
"""The policies of E §6 by name; `shortest` is `recent` as in rule (20)."""


class Arrival(NamedTuple):
    """An event of an operand: its key in the order of all, the operand, 0 or 1, and its finding for the pattern."""

    order: tuple[Number, Number, int, Name, tuple[tuple[int, Number, str], ...]]
    side: int
    finding: Finding


def chosen(
    program: tree.Program,
    instants: Iterable[Instant],
    policy: Policy,
    readings: Readings = USUAL,
    effort: Effort | None = None,
) -> set[IntervalEvent]:
    """Return the events that follow from a stream under a policy, without those of the stream. Raise Recursive,
    TooManyEvents, NumberTooLarge or TooManyFindings."""
    in_stream = of_stream(instants)
    evaluation = _Evaluation(program, strata(program), policy, readings, interpretation(in_stream), effort or Effort())
    events = set(in_stream)
    for name in sorted(evaluation.strata, key=evaluation.strata.__getitem__):
        for number, rule in enumerate(program.rules):
            if rule.head.name == name:
                for finding in evaluation.findings(rule.body, (number,)):
                    arguments = head(rule, finding)
                    if arguments is not None:
                        events.add(IntervalEvent(name, arguments, finding.start, finding.end))
        evaluation.events = interpretation(events)
    check_count(Counter(event.end for event in events - in_stream))
    return events - in_stream


def strata(program: tree.Program) -> dict[str, int]:
    """Return for each derived name the greatest number of rules on the way to it. Raise Recursive if there is no
    greatest number."""
    heads = {rule.head.name for rule in program.rules}
    by_name: dict[str, int] = {}

    def of(name: str, above: frozenset[str]) -> int:
        if name not in heads:
            return 0
        if name in above:
            raise Recursive(f"`{name}` is looked for by what finds it")
        if name not in by_name:
            by_name[name] = max(
                1 + within(rule.body, above | {name})
                if isinstance(rule.body, tree.EventPattern | tree.Moment)
                else within(rule.body, above | {name})
                for rule in program.rules
                if rule.head.name == name
            )
        return by_name[name]

    def within(pattern: tree.Pattern, above: frozenset[str]) -> int:
        if isinstance(pattern, tree.EventPattern):
            return of(pattern.name, above)
        parts = tree.PATTERNS.parts(pattern)
        return 1 + max(within(part, above) for part in parts) if parts else 0

    for name in heads:
        of(name, frozenset())
    return by_name


@dataclass(slots=True)
class _Evaluation:
    program: tree.Program
    strata: Mapping[str, int]
    policy: Policy
    readings: Readings
    events: Interpretation
    effort: Effort = field(default_factory=Effort)

    def findings(self, pattern: tree.Pattern, place: Place) -> set[Finding]:
        """Return the findings of a pattern at its place in the program."""
        match pattern:
            case tree.EventPattern() | tree.Moment():
                return {arrival.finding for arrival in self.arrivals(pattern, place, 0)}
            case tree.Where(operand=operand, condition=condition):
                operand_findings = self.findings(operand, (*place, 0))
                return {finding for finding in operand_findings if holds(condition, dict(finding.assignment))}
            case tree.Lasting(operand=operand, length=length):
                operand_findings = self.findings(operand, (*place, 0))
                return {finding for finding in operand_findings if lasts(finding, length, self.readings)}
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                return self.findings(left, (*place, 0)) | self.findings(right, (*place, 1))
            case tree.Joined(left=left, operator=operator, right=right):
                arrivals = [*self.arrivals(left, (*place, 0), 0), *self.arrivals(right, (*place, 1), 1)]
                return self.paired(arrivals, operator, operator not in ONE_SIDED)
            case tree.Negation(absent=absent, first=first, last=last):
                between = self.findings(absent, (*place, 0))
                arrivals = [*self.arrivals(first, (*place, 1), 0), *self.arrivals(last, (*place, 2), 1)]
                return self.paired(arrivals, None, False, between)

    def arrivals(self, pattern: tree.Pattern, place: Place, side: int) -> list[Arrival]:
        """Return the events of an operand as arrivals."""
        if isinstance(pattern, tree.EventPattern):
            stratum = self.strata.get(pattern.name, 0)
            named: Name = (2, 0, (), pattern.name)
            return [
                Arrival(
                    (end, end - start, stratum, named, tuple(map(rank, arguments))),
                    side,
                    Finding(assignment, start, end),
                )
                for arguments, start, end in self.events.get(pattern.name, ())
                if (assignment := matched(pattern.arguments, arguments)) is not None
            ]
        if isinstance(pattern, tree.Moment):
            time = pattern.time
            return [Arrival((time, 0, 0, (0, time, (), ""), ()), side, Finding((), time, time))]
        stratum = self.depth(pattern)
        name: Name = (1, 0, place, "")
        return [
            Arrival(
                (
                    finding.end,
                    finding.end - finding.start,
                    stratum,
                    name,
                    tuple(rank(value) for _, value in finding.assignment),
                ),
                side,
                finding,
            )
            for finding in self.findings(pattern, place)
        ]

    def depth(self, pattern: tree.Pattern) -> int:
        """Return the stratum of the findings of a subpattern."""
        if isinstance(pattern, tree.EventPattern):
            return self.strata.get(pattern.name, 0)
        return 1 + max(map(self.depth, parts)) if (parts := tree.PATTERNS.parts(pattern)) else 0

    def paired(
        self,
        arrivals: Iterable[Arrival],
        operator: tree.Operator | None,
        two_sided: bool,
        between: Iterable[Finding] = (),
    ) -> set[Finding]:
        """Return the pairs of arrivals with their partners; `between` are the absent events of a negation, which has no
        operator."""
        ordered = sorted(arrivals, key=lambda arrival: (arrival.order, arrival.side))
        absent = list(between)
        used: set[int] = set()
        whole: set[Finding] = set()
        for late, arrival in enumerate(ordered):
            fitting: list[tuple[int, Finding]] = []
            self.effort.spend(late * (1 + len(absent)))
            for early in range(late):
                earlier = ordered[early]
                if early in used or earlier.side == arrival.side or (not two_sided and arrival.side == 0):
                    continue
                first, second = (earlier, arrival) if arrival.side else (arrival, earlier)
                pair = self.fit(first.finding, second.finding, operator, absent)
                if pair is not None:
                    fitting.append((early, pair))
            partners = self.selected(fitting, ordered)
            whole |= {pair for _, pair in partners}
            if self.policy.consuming and partners:
                used |= {early for early, _ in partners}
                if two_sided:
                    used.add(late)
        return whole

    def fit(
        self, first: Finding, second: Finding, operator: tree.Operator | None, absent: Iterable[Finding]
    ) -> Finding | None:
        """Return the finding of a pair, if it fits the operator."""
        assignment = agreed(dict(first.assignment), dict(second.assignment))
        if assignment is None:
            return None
        interval = joined(operator or tree.Operator.SEQ, first, second, self.readings)
        if interval is None or (operator is None and is_pierced(assignment, first, second, list(absent))):
            return None
        return Finding(tuple(sorted(assignment.items())), *interval)

    def selected(self, fitting: list[tuple[int, Finding]], ordered: list[Arrival]) -> list[tuple[int, Finding]]:
        """Return the fitting arrivals that the policy selects."""
        if self.policy.selected == "all" or not fitting:
            return fitting
        sign = -1 if self.policy.shortest else 1

        def order(pair: tuple[int, Finding]) -> tuple[Number, Number, int]:
            finding = ordered[pair[0]].finding
            return finding.end, sign * (finding.end - finding.start), pair[0]

        return [max(fitting, key=order) if self.policy.selected == "last" else min(fitting, key=order)]
