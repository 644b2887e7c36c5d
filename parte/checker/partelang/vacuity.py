"""Vacuity: patterns that no event fits, rules that never match or rule matches of theirs out, conditions that say
nothing new (specification: guarantees).

Where the solver finds events, the sound machine runs on them and must show what they are said to show.
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.findings import Decision as Guaranteed
from parte.checker.partelang.negations import NEVER_MATCHES, Negations, check_negations
from parte.checker.partelang.prover import Decision, Prover
from parte.checker.partelang.replay import confirm_blocked, confirm_match
from parte.checker.partelang.rule_claims import RuleClaims, SelfBlock, claims_of, condition_label
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import demands, to_decide
from parte.checker.partelang.windows import TimeAnalysis
from parte.checker.partelang.wording import opposite_text, ratio_text
from parte.checker.report.contents import Json
from parte.checker.solver.queries import Status
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text


def check_vacuity(source: RuleSource, time: TimeAnalysis, found: Collector, prover: Prover) -> None:
    """Whether the rule can match, what stands in its way, and what in it says nothing."""
    rule, claims = source.rule, claims_of(source.rule)
    with found.deciding("can-match", source) as decision:
        if time.table.contradictory:
            result = Decision(Status.UNSATISFIABLE)
            decision.verdict, decision.detail = Verdict.REFUTED, "its windows exclude each other"
        else:
            result = prover.decide(f"{rule.name}: can match", claims.variables, claims.match, why=True)
            _can_match(source, claims, result, found, prover, decision)
    unfilled = {clash.variable for clash in time.clashes if clash.variable is not None}
    with found.deciding("satisfiable-patterns", source):
        for pattern in rule.patterns:
            if (pattern.negated or not result.possible) and not _satisfiable(source, pattern, found, prover):
                unfilled |= {pattern.variable} if pattern.negated else set()
    with found.deciding("no-self-blocking", source) as decision:
        if result.impossible:
            decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
        for block in claims.blocks if not result.impossible else ():
            _partly_blocked(source, claims, block, found, prover)
    negations = check_negations(source, found, prover, idle=unfilled, never=result.impossible)
    with found.deciding("every-condition-counts", source) as decision:
        _check_implied(source, result, negations, found, prover, decision)


def _can_match(
    source: RuleSource, claims: RuleClaims, result: Decision, found: Collector, prover: Prover, decision: Guaranteed
) -> None:
    rule = source.rule
    if result.witness is not None:
        confirm_match(prover.program, rule, result.witness)
        decision.detail = "the machine matches the trace that the solver found"
        decision.evidence.update(result.witness.record())
    elif result.impossible:
        decision.verdict = Verdict.REFUTED
        _never(source, claims, result, found, prover)
    else:
        found.find(
            "never-matches",
            source.name_span,
            f"whether `{rule.name}` can match at all was not decided",
            verdict=Verdict.NOT_PROVED,
            rule=source,
            hint=to_decide(result),
            seconds=result.seconds,
        )


# --- Rules that never match ----------------------------------------------------------------------------------------


def _never(source: RuleSource, claims: RuleClaims, result: Decision, found: Collector, prover: Prover) -> None:
    rule = source.rule
    blocking = [block for block in claims.blocks if block.label in result.core]
    if blocking:
        # The core is minimal, so without these the rest can hold: a match that its own events rule out.
        unblocked = prover.decide(f"{rule.name}: without negation", claims.variables, claims.positive, why=True)
        if unblocked.witness is not None:
            _always_blocked(source, blocking, result, unblocked, found, prover)
            return
        result = unblocked if unblocked.impossible else result
    if any(pattern_core(rule, pattern, prover).impossible for pattern in rule.positive):
        return  # told of the pattern
    places = demands(rule, result.core)
    clashing: list[Json] = [label for _, label in places]
    without = ", though without any one of them they can" if result.minimal else ""
    found.find(
        "never-matches",
        source.name_span,
        f"no events match `{rule.name}`: its conditions exclude each other",
        rule=source,
        reason=[f"these {len(places)} conditions cannot hold together{without}"],
        hint="relax one of these conditions",
        places=places,
        evidence={"conditions": clashing},
        seconds=result.seconds,
    )


def _always_blocked(
    source: RuleSource,
    blocking: Sequence[SelfBlock],
    result: Decision,
    unblocked: Decision,
    found: Collector,
    prover: Prover,
) -> None:
    rule, witness = source.rule, unblocked.witness
    assert witness is not None
    confirm_blocked(prover.program, rule, witness)
    first = blocking[0]
    who = " or ".join(f"`{block.positive}`" for block in blocking)
    filled: list[Json] = [{"negated": block.negated.variable, "by": block.positive} for block in blocking]
    found.find(
        "self-blocked",
        source.variable_span(first.negated.variable),
        f"`{rule.name}` never matches: in every match {who} itself fills a negated pattern",
        rule=source,
        reason=[
            "an event may fill several patterns, a negated one included: nothing is used up",
            "the machine finds the match in the trace given as evidence if the negated patterns are left out, and "
            "does not find it otherwise",
        ],
        hint=_other_than(prover, first),
        places=[(block.negated.span, f"`{block.positive}` fills `{block.negated.variable}`") for block in blocking],
        evidence={"filled": filled, **witness.record()},
        seconds=result.seconds + unblocked.seconds,
    )


def _other_than(prover: Prover, block: SelfBlock) -> str:
    """A hint: the inequality that tells the absent event from the one that fills its pattern."""
    attributes = prover.templates[block.negated.template].attributes
    scalar = [item.name for item in attributes if item.type in (Scalar.INTEGER, Scalar.STRING)]
    named = [name for name in scalar if name == "id"] or [name for name in scalar if name.lower().endswith("id")]
    if not named:
        return (
            f"say what tells `{block.negated.variable}` from `{block.positive}`; if nothing does, give "
            f"`{block.negated.template}` an attribute that identifies its events"
        )
    return (
        f"if another event is meant, add `{named[0]} != {block.positive}.{named[0]}` to the pattern of "
        f"`{block.negated.variable}`"
    )


# --- Patterns ------------------------------------------------------------------------------------------------------


def pattern_core(rule: core.Rule, pattern: core.Pattern, prover: Prover) -> Decision:
    """Can some event meet the conditions of a pattern that are about it alone?"""
    own: dict[str, Claim] = {
        condition_label(pattern.variable, position): Holds(condition)
        for position, condition in enumerate(pattern.conditions)
        if core.variables_of(condition) <= {pattern.variable}
    }
    name = f"{rule.name}: pattern {pattern.variable}"
    return prover.decide(name, {pattern.variable: pattern.template}, own, why=True)


def _satisfiable(source: RuleSource, pattern: core.Pattern, found: Collector, prover: Prover) -> bool:
    """Whether some event may meet the conditions; what is open may."""
    result = pattern_core(source.rule, pattern, prover)
    if result.possible:
        return True
    places = demands(source.rule, result.core)
    clashing: list[Json] = [label for _, label in places]
    if result.impossible:
        one = len(places) == 1
        found.find(
            "unsatisfiable-pattern",
            source.variable_span(pattern.variable),
            f"no `{pattern.template}` meets the conditions of `{pattern.variable}`",
            rule=source,
            reason=[
                "this condition never holds" if one else f"these {len(places)} conditions cannot hold together",
                "the negated pattern is never filled" if pattern.negated else "the rule never matches",
            ],
            hint="correct the condition" if one else "relax one of these conditions",
            places=places,
            evidence={"conditions": clashing},
            seconds=result.seconds,
        )
    else:
        found.find(
            "unsatisfiable-pattern",
            source.variable_span(pattern.variable),
            f"whether any `{pattern.template}` meets the conditions of `{pattern.variable}` was not decided",
            verdict=Verdict.NOT_PROVED,
            rule=source,
            hint=to_decide(result),
            seconds=result.seconds,
        )
    return not result.impossible


# --- Rules that rule some of their matches out ---------------------------------------------------------------------


def _partly_blocked(source: RuleSource, claims: RuleClaims, block: SelfBlock, found: Collector, prover: Prover) -> None:
    rule, negated = source.rule, block.negated
    name = f"{rule.name}: {block.label}"
    filled = prover.decide(name, claims.variables, {**claims.positive, "filled": block.claim})
    if filled.impossible:
        return
    if filled.witness is None:
        found.find(
            "partly-self-blocked",
            source.variable_span(negated.variable),
            f"whether `{block.positive}` can fill the negated pattern `{negated.variable}` was not decided",
            verdict=Verdict.NOT_PROVED,
            rule=source,
            hint=to_decide(filled),
            seconds=filled.seconds,
        )
        return
    confirm_blocked(prover.program, rule, filled.witness)
    residual = [demand for demand in block.conditions if not _follows(demand, claims, name, prover)]
    windows = [window for window in block.windows if not _follows(window, claims, name, prover)]
    reason = [
        "an event may fill several patterns, a negated one included: nothing is used up",
        *_only_where(residual, bool(windows), claims, name, prover),
    ]
    conditions: list[Json] = [expression_text(demand.condition) for demand in residual]
    found.find(
        "partly-self-blocked",
        source.variable_span(negated.variable),
        f"`{block.positive}` itself may fill the negated pattern `{negated.variable}`, and so rule its own match out",
        rule=source,
        reason=reason,
        hint=_other_than(prover, block),
        places=[(demand.condition.span, f"here: {expression_text(demand.condition)}") for demand in residual],
        evidence={
            "negated": negated.variable,
            "by": block.positive,
            "blocked_where": conditions,
            "blocked_within_windows": bool(windows),
            **filled.witness.record(),
        },
        seconds=filled.seconds,
    )


def _follows(demand: Claim, claims: RuleClaims, name: str, prover: Prover) -> bool:
    """Whether the demand holds in every match anyway."""
    return prover.follows(f"{name}: residue", claims.variables, claims.positive, demand).impossible


def _only_where(residual: Sequence[Holds], windows: bool, claims: RuleClaims, name: str, prover: Prover) -> list[str]:
    """What is left of the rule: where the demands that do not hold in every match are false, or lack a value."""
    false = [demand for demand in residual if not _impossible("false", _is_false(demand), claims, name, prover)]
    lacking = [
        demand
        for demand in residual
        if _may_fail(demand.condition)
        and not _impossible("no value", Not(HasValue(demand.condition)), claims, name, prover)
    ]
    shown = [f"`{opposite_text(demand.condition)}`" for demand in false]
    if windows:
        shown.append("the event lies outside the windows of the negated pattern")
    reason = []
    if shown:
        reason.append(f"the rule can match only where {', or '.join(shown)}")
    if len(false) == 1 and not windows and (ratio := ratio_text(false[0].condition)) is not None:
        reason.append(f"in other words: only where {ratio}")
    if lacking:
        texts = ", or ".join(f"`{expression_text(demand.condition)}`" for demand in lacking)
        also = "it can match also" if shown else "the rule can match only"
        reason.append(f"{also} where an overflow or a division by zero leaves {texts} without value")
    return reason


def _is_false(demand: Holds) -> Claim:
    """The condition has a value, but is not true."""
    return Every((HasValue(demand.condition), Not(demand)))


def _impossible(what: str, claim: Claim, claims: RuleClaims, name: str, prover: Prover) -> bool:
    """Whether a match that the negated patterns do not look at can never meet a claim; what is open may be."""
    return prover.decide(f"{name}: {what}", claims.variables, {**claims.positive, what: claim}).impossible


def _may_fail(condition: core.Expression) -> bool:
    """Whether anything in an expression can be without value."""
    kinds = core.Arithmetic | core.Negation | core.FunctionCall
    return any(isinstance(part, kinds) for part in core.EXPRESSIONS.within(condition))


# --- Conditions that say nothing new -------------------------------------------------------------------------------


def _check_implied(
    source: RuleSource,
    match: Decision,
    negations: Negations,
    found: Collector,
    prover: Prover,
    decision: Guaranteed,
) -> None:
    """Conditions that follow from the others; of two that say the same the later one does.

    Asked only where the others are known to hold together: from what cannot be, everything follows.
    """
    if not match.possible:
        decision.verdict = Verdict.VACUOUS if match.impossible else Verdict.NOT_PROVED
        decision.detail = NEVER_MATCHES if match.impossible else "not asked, as can-match was not decided"
        return
    undecided = [False]
    positive = [
        (pattern.variable, position, condition)
        for pattern in source.rule.positive
        for position, condition in enumerate(pattern.conditions)
    ]
    kept = _thinned(source, positive, [], {}, found, prover, undecided)
    for pattern in source.rule.patterns:
        if pattern.negated and pattern.variable not in negations.useless | negations.undecided:
            own = [(pattern.variable, position, each) for position, each in enumerate(pattern.conditions)]
            _thinned(source, own, kept, {pattern.variable: pattern.template}, found, prover, undecided)
    for pattern in source.rule.patterns:
        if pattern.conditions and pattern.variable in negations.useless:
            decision.verdict, decision.detail = Verdict.VACUOUS, f"`{pattern.variable}` makes no difference"
    if undecided[0] or negations.undecided:
        decision.verdict = Verdict.NOT_PROVED


_Placed = tuple[str, int, core.Expression]
"""A condition with its pattern's variable and its position there."""


def _thinned(
    source: RuleSource,
    conditions: Sequence[_Placed],
    given: Sequence[_Placed],
    extra: dict[str, str],
    found: Collector,
    prover: Prover,
    undecided: list[bool],
) -> list[_Placed]:
    """The conditions that are left when those that follow from the rest, and from `given`, are gone."""
    kept = list(conditions)
    variables = {**{pattern.variable: pattern.template for pattern in source.rule.positive}, **extra}
    for placed in reversed(conditions):
        rest = [other for other in kept if other is not placed]
        related = _related(placed, [*given, *rest])
        premises: dict[str, Claim] = {
            condition_label(variable, position): Holds(condition) for variable, position, condition in related
        }
        if not premises and not _could_be_constant(placed[2]):
            continue
        name = f"{source.rule.name}: implied {condition_label(placed[0], placed[1])}"
        questions = {**premises, "conclusion": Not(Holds(placed[2]))}
        result = prover.decide(name, variables, questions, why=True)
        if result.impossible:
            kept = rest
            _implied(source, placed, result, found)
        elif not result.impossible and not result.possible:
            undecided[0] = True
    return kept


def _implied(source: RuleSource, placed: _Placed, result: Decision, found: Collector) -> None:
    places = demands(source.rule, [label for label in result.core if label != "conclusion"])
    text = expression_text(placed[2])
    by: list[Json] = [label for _, label in places]
    found.find(
        "implied-condition",
        placed[2].span,
        f"`{text}` follows from the other conditions" if places else f"`{text}` always holds",
        rule=source,
        hint="remove it: the rule means the same without it",
        places=places,
        evidence={"condition": text, "by": by},
        seconds=result.seconds,
    )


def _related(placed: _Placed, others: Sequence[_Placed]) -> list[_Placed]:
    """The conditions that can have to do with one: through shared attributes and predicates, directly or not."""
    reached = _names(placed[2])
    waiting = list(others)
    related: list[_Placed] = []
    while True:
        joining = [other for other in waiting if not reached.isdisjoint(_names(other[2]))]
        if not joining:
            order = {id(other): number for number, other in enumerate(others)}
            return sorted(related, key=lambda other: order[id(other)])
        for other in joining:
            reached |= _names(other[2])
        related.extend(joining)
        waiting = [other for other in waiting if all(other is not each for each in joining)]


def _names(condition: core.Expression) -> set[str]:
    names: set[str] = set()
    for part in core.EXPRESSIONS.within(condition):
        if isinstance(part, core.AttributeOf):
            names.add(f"{part.variable}.{part.attribute}")
        elif isinstance(part, core.PredicateCall):
            names.add(f"{part.predicate}()")
    return names


def _could_be_constant(condition: core.Expression) -> bool:
    """Whether a condition may hold of all events: not if it is an attribute, or compares two."""
    if not isinstance(condition, core.Comparison):
        return not isinstance(condition, core.AttributeOf)
    attributes = [side for side in (condition.left, condition.right) if isinstance(side, core.AttributeOf)]
    if len(attributes) == 2:
        return attributes[0] == attributes[1]
    return True
