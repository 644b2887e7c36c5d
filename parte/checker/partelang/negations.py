"""Negations that make a difference, and those without which a rule has the same matches (specification: guarantees).

A negated pattern makes a difference if some events match without it, and one event fills it and no other negated
pattern: on that trace the pattern alone rules the match out. An event of the match that fills it needs no question of
its own, because it could come twice. With sets, the trace also has their elements; none fills another negated pattern.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from parte.checker.partelang.claims import Claim, Every, Not, renamed
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.prover import Decision, Prover
from parte.checker.partelang.replay import confirm_blocked, own_events
from parte.checker.partelang.rule_claims import claims_of, filling, scene_of
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import demands, to_decide
from parte.checker.report.contents import Json
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.syntax import core

NEVER_MATCHES = "the rule never matches"


@dataclass(slots=True)
class Negations:
    """The negated variables that make no difference, and those for which that was not decided."""

    useless: set[str] = field(default_factory=set)
    undecided: set[str] = field(default_factory=set)


def check_negations(
    source: RuleSource, collector: Collector, prover: Prover, *, idle: Collection[str], never: bool
) -> Negations:
    """Check that each negated pattern can rule out a match that would be one without it.

    `idle` are the negated variables that no event fills, which has been reported; with `never`, the rule never matches.
    """
    rule, result = source.rule, Negations()
    records: list[Json] = []
    with collector.deciding("effective-negations", source) as decision:
        negated = [pattern for pattern in rule.written.patterns if pattern.negated]
        if not negated:
            decision.detail = "it has no negated pattern"
        for pattern in negated:
            if pattern.variable in idle:
                decision.verdict, decision.detail = Verdict.REFUTED, f"nothing fills `{pattern.variable}`"
                result.useless.add(pattern.variable)
                continue
            answer = _makes_a_difference(rule, pattern, prover)
            if answer.witness is not None:
                confirm_blocked(prover.program, rule, answer.witness, pattern.variable)
                bound: dict[str, Json] = dict(own_events(rule, answer.witness))
                records.append({"negated": pattern.variable, **answer.witness.record(), "bindings": bound})
            elif not answer.impossible:
                result.undecided.add(pattern.variable)
                _undecided(source, pattern, answer, collector)
            else:
                result.useless.add(pattern.variable)
                if not never:
                    _useless(source, pattern, answer, collector)
                elif decision.verdict is Verdict.PROVED:
                    decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
        if records:
            decision.evidence["negations"] = records
    return result


def _makes_a_difference(rule: core.Rule, negated: core.Pattern, prover: Prover) -> Decision:
    """Decide: can events match but for one that fills this negated pattern and no other? Its variable is that event."""
    claims = claims_of(rule)
    question: dict[str, Claim] = {
        **claims.unblocked,
        **{block.label: Not(block.claim) for block in claims.blocks if block.negated is not negated},
        **filling(rule, negated),
    }
    for same_template in _alike(rule, negated):
        filled = Every(tuple(filling(rule, same_template).values()))
        question[_free(same_template)] = Not(renamed(filled, {same_template.variable: negated.variable}))
    variables = {**claims.variables, negated.variable: negated.template}
    name, scene = f"{rule.name}: {negated.variable} makes a difference", scene_of(rule, filled=negated.variable)
    return prover.decide(name, variables, question, why=True, scene=scene)


def _alike(rule: core.Rule, negated: core.Pattern) -> list[core.Pattern]:
    """Return the other negated patterns of the same template."""
    return [
        pattern
        for pattern in rule.patterns
        if pattern.negated and pattern is not negated and pattern.template == negated.template
    ]


def _free(negated: core.Pattern) -> str:
    return f"free {negated.variable}"


def _useless(source: RuleSource, negated: core.Pattern, answer: Decision, collector: Collector) -> None:
    rule = source.rule
    shared = [same_template for same_template in _alike(rule, negated) if _free(same_template) in answer.core]
    blocks = [block for block in claims_of(rule).blocks if block.label in answer.core]
    places = [
        *demands(rule, answer.core),
        *((block.negated.span, f"`{block.positive}` must not {_fill(block.negated)}") for block in blocks),
        *((same_template.span, f"it must not {_fill(same_template)}") for same_template in shared),
    ]
    number = len(places)
    without = ", though without any one of them they can" if answer.minimal and number > 1 else ""
    clashing: list[Json] = [label for _, label in places]
    collector.find(
        "useless-negation",
        source.variable_span(negated.variable),
        f"`{negated.variable}` makes no difference: no event fills it where it alone would rule the match out",
        rule=source,
        reason=[f"these {number} demands cannot hold together{without}" if number > 1 else "this cannot hold"],
        hint="remove one of the negated patterns: the rule means the same without it"
        if any(same_template.selects is None for same_template in shared)
        else "remove it, for the rule means the same without it, or correct what excludes it",
        places=places,
        evidence={"negated": negated.variable, "demands": clashing},
        seconds=answer.seconds,
    )


def _fill(negated: core.Pattern) -> str:
    return f"fill `{negated.variable}`" if negated.selects is None else f"come instead of `{negated.variable}`"


def _undecided(source: RuleSource, negated: core.Pattern, answer: Decision, collector: Collector) -> None:
    collector.find(
        "useless-negation",
        source.variable_span(negated.variable),
        f"whether `{negated.variable}` ever makes a difference was not decided",
        verdict=Verdict.NOT_PROVED,
        rule=source,
        hint=to_decide(answer),
        seconds=answer.seconds,
    )
