"""A rule as claims: the demands of its positive patterns, and those under which an event fills a negated pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from parte.checker.partelang.claims import Claim, Every, Holds, Not, Window
from parte.checker.partelang.scenes import Filler, Scene
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class SelfBlock:
    """The event bound to `positive` might fill the negated pattern: it does if all the demands hold."""

    negated: core.Pattern
    positive: str
    conditions: tuple[Holds, ...]
    windows: tuple[Window, ...]

    @property
    def label(self) -> str:
        return f"{self.positive} fills {self.negated.variable}"

    @property
    def claim(self) -> Claim:
        return Every((*self.conditions, *self.windows))


@dataclass(frozen=True, slots=True)
class RuleClaims:
    """The parts of a rule as labelled claims over its positive variables."""

    variables: dict[str, str]
    conditions: dict[str, Claim]
    windows: dict[str, Claim]
    blocks: tuple[SelfBlock, ...]
    having: dict[str, Claim]
    scene: Scene

    @property
    def positive(self) -> dict[str, Claim]:
        """Return the demands of the positive patterns and of the constraints between them."""
        return {**self.conditions, **self.windows}

    @property
    def unblocked(self) -> dict[str, Claim]:
        """Return the demands on the events of a match of the rule without its negated patterns."""
        return {**self.positive, **self.having}

    @property
    def match(self) -> dict[str, Claim]:
        """Return the demands on the events of a match if there are no other events, but for those of `scene`."""
        return {**self.unblocked, **{block.label: Not(block.claim) for block in self.blocks}}


def condition_label(variable: str, position: int) -> str:
    """Return the label of a condition: its pattern's variable and its position there."""
    return f"{variable}#{position}"


def having_label(position: int) -> str:
    """Return the label of a condition of `having`: its position there."""
    return f"having#{position}"


def window_label(position: int) -> str:
    """Return the label of a constraint: its position in the rule's `when`."""
    return f"when#{position}"


def _window(constraint: core.Constraint) -> Window:
    return Window(constraint.subject, constraint.reference, constraint.begins, constraint.upper)


def filling(rule: core.Rule, negated: core.Pattern) -> dict[str, Claim]:
    """Return the claims that an event, bound to the variable of a negated pattern or of a set, must meet to fill it."""
    claims: dict[str, Claim] = {
        condition_label(negated.variable, position): Holds(condition)
        for position, condition in enumerate(negated.conditions)
    }
    for number, constraint in enumerate(rule.constraints):
        if constraint.subject == negated.variable:
            claims[window_label(number)] = _window(constraint)
    return claims


def claims_of(rule: core.Rule) -> RuleClaims:
    """Return the claims of a rule.

    No part of a rule depends on the identity of events, so each variable may be assumed to have its own event; and
    further events can only rule matches out, but for those in sets. A rule can match at all if it matches its own
    events alone, or with the elements of its sets.
    """
    conditions: dict[str, Claim] = {}
    for pattern in rule.positive:
        for position, condition in enumerate(pattern.conditions):
            conditions[condition_label(pattern.variable, position)] = Holds(condition)
    windows: dict[str, Claim] = {
        window_label(number): _window(constraint)
        for number, constraint in enumerate(rule.constraints)
        if not constraint.negated
    }
    variables = {pattern.variable: pattern.template for pattern in rule.positive}
    having: dict[str, Claim] = {
        having_label(position): Holds(condition) for position, condition in enumerate(rule.having)
    }
    return RuleClaims(variables, conditions, windows, tuple(_blocks(rule)), having, scene_of(rule))


def scene_of(rule: core.Rule, *, filled: str | None = None) -> Scene:
    """Return the sets of a rule, and its negated patterns but for the one that is `filled`."""
    absent = (pattern for pattern in rule.patterns if pattern.negated and pattern.variable != filled)
    return Scene(
        tuple(filler(rule, pattern) for pattern in rule.collected), tuple(filler(rule, pattern) for pattern in absent)
    )


def filler(rule: core.Rule, pattern: core.Pattern) -> Filler:
    """Return the claim that an event fills a pattern that is not positive, with the pattern."""
    return Filler(pattern, Every(tuple(filling(rule, pattern).values())))


def _blocks(rule: core.Rule) -> Iterator[SelfBlock]:
    for negated in rule.patterns:
        if not negated.negated:
            continue
        windows = [c for c in rule.constraints if c.negated and c.subject == negated.variable]
        for pattern in rule.positive:
            if pattern.template == negated.template:
                names = {negated.variable: pattern.variable}
                yield SelfBlock(
                    negated,
                    pattern.variable,
                    tuple(Holds(core.renamed(condition, names)) for condition in negated.conditions),
                    tuple(Window(pattern.variable, c.reference, c.begins, c.upper) for c in windows),
                )
