"""I_μ of a pattern: fig. 2 of E, row by row (specification: etalis-patterns).

An interpretation has for each name the arguments and intervals of its events. What a pattern has in it is said for all
assignments at once: findings, each an assignment of the pattern's variables with an interval.
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
    """Too much for the definition, which looks at every pair again and again."""


@dataclass(slots=True)
class Effort:
    """How many findings and pairs may be looked at."""

    most: int = 2_000_000
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Look at some. TooManyFindings if too many were."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyFindings(
                f"the definition would have to look at more than {self.most} findings and pairs; run a machine, or a "
                "shorter trace"
            )


class Finding(NamedTuple):
    """What a pattern finds: the variables that it binds, by name, and an interval."""

    assignment: tuple[tuple[str, Value], ...]
    start: Number
    end: Number


def meaning(pattern: tree.Pattern, events: Interpretation, readings: Readings, effort: Effort) -> set[Finding]:
    """The intervals of a pattern in an interpretation, under every assignment."""
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
            found = meaning(operand, events, readings, effort)
            return {each for each in found if holds(condition, dict(each.assignment))}
        case tree.Lasting(operand=operand, length=length):
            found = meaning(operand, events, readings, effort)
            return {each for each in found if lasts(each, length, readings)}
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return meaning(left, events, readings, effort) | meaning(right, events, readings, effort)
        case tree.Joined(left=left, operator=operator, right=right):
            pairs = both(meaning(left, events, readings, effort), meaning(right, events, readings, effort), effort)
            return {
                Finding(assignment, *interval)
                for assignment, one, other in pairs
                if (interval := joined(operator, one, other, readings)) is not None
            }
        case tree.Negation(absent=absent, first=first, last=last):
            pairs = both(meaning(first, events, readings, effort), meaning(last, events, readings, effort), effort)
            apart = [(assignment, one, other) for assignment, one, other in pairs if one.end < other.start]
            between = meaning(absent, events, readings, effort)
            effort.spend(len(apart) * len(between))
            whole = {Finding(assignment, one.start, other.end) for assignment, one, other in apart}
            pierced = {
                Finding(assignment, one.start, other.end)
                for assignment, one, other in apart
                if is_pierced(dict(assignment), one, other, between)
            }
            if readings.negation == "intervals":
                return whole - pierced
            return {
                Finding(assignment, one.start, other.end)
                for assignment, one, other in apart
                if not is_pierced(dict(assignment), one, other, between)
            }


def matched(terms: tuple[tree.Term, ...], arguments: Arguments) -> tuple[tuple[str, Value], ...] | None:
    """The assignment under which terms are these arguments."""
    assignment: dict[str, Value] = {}
    for term, argument in zip(terms, arguments, strict=True):
        expected = assignment.setdefault(term.name, argument) if isinstance(term, tree.Variable) else term
        if isinstance(expected, tree.Constant):
            expected = expected.value
        if expected != argument:
            return None
    return tuple(sorted(assignment.items()))


def lasts(found: Finding, length: Number, readings: Readings) -> bool:
    """Whether an interval is one of (P).q."""
    if readings.lasting == "exactly":
        return found.end - found.start == length
    return found.end - found.start <= length


def both(
    left: Collection[Finding], right: Collection[Finding], effort: Effort
) -> Iterator[tuple[tuple[tuple[str, Value], ...], Finding, Finding]]:
    """The pairs of findings under one assignment."""
    effort.spend(len(left) * len(right))
    for one in left:
        for other in right:
            assignment = agreed(dict(one.assignment), dict(other.assignment))
            if assignment is not None:
                yield tuple(sorted(assignment.items())), one, other


def agreed(one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, Value] | None:
    """The assignment that extends two, if they agree on what both assign."""
    if any(name in one and one[name] != value for name, value in other.items()):
        return None
    return {**one, **other}


def joined(operator: tree.Operator, one: Finding, other: Finding, readings: Readings) -> Interval | None:
    """The interval of `one OPERATOR other`, [q1, q2] and [q3, q4] in fig. 2; None if they are not so related."""
    (q1, q2), (q3, q4) = one[1:], other[1:]
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


def is_pierced(assignment: Mapping[str, Value], one: Finding, other: Finding, between: Collection[Finding]) -> bool:
    """Whether something absent happens between two events, whatever the variables are that only it has."""
    return any(
        one.end < each.start and each.end < other.start and agreed(assignment, dict(each.assignment)) is not None
        for each in between
    )
