"""Consumption policies by their equation (specification: etalis-equation; E §6 has no declarative account of them).

For programs without recursion. The arrivals of a joined pattern are the events of its operands in the order in which
they happen; what it finds are pairs of an arrival with its partner among those before.
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
"""What orders the names of events: moments by time, what subpatterns find by place, then other events by name."""
Place = tuple[int, ...]

ONE_SIDED = frozenset({tree.Operator.SEQ, tree.Operator.DURING, tree.Operator.STARTS})


class Recursive(ValueError):
    """The equation says nothing of a program whose rules look for what they find."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Which partners an event has: `all` that fit, the `last` or the `first` of them; whether partners are used up; and
    whether of those that end together the shorter ones are later."""

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
"""The policies of E §6 by name; `shortest` is `recent` as rule (20) has it."""


class Arrival(NamedTuple):
    """An event of an operand: what orders it among all, which operand, 0 or 1, and what it is for the pattern."""

    order: tuple[Number, Number, int, Name, tuple[tuple[int, Number, str], ...]]
    side: int
    found: Finding


def chosen(
    program: tree.Program,
    instants: Iterable[Instant],
    policy: Policy,
    readings: Readings = USUAL,
    effort: Effort | None = None,
) -> set[IntervalEvent]:
    """The events that follow from a stream under a policy, without those that are in it. Recursive, TooManyEvents,
    NumberTooLarge, TooManyFindings."""
    given = of_stream(instants)
    evaluation = _Evaluation(program, strata(program), policy, readings, interpretation(given), effort or Effort())
    events = set(given)
    for name in sorted(evaluation.strata, key=evaluation.strata.__getitem__):
        for number, rule in enumerate(program.rules):
            if rule.head.name == name:
                for found in evaluation.findings(rule.body, (number,)):
                    arguments = head(rule, found)
                    if arguments is not None:
                        events.add(IntervalEvent(name, arguments, found.start, found.end))
        evaluation.events = interpretation(events)
    check_count(Counter(each.end for each in events - given))
    return events - given


def strata(program: tree.Program) -> dict[str, int]:
    """For each name that rules derive, how many rules there are at most on the way to it. Recursive if there is no
    end."""
    heads = {rule.head.name for rule in program.rules}
    found: dict[str, int] = {}

    def of(name: str, above: frozenset[str]) -> int:
        if name not in heads:
            return 0
        if name in above:
            raise Recursive(f"`{name}` is looked for by what finds it")
        if name not in found:
            found[name] = max(
                1 + within(rule.body, above | {name})
                if isinstance(rule.body, tree.EventPattern | tree.Moment)
                else within(rule.body, above | {name})
                for rule in program.rules
                if rule.head.name == name
            )
        return found[name]

    def within(pattern: tree.Pattern, above: frozenset[str]) -> int:
        if isinstance(pattern, tree.EventPattern):
            return of(pattern.name, above)
        parts = tree.PATTERNS.parts(pattern)
        return 1 + max(within(part, above) for part in parts) if parts else 0

    for name in heads:
        of(name, frozenset())
    return found


@dataclass(slots=True)
class _Evaluation:
    program: tree.Program
    strata: Mapping[str, int]
    policy: Policy
    readings: Readings
    events: Interpretation
    effort: Effort = field(default_factory=Effort)

    def findings(self, pattern: tree.Pattern, place: Place) -> set[Finding]:
        """What a pattern finds at its place in the program."""
        match pattern:
            case tree.EventPattern() | tree.Moment():
                return {each.found for each in self.arrivals(pattern, place, 0)}
            case tree.Where(operand=operand, condition=condition):
                found = self.findings(operand, (*place, 0))
                return {each for each in found if holds(condition, dict(each.assignment))}
            case tree.Lasting(operand=operand, length=length):
                found = self.findings(operand, (*place, 0))
                return {each for each in found if lasts(each, length, self.readings)}
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
        """The events of an operand."""
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
                (each.end, each.end - each.start, stratum, name, tuple(rank(value) for _, value in each.assignment)),
                side,
                each,
            )
            for each in self.findings(pattern, place)
        ]

    def depth(self, pattern: tree.Pattern) -> int:
        """The stratum of what a subpattern finds."""
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
        """The pairs of an arrival with its partner: for a negation, without operator, of what is absent between."""
        ordered = sorted(arrivals, key=lambda each: (each.order, each.side))
        absent = list(between)
        used: set[int] = set()
        whole: set[Finding] = set()
        for late, arrival in enumerate(ordered):
            fitting: list[tuple[int, Finding]] = []
            self.effort.spend(late * (1 + len(absent)))
            for early in range(late):
                other = ordered[early]
                if early in used or other.side == arrival.side or (not two_sided and arrival.side == 0):
                    continue
                one, two = (other, arrival) if arrival.side else (arrival, other)
                found = self.fit(one.found, two.found, operator, absent)
                if found is not None:
                    fitting.append((early, found))
            partners = self.selected(fitting, ordered)
            whole |= {found for _, found in partners}
            if self.policy.consuming and partners:
                used |= {early for early, _ in partners}
                if two_sided:
                    used.add(late)
        return whole

    def fit(
        self, one: Finding, other: Finding, operator: tree.Operator | None, absent: Iterable[Finding]
    ) -> Finding | None:
        """What a pair is, if it is as the operator wants it."""
        assignment = agreed(dict(one.assignment), dict(other.assignment))
        if assignment is None:
            return None
        interval = joined(operator or tree.Operator.SEQ, one, other, self.readings)
        if interval is None or (operator is None and is_pierced(assignment, one, other, list(absent))):
            return None
        return Finding(tuple(sorted(assignment.items())), *interval)

    def selected(self, fitting: list[tuple[int, Finding]], ordered: list[Arrival]) -> list[tuple[int, Finding]]:
        """Those of the arrivals that fit which the policy selects."""
        if self.policy.selected == "all" or not fitting:
            return fitting
        sign = -1 if self.policy.shortest else 1

        def order(pair: tuple[int, Finding]) -> tuple[Number, Number, int]:
            found = ordered[pair[0]].found
            return found.end, sign * (found.end - found.start), pair[0]

        return [max(fitting, key=order) if self.policy.selected == "last" else min(fitting, key=order)]
