"""Numbers of events that `having` asks for and the rates of a deployment do not allow (specification: guarantees)."""

from __future__ import annotations

from collections.abc import Mapping

from parte.checker.environment.deployment import Deployment
from parte.checker.partelang.claims import Claim, Holds, Not
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.negations import NEVER_MATCHES
from parte.checker.partelang.prover import Prover
from parte.checker.partelang.rule_claims import claims_of
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import demands, to_decide
from parte.checker.report.contents import ClosureTable, Json
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.duration import duration_text
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core


def check_counts(
    source: RuleSource, table: ClosureTable, deployment: Deployment, collector: Collector, prover: Prover
) -> None:
    """Check that a rule can match with sets of no more events than the rates allow in their windows."""
    rule, claims = source.rule, claims_of(source.rule)
    widths = widths_of(rule, table)
    limits = _limits(prover.program, rule, widths, deployment)
    if not rule.having or not limits:
        return
    bounds: dict[str, Claim] = {
        f"rates of {pattern.variable}": _at_most(pattern, limit) for pattern, limit in limits.items()
    }
    with collector.deciding("reachable-counts", source) as decision:
        if any(known.rule == rule.name and known.verdict is Verdict.REFUTED for known in collector.of("can-match")):
            decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
            return
        name, question = f"{rule.name}: numbers within the rates", {**claims.match, **bounds}
        answer = prover.decide(name, claims.variables, question, why=True, scene=claims.scene)
        if answer.witness is not None:
            return
        if not answer.impossible:
            collector.find(
                "unreachable-count",
                source.name_span,
                f"whether `having` of `{rule.name}` asks for more than the rates allow was not decided",
                verdict=Verdict.NOT_PROVED,
                rule=source,
                hint=to_decide(answer),
                seconds=answer.seconds,
            )
            return
        places = demands(rule, answer.core)
        reached = [pattern for pattern in limits if f"rates of {pattern.variable}" in answer.core]
        numbers: dict[str, Json] = {pattern.variable: limits[pattern] for pattern in reached}
        collector.find(
            "unreachable-count",
            next((span for span, _ in places), source.name_span),
            f"`{rule.name}` never matches in this deployment: `having` asks for more events than the rates allow",
            rule=source,
            reason=[
                f"`{item.variable}` has at most {limits[item]} events in {duration_text(widths[item.variable])}"
                for item in reached
            ],
            hint="ask for less, widen the windows of the set, or correct the rates of the deployment",
            places=places,
            evidence={"at_most": numbers},
            seconds=answer.seconds,
        )


def widths_of(rule: core.Rule, table: ClosureTable) -> dict[str, int]:
    """Return the width in milliseconds of the window of each set, if it has a beginning: all its events lie in one."""
    widths: dict[str, int] = {}
    for row in table.distances:
        if any(row.subject == pattern.variable for pattern in rule.collected) and None not in (row.lower, row.upper):
            width = (row.upper or 0) - (row.lower or 0)
            widths[row.subject] = min(width, widths.get(row.subject, width))
    return widths


def _at_most(number: core.Aggregate, limit: int) -> Claim:
    return Not(Holds(core.Comparison(">", number, core.Constant(limit, Scalar.INTEGER))))


def _limits(
    program: core.Program, rule: core.Rule, widths: Mapping[str, int], deployment: Deployment
) -> dict[core.Aggregate, int]:
    """Return the greatest number of events of each set whose template only sources emit."""
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    limits: dict[core.Aggregate, int] = {}
    for pattern in rule.collected:
        if pattern.template in emitted or pattern.variable not in widths:
            continue
        width = widths[pattern.variable]
        supplies = [supply for (_, name), supply in deployment.supplies().items() if name == pattern.template]
        limit = sum(supply.rate.within(width) for supply in supplies)
        for declared in deployment.cardinalities:
            if declared.template == pattern.template and _fixed(pattern).issuperset(declared.attributes):
                limit = min(limit, declared.rate.within(width))
        limits[core.Aggregate("count", pattern.variable, None, False, Scalar.INTEGER)] = limit
    return limits


def _fixed(pattern: core.Pattern) -> set[str]:
    """Return the attributes that have one value in all events of a set."""
    return {
        side.attribute
        for condition in pattern.conditions
        if isinstance(condition, core.Comparison) and condition.operator == "="
        for side, reference in ((condition.left, condition.right), (condition.right, condition.left))
        if isinstance(side, core.AttributeOf)
        and side.variable == pattern.variable
        and pattern.variable not in core.variables_of(reference)
    }
