"""I_μ of a pattern: fig. 2 of E, row by row (specification: etalis-patterns).

An interpretation has for each name the arguments and intervals of its events. The meaning of a pattern in it covers all
assignments together: it is a set of findings, each an assignment of the pattern's variables with an interval.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.algebra.terms import holds
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments
from parte.languages.etalis.semantics.syntax.values import Number, Value

Interval = tuple[Number, Number]
Interpretation = Mapping[str, Collection[tuple[Arguments, Number, Number]]]


class TooManyFindings(RuntimeError):
    """The definition would take too long, because it examines every pair repeatedly."""


@dataclass(slots=True)
class Effort:
    """The number of findings and pairs that may be examined, and the number examined so far."""

    most: int = 2_000_000
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Count `amount` more. Raise TooManyFindings above the limit."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyFindings(
                f"the definition would have to look at more than {self.most} findings and pairs; run a machine, or a "
                "shorter trace"
            )


class Finding(NamedTuple):
    """A finding of a pattern: the variables that it binds, by name, and an interval."""

    assignment: tuple[tuple[str, Value], ...]
    start: Number
    end: Number


def meaning(pattern: tree.Pattern, events: Interpretation, readings: Readings, effort: Effort) -> set[Finding]:
    """Return the intervals of a pattern in an interpretation, under every assignment."""
    match pattern:
        case tree.EventPattern(name=name, arguments=terms):
            effort.spend(len(events.get(name, ())))
            return {
                Finding(assignment, start, end)
                for arguments, start, end in events.get(name, ())
                if (assignment := matched(terms, arguments)) is not None
            }
        case tree.Moment(time=time):
            return {Finding((), time, time)}
        case tree.Where(operand=operand, condition=condition):
            findings = meaning(operand, events, readings, effort)
            return {finding for finding in findings if holds(condition, dict(finding.assignment))}
        case tree.Lasting(operand=operand, length=length):
            findings = meaning(operand, events, readings, effort)
            return {finding for finding in findings if lasts(finding, length, readings)}
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return meaning(left, events, readings, effort) | meaning(right, events, readings, effort)
        case tree.Joined(left=left, operator=operator, right=right):
            pairs = both(meaning(left, events, readings, effort), meaning(right, events, readings, effort), effort)
            return {
                Finding(assignment, *interval)
                for assignment, begin, end in pairs
                if (interval := joined(operator, begin, end, readings)) is not None
            }
        case tree.Negation(absent=absent, first=first, last=last):
            pairs = both(meaning(first, events, readings, effort), meaning(last, events, readings, effort), effort)
            apart = [(assignment, begin, end) for assignment, begin, end in pairs if begin.end < end.start]
            between = meaning(absent, events, readings, effort)
            effort.spend(len(apart) * len(between))
            whole = {Finding(assignment, begin.start, end.end) for assignment, begin, end in apart}
            pierced = {
                Finding(assignment, begin.start, end.end)
                for assignment, begin, end in apart
                if is_pierced(dict(assignment), begin, end, between)
            }
            if readings.negation == "intervals":
                return whole - pierced
            return {
                Finding(assignment, begin.start, end.end)
                for assignment, begin, end in apart
                if not is_pierced(dict(assignment), begin, end, between)
            }


def matched(terms: tuple[tree.Term, ...], arguments: Arguments) -> tuple[tuple[str, Value], ...] | None:
    """Return the assignment under which terms equal these arguments."""
    assignment: dict[str, Value] = {}
    for term, argument in zip(terms, arguments, strict=True):
        expected = assignment.setdefault(term.name, argument) if isinstance(term, tree.Variable) else term
        if isinstance(expected, tree.Constant):
            expected = expected.value
        if expected != argument:
            return None
    return tuple(sorted(assignment.items()))


def lasts(finding: Finding, length: Number, readings: Readings) -> bool:
    """Return whether a finding is one of (P).q."""
    if readings.lasting == "exactly":
        return finding.end - finding.start == length
    return finding.end - finding.start <= length


def both(
    left: Collection[Finding], right: Collection[Finding], effort: Effort
) -> Iterator[tuple[tuple[tuple[str, Value], ...], Finding, Finding]]:
    """Yield the pairs of findings under one assignment."""
    effort.spend(len(left) * len(right))
    for left_finding in left:
        for right_finding in right:
            assignment = agreed(dict(left_finding.assignment), dict(right_finding.assignment))
            if assignment is not None:
                yield tuple(sorted(assignment.items())), left_finding, right_finding


def agreed(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value] | None:
    """Return the assignment that extends two, if they agree on common variables; None otherwise."""
    if any(name in first and first[name] != value for name, value in second.items()):
        return None
    return {**first, **second}


def joined(operator: tree.Operator, first: Finding, second: Finding, readings: Readings) -> Interval | None:
    """Return the interval of `first OPERATOR second`, [q1, q2] and [q3, q4] in fig. 2; None if they are not so
    related."""
    (q1, q2), (q3, q4) = first[1:], second[1:]
    match operator:
        case tree.Operator.SEQ:
            return (q1, q4) if q2 < q3 else None
        case tree.Operator.AND:
            return min(q1, q3), max(q2, q4)
        case tree.Operator.PAR:
            return (min(q1, q3), max(q2, q4)) if max(q1, q3) < min(q2, q4) else None
        case tree.Operator.EQUALS:
            return (q1, q2) if (q1, q2) == (q3, q4) else None
        case tree.Operator.MEETS:
            return (q1, q4) if q2 == q3 else None
        case tree.Operator.DURING:
            proper = q1 < q2 if readings.during == "proper" else q1 <= q2
            return (q3, q4) if q3 < q1 and proper and q2 < q4 else None
        case tree.Operator.STARTS:
            return (q3, q4) if q1 == q3 and q2 < q4 else None
        case tree.Operator.FINISHES:
            return (q3, q4) if q2 == q4 and q3 < q1 else None
        case tree.Operator.OR:
            raise ValueError("OR joins no pairs")


def is_pierced(assignment: Mapping[str, Value], begin: Finding, end: Finding, between: Collection[Finding]) -> bool:
    """Return whether something absent happens between two events, under any values of the variables that only the
    absent event has."""
    return any(
        begin.end < absent.start and absent.end < end.start and agreed(assignment, dict(absent.assignment)) is not None
        for absent in between
    )
