"""How long an event matters to a program, and how far behind the promise what its rules emit may lie.

A promise p says that every later event from outside has a timestamp >= p. A match is complete when its positive events
are there and each of its negated patterns is *decided*: the promise on the template of that pattern lies beyond the end
of its window. All follows from the closure of the rule's constraints, so that it is known before the run; milliseconds
throughout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from parte.algebra.partelang.expressions import TIMESTAMP_FUNCTIONS
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import closure

Place = tuple[str, str]
"""A pattern: the name of its rule and its variable."""


@dataclass(frozen=True, slots=True)
class Horizons:
    """`lags`: under the promise p, no event of a template that is still to come lies before p - lag.

    `keeps`: an event at t that fills a pattern is part of no match, and defeats none, that is not complete once the
    promise is beyond t + keep. Patterns of rules whose constraints contradict each other are left out, for these rules
    match nothing.
    """

    lags: Mapping[str, int]
    keeps: Mapping[Place, int]


def horizons(program: core.Program) -> Horizons:
    """The horizons of a program, whose templates may all come from outside too."""
    lags = {template.name: 0 for template in program.templates}
    keeps: dict[Place, int] = {}
    for rules in program.rules_by_stratum():
        fitted = [fit for rule in rules if (fit := _fitted(rule, lags)) is not None]
        for fit in fitted:
            keeps.update(fit.keeps())
            for emission in fit.rule.emissions:
                lags[emission.template] = max(lags[emission.template], fit.lag(emission.at))
    return Horizons(lags, keeps)


def windows(rule: core.Rule, variable: str) -> list[core.Constraint]:
    """The constraints of a negated variable."""
    return [constraint for constraint in rule.constraints if constraint.negated and constraint.subject == variable]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Whether the windows of a negated pattern overlap: `never`, so that no event fills it; or only in matches where,
    in each pair of `unsure`, the first window does not open after the second has closed."""

    never: bool
    unsure: tuple[tuple[core.Constraint, core.Constraint], ...]


def overlaps(rule: core.Rule) -> Mapping[str, Overlaps]:
    """By negated variable of a rule that can match, whether its windows overlap."""
    fitted = _fitted(rule, {})
    assert fitted is not None, "the constraints contradict each other"
    return {pattern.variable: fitted.overlaps(pattern.variable) for pattern in rule.patterns if pattern.negated}


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A rule, how far its positive variables lie apart, and the lags of what it reads."""

    rule: core.Rule
    apart: Mapping[tuple[str, str], int]
    """The greatest difference of the timestamps of two positive variables."""
    lags: Mapping[str, int]

    @property
    def _negated(self) -> Iterator[core.Pattern]:
        """The negated patterns that some event may fill: a match waits for no other."""
        return (
            pattern for pattern in self.rule.patterns if pattern.negated and not self.overlaps(pattern.variable).never
        )

    def overlaps(self, variable: str) -> Overlaps:
        """What is known, before the run, of whether the windows of a negated variable overlap."""
        never, unsure = False, []
        for opening in windows(self.rule, variable):
            for closing in windows(self.rule, variable):
                beyond = opening.lower - closing.upper
                never |= beyond > self.apart[closing.reference, opening.reference]
                if beyond > -self.apart[opening.reference, closing.reference]:
                    unsure.append((opening, closing))
        return Overlaps(never, () if never else tuple(unsure))

    def keeps(self) -> Iterator[tuple[Place, int]]:
        for pattern in self.rule.patterns:
            after = self._after_negated(pattern) if pattern.negated else self._after_positive(pattern)
            ends = [after[other.variable] + self.lags[other.template] for other in self.rule.positive]
            for other in self._negated:
                closes = (after[end.reference] + end.upper for end in windows(self.rule, other.variable))
                ends.append(min(closes) + self.lags[other.template])
            yield (self.rule.name, pattern.variable), max(ends)

    def _after_positive(self, pattern: core.Pattern) -> dict[str, int]:
        """How long after an event of a pattern the event of each positive variable may lie."""
        return {other.variable: self.apart[other.variable, pattern.variable] for other in self.rule.positive}

    def _after_negated(self, pattern: core.Pattern) -> dict[str, int]:
        ends = windows(self.rule, pattern.variable)
        return {
            other.variable: min(self.apart[other.variable, end.reference] - end.lower for end in ends)
            for other in self.rule.positive
        }

    def lag(self, at: core.TimestampExpression) -> int:
        """How far behind the promise a match that is not complete yet may emit."""
        return -min(_value(at, least) for least in self._incomplete())

    def _incomplete(self) -> Iterator[dict[str, int]]:
        """The least timestamps of a match which is not complete under the promise 0, for each reason why."""
        for missing in self.rule.positive:
            yield self._least([(missing.variable, -self.lags[missing.template])])
        for undecided in self._negated:
            lag = self.lags[undecided.template]
            yield self._least([(end.reference, -lag - end.upper) for end in windows(self.rule, undecided.variable)])

    def _least(self, known: Iterable[tuple[str, int]]) -> dict[str, int]:
        given = list(known)
        return {
            pattern.variable: max(least - self.apart[variable, pattern.variable] for variable, least in given)
            for pattern in self.rule.positive
        }


def _fitted(rule: core.Rule, lags: Mapping[str, int]) -> _Fitted | None:
    """None if the constraints contradict each other."""
    distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
    if distances.contradictory:
        return None
    apart: dict[tuple[str, str], int] = {}
    for i, subject in enumerate(distances.variables):
        for j, reference in enumerate(distances.variables):
            greatest = distances.greatest[i][j]
            assert greatest is not None, "every pair is related (specification: variables-related)"
            apart[subject, reference] = greatest
    return _Fitted(rule, apart, lags)


def _value(at: core.TimestampExpression, stamps: Mapping[str, int]) -> int:
    """What `at` says of timestamps, in integers without bounds; it moves with them."""
    match at:
        case core.TimestampOf(variable=variable):
            return stamps[variable]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return _value(operand, stamps) + milliseconds
        case core.Combination(function=function, operands=operands):
            return TIMESTAMP_FUNCTIONS[function](*[_value(operand, stamps) for operand in operands])
