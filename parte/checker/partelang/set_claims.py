"""Sets that are always empty, and conditions of `having` that are true of every match (specification: guarantees)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from parte.checker.partelang.claims import Claim, Not
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.negations import NEVER_MATCHES
from parte.checker.partelang.prover import Decision, Prover
from parte.checker.partelang.replay import confirm_match, confirm_undone
from parte.checker.partelang.rule_claims import claims_of, filling, having_label
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import demands, to_decide
from parte.checker.report.contents import Json
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text
from parte.semantics.source.spans import Span


@dataclass(slots=True)
class Sets:
    """The variables of the sets that are empty in every match, and of those for which that was not decided."""

    empty: set[str] = field(default_factory=set)
    undecided: set[str] = field(default_factory=set)


def check_sets(
    source: RuleSource, match: Decision, collector: Collector, prover: Prover, *, empty: Collection[str]
) -> Sets:
    """Check the sets of a rule and its `having`; a rule without sets has nothing to check.

    `empty` are variables that no event fills, which has been reported.
    """
    rule, result = source.rule, Sets()
    if not rule.collected:
        return result
    records: list[Json] = []
    with collector.deciding("effective-sets", source) as decision:
        for pattern in rule.collected:
            if pattern.variable in empty:
                decision.verdict, decision.detail = Verdict.REFUTED, f"`{pattern.variable}` is always empty"
                result.empty.add(pattern.variable)
                continue
            answer = _has_element(rule, pattern, prover)
            if answer.witness is not None:
                confirm_match(prover.program, _with_element(rule, pattern), answer.witness)
                records.append({"set": pattern.variable, **answer.witness.record()})
            elif answer.impossible:
                result.empty.add(pattern.variable)
                if not match.impossible:
                    _empty(source, pattern, answer, collector)
                elif decision.verdict is Verdict.PROVED:
                    decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
            else:
                result.undecided.add(pattern.variable)
                message = f"whether `{pattern.variable}` is ever more than the empty set was not decided"
                _open("empty-set", source, source.variable_span(pattern.variable), message, answer, collector)
        if records:
            decision.evidence["sets"] = records
    with collector.deciding("effective-having", source) as decision:
        if match.impossible:
            decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
        else:
            _check_having(source, collector, prover)
    return result


def _has_element(rule: core.Rule, of: core.Pattern, prover: Prover) -> Decision:
    """Decide whether the rule can match with an element in a set, but for what `having` says."""
    claims = claims_of(rule)
    question = {label: claim for label, claim in claims.match.items() if label not in claims.having}
    question |= filling(rule, of)
    for absent in claims.scene.absent:
        if absent.pattern.template == of.template:
            question[f"{of.variable} fills {absent.variable}"] = Not(absent.filled_by(of.variable))
    variables = {**claims.variables, of.variable: of.template}
    return prover.decide(f"{rule.name}: {of.variable} has an element", variables, question, why=True)


def _with_element(rule: core.Rule, of: core.Pattern) -> core.Rule:
    """Return the rule whose `having` is that the set has an element."""
    return replace(rule, having=(core.Aggregate("exists", of.variable, None, False, Scalar.BOOLEAN),))


def _empty(source: RuleSource, of: core.Pattern, answer: Decision, collector: Collector) -> None:
    places = demands(source.rule, answer.core)
    clashing: list[Json] = [label for _, label in places]
    collector.find(
        "empty-set",
        source.variable_span(of.variable),
        f"the set `{of.variable}` is empty in every match",
        rule=source,
        reason=[f"these {len(places)} demands cannot hold together" if len(places) > 1 else "this cannot hold"],
        hint="correct what excludes its events, or remove it",
        places=places,
        evidence={"set": of.variable, "demands": clashing},
        seconds=answer.seconds,
    )


def _check_having(source: RuleSource, collector: Collector, prover: Prover) -> None:
    """Check each condition for one that follows from the others; of two equivalent ones, the later one does."""
    rule, claims = source.rule, claims_of(source.rule)
    remaining = list(enumerate(rule.having))
    for position, condition in reversed(list(enumerate(rule.having))):
        rest = [placed for placed in remaining if placed[0] != position]
        label = having_label(position)
        gone = {having_label(index) for index, _ in enumerate(rule.having)} - {having_label(index) for index, _ in rest}
        question: dict[str, Claim] = {name: claim for name, claim in claims.match.items() if name not in gone}
        question["conclusion"] = Not(claims.having[label])
        name = f"{rule.name}: {label} makes a difference"
        answer = prover.decide(name, claims.variables, question, why=True, scene=claims.scene)
        text = expression_text(condition)
        if answer.witness is not None:
            less = replace(rule, having=tuple(index for _, index in rest))
            confirm_undone(prover.program, replace(rule, having=(*less.having, condition)), less, answer.witness)
        elif answer.impossible:
            remaining = rest
            places = demands(rule, [index for index in answer.core if index != "conclusion"])
            by: list[Json] = [place for _, place in places]
            collector.find(
                "useless-having",
                condition.span,
                f"`{text}` is true of every match",
                rule=source,
                hint="remove it: the rule means the same without it",
                places=places,
                evidence={"condition": text, "by": by},
                seconds=answer.seconds,
            )
        else:
            message = f"whether `{text}` ever rules a match out was not decided"
            _open("useless-having", source, condition.span, message, answer, collector)


def _open(code: str, source: RuleSource, span: Span, message: str, answer: Decision, collector: Collector) -> None:
    collector.find(
        code,
        span,
        message,
        verdict=Verdict.NOT_PROVED,
        rule=source,
        hint=to_decide(answer),
        seconds=answer.seconds,
    )
