"""The time that an event matters to a program, and the lag of the events that its rules emit behind the promise.

A promise p guarantees that every later external event has a timestamp >= p. A match is complete when its positive
events are there and each of its negated patterns is *decided*: the promise on the template of that pattern lies beyond
the end of its window. Everything follows from the closure of the rule's constraints, so it is known before the run.
All times are in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from parte.algebra.partelang.expressions import TIMESTAMP_FUNCTIONS
from parte.algebra.partelang.relational.errors import SETS, Unsupported
from parte.algebra.partelang.relational.suppressed import suppressing
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import closure

Place = tuple[str, str]
"""A pattern: the name of its rule and its variable."""


@dataclass(frozen=True, slots=True)
class Horizons:
    """The lags of templates and the retention times of patterns.

    `lags`: under the promise p, no future event of a template has a timestamp before p - lag.

    `keeps`: once the promise is beyond t + keep, every match that contains or is defeated by an event at t that fills
    the pattern is complete. Rules whose constraints contradict each other match nothing; their patterns are left out.
    """

    lags: Mapping[str, int]
    keeps: Mapping[Place, int]


def horizons(program: core.Program) -> Horizons:
    """Return the horizons of a program; events of all its templates may also be external.

    Raise Unsupported if the queries of a stream cannot express the program.
    """
    for rule in program.rules:
        if rule.collected:
            raise Unsupported(SETS)
        if any(constraint.lower is None for constraint in rule.constraints):
            raise Unsupported(
                f"rule {rule.reported} has a window from `-ever` on, for which a stream would keep all events"
            )
        if any(suppressing(rule)):
            raise Unsupported(f"rule {rule.reported} has `once`, which the queries of a stream do not support")
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
    """Return the constraints of a negated variable."""
    return [constraint for constraint in rule.constraints if constraint.negated and constraint.subject == variable]


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The overlap of the windows of a negated pattern.

    With `never`, they do not overlap, so that no event fills the pattern. Else they overlap exactly in the matches in
    which, for each pair of `unsure`, the first window does not open after the second has closed.
    """

    never: bool
    unsure: tuple[tuple[core.Constraint, core.Constraint], ...]


def overlaps(rule: core.Rule) -> Mapping[str, Overlaps]:
    """Return, by negated variable of a rule that can match, whether its windows overlap."""
    fitted = _fitted(rule, {})
    assert fitted is not None, "the constraints contradict each other"
    return {pattern.variable: fitted.overlaps(pattern.variable) for pattern in rule.patterns if pattern.negated}


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A rule, the distances between its positive variables, and the lags of the templates that it reads."""

    rule: core.Rule
    apart: Mapping[tuple[str, str], int]
    """The greatest difference of the timestamps of two positive variables."""
    lags: Mapping[str, int]

    @property
    def _negated(self) -> Iterator[core.Pattern]:
        """Yield the negated patterns that some event may fill; a match waits for no others."""
        return (
            pattern for pattern in self.rule.patterns if pattern.negated and not self.overlaps(pattern.variable).never
        )

    def overlaps(self, variable: str) -> Overlaps:
        """Return what is known before the run about the overlap of the windows of a negated variable."""
        never, unsure = False, []
        for opening in windows(self.rule, variable):
            for closing in windows(self.rule, variable):
                beyond = opening.begins - closing.upper
                never |= beyond > self.apart[closing.reference, opening.reference]
                if beyond > -self.apart[opening.reference, closing.reference]:
                    unsure.append((opening, closing))
        return Overlaps(never, () if never else tuple(unsure))

    def keeps(self) -> Iterator[tuple[Place, int]]:
        for pattern in self.rule.patterns:
            after = self._after_negated(pattern) if pattern.negated else self._after_positive(pattern)
            ends = [after[waited.variable] + self.lags[waited.template] for waited in self.rule.positive]
            for waited in self._negated:
                closes = (after[end.reference] + end.upper for end in windows(self.rule, waited.variable))
                ends.append(min(closes) + self.lags[waited.template])
            yield (self.rule.name, pattern.variable), max(ends)

    def _after_positive(self, pattern: core.Pattern) -> dict[str, int]:
        """Return, by positive variable, how long after an event of the pattern its event may lie."""
        return {positive.variable: self.apart[positive.variable, pattern.variable] for positive in self.rule.positive}

    def _after_negated(self, pattern: core.Pattern) -> dict[str, int]:
        ends = windows(self.rule, pattern.variable)
        return {
            positive.variable: min(self.apart[positive.variable, end.reference] - end.begins for end in ends)
            for positive in self.rule.positive
        }

    def lag(self, at: core.TimestampExpression) -> int:
        """Return how far behind the promise an incomplete match may emit."""
        return -min(_value(at, least) for least in self._incomplete())

    def _incomplete(self) -> Iterator[dict[str, int]]:
        """Yield, for each reason why a match is not complete under the promise 0, its least timestamps."""
        for missing in self.rule.positive:
            yield self._least([(missing.variable, -self.lags[missing.template])])
        for undecided in self._negated:
            lag = self.lags[undecided.template]
            yield self._least([(end.reference, -lag - end.upper) for end in windows(self.rule, undecided.variable)])

    def _least(self, known: Iterable[tuple[str, int]]) -> dict[str, int]:
        bounds = list(known)
        return {
            pattern.variable: max(least - self.apart[variable, pattern.variable] for variable, least in bounds)
            for pattern in self.rule.positive
        }


def _fitted(rule: core.Rule, lags: Mapping[str, int]) -> _Fitted | None:
    """Return the rule with its distances, or None if its constraints contradict each other."""
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
    """Return the value of `at` for given timestamps, in unbounded integers; it grows with each timestamp."""
    match at:
        case core.TimestampOf(variable=variable):
            return stamps[variable]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return _value(operand, stamps) + milliseconds
        case core.Combination(function=function, operands=operands):
            return TIMESTAMP_FUNCTIONS[function](*[_value(operand, stamps) for operand in operands])
        case core.Aggregate():
            raise Unsupported(SETS)
