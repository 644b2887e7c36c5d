"""Alternatives that another one covers (specification: check-alternatives)."""

from __future__ import annotations

from parte.checker.partelang.claims import Claim, Holds, Not
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.prover import Prover
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import to_decide
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.syntax import ast, core


def alike(source: RuleSource, pattern: core.Pattern) -> list[ast.Alternative]:
    """Return the alternatives of a pattern that have its template; none without `either`, or without a source."""
    for node in () if source.node is None else source.node.patterns:
        if node.variable == pattern.variable and node.alternatives:
            return [choice for choice in node.choices if choice.template == pattern.template]
    return []


def has_alternatives(source: RuleSource) -> bool:
    """Return whether a rule has two alternatives of one template for the same variable."""
    return any(len(alike(source, pattern)) > 1 for pattern in source.rule.positive)


def check_alternatives(source: RuleSource, collector: Collector, prover: Prover) -> None:
    """Find the alternatives whose events all fill another alternative of the same template."""
    if not has_alternatives(source):
        return
    with collector.deciding("effective-alternatives", source):
        for pattern in source.rule.positive:
            choices = alike(source, pattern)
            if len(choices) > 1:
                _covered(source, pattern, choices, collector, prover)


def _covered(
    source: RuleSource,
    pattern: core.Pattern,
    choices: list[ast.Alternative],
    collector: Collector,
    prover: Prover,
) -> None:
    bare = [number for number, choice in enumerate(choices) if not choice.conditions]
    if bare:  # it accepts every event of its template
        for number, choice in enumerate(choices):
            if number != bare[0]:
                _report(source, pattern, choice, choices[bare[0]], collector)
        return
    merged = pattern.conditions[0]
    assert isinstance(merged, core.Compound), "alternatives of one template are joined by `or`"
    variables = {positive.variable: positive.template for positive in source.rule.positive}
    remaining = list(range(len(choices)))
    for number in reversed(range(len(choices))):
        for covering in remaining:
            if covering == number:
                continue
            claims: dict[str, Claim] = {
                "covered": Holds(merged.operands[number]),
                "not": Not(Holds(merged.operands[covering])),
            }
            name = f"{source.rule.name}: alternative {number + 1} of {pattern.variable} beside {covering + 1}"
            result = prover.decide(name, variables, claims)
            if result.impossible:
                remaining.remove(number)
                _report(source, pattern, choices[number], choices[covering], collector, result.seconds)
                break
            if not result.possible:
                collector.find(
                    "covered-alternative",
                    choices[number].template_span,
                    f"whether another alternative of `{pattern.variable}` covers this one was not decided",
                    verdict=Verdict.NOT_PROVED,
                    rule=source,
                    hint=to_decide(result),
                    seconds=result.seconds,
                )
                break


def _report(
    source: RuleSource,
    pattern: core.Pattern,
    choice: ast.Alternative,
    covering: ast.Alternative,
    collector: Collector,
    seconds: float = 0.0,
) -> None:
    collector.find(
        "covered-alternative",
        choice.template_span,
        f"every event that fills this alternative of `{pattern.variable}` fills another one",
        rule=source,
        hint="remove it: the rule means the same without it",
        places=[(covering.span, "this alternative covers it")],
        seconds=seconds,
    )
