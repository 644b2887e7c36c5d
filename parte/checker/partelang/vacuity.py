"""Vacuity: patterns that no event fits, rules that never match or rule their own matches out, redundant conditions
(specification: guarantees).

If the solver finds events, the sound machine runs on them and must confirm the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from parte.checker.partelang.alternatives import check_alternatives
from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.findings import Decision as Guaranteed
from parte.checker.partelang.negations import NEVER_MATCHES, Negations, check_negations
from parte.checker.partelang.prover import Decision, Prover
from parte.checker.partelang.replay import confirm_blocked, confirm_match
from parte.checker.partelang.rule_claims import RuleClaims, SelfBlock, claims_of, condition_label
from parte.checker.partelang.set_claims import Sets, check_sets
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


def check_vacuity(source: RuleSource, time: TimeAnalysis, collector: Collector, prover: Prover) -> None:
    """Check whether the rule can match, what prevents it, and which of its conditions are redundant."""
    rule, claims = source.rule, claims_of(source.rule)
    with collector.deciding("can-match", source) as decision:
        if time.table.contradictory:
            result = Decision(Status.UNSATISFIABLE)
            decision.verdict, decision.detail = Verdict.REFUTED, "its windows exclude each other"
        else:
            name = f"{rule.name}: can match"
            result = prover.decide(name, claims.variables, claims.match, why=True, scene=claims.scene)
            _can_match(source, claims, result, collector, prover, decision)
    unfilled = {clash.variable for clash in time.clashes if clash.variable is not None}
    with collector.deciding("satisfiable-patterns", source):
        for pattern in rule.written.patterns:
            unknown = not (pattern.positive and result.possible)
            if unknown and not _satisfiable(source, pattern, collector, prover):
                unfilled |= set() if pattern.positive else {pattern.variable}
    with collector.deciding("no-self-blocking", source) as decision:
        if result.impossible:
            decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
        for block in claims.blocks if not result.impossible else ():
            if block.negated.selects is not None:
                continue  # that an event of the match may be chosen is what a selection means
            _partly_blocked(source, claims, block, collector, prover)
    negations = check_negations(source, collector, prover, idle=unfilled, never=result.impossible)
    sets = check_sets(source, result, collector, prover, empty=unfilled)
    check_alternatives(source, collector, prover)
    with collector.deciding("every-condition-counts", source) as decision:
        _check_implied(source, result, negations, sets, collector, prover, decision)


def _can_match(
    source: RuleSource, claims: RuleClaims, result: Decision, collector: Collector, prover: Prover, decision: Guaranteed
) -> None:
    rule = source.rule
    if result.witness is not None:
        confirm_match(prover.program, rule, result.witness)
        decision.detail = "the machine matches the trace that the solver found"
        decision.evidence.update(result.witness.record())
    elif result.impossible:
        decision.verdict = Verdict.REFUTED
        _never(source, claims, result, collector, prover)
    else:
        collector.find(
            "never-matches",
            source.name_span,
            f"whether `{rule.name}` can match at all was not decided",
            verdict=Verdict.NOT_PROVED,
            rule=source,
            hint=to_decide(result),
            seconds=result.seconds,
        )


# --- Rules that never match ----------------------------------------------------------------------------------------


def _never(source: RuleSource, claims: RuleClaims, result: Decision, collector: Collector, prover: Prover) -> None:
    rule = source.rule
    blocking = [block for block in claims.blocks if block.label in result.core]
    if blocking:
        # The core is minimal, so without these blocks the rest can hold: a match that its own events rule out.
        name, scene = f"{rule.name}: without negation", replace(claims.scene, absent=())
        unblocked = prover.decide(name, claims.variables, claims.unblocked, why=True, scene=scene)
        if unblocked.witness is not None:
            _always_blocked(source, blocking, result, unblocked, collector, prover)
            return
        result = unblocked if unblocked.impossible else result
    if any(pattern_core(rule, pattern, prover).impossible for pattern in rule.positive):
        return  # the finding about the pattern says it
    places = demands(rule, result.core)
    clashing: list[Json] = [label for _, label in places]
    without = ", though without any one of them they can" if result.minimal else ""
    only_having = result.core != () and set(result.core) <= set(claims.having)
    beside = ", whatever events are in the sets" if set(result.core) & set(claims.having) else ""
    single = len(places) == 1
    collector.find(
        "unsatisfiable-having" if only_having else "never-matches",
        places[0][0] if only_having else source.name_span,
        f"no sets meet `having` of `{rule.name}`"
        if only_having
        else f"no events match `{rule.name}`: its conditions exclude each other",
        rule=source,
        reason=[
            f"this condition never holds{beside}"
            if single
            else f"these {len(places)} conditions cannot hold together{beside}{without}"
        ],
        hint="correct the condition" if single else "relax one of these conditions",
        places=places,
        evidence={"conditions": clashing},
        seconds=result.seconds,
    )


def _always_blocked(
    source: RuleSource,
    blocking: Sequence[SelfBlock],
    result: Decision,
    unblocked: Decision,
    collector: Collector,
    prover: Prover,
) -> None:
    rule, witness = source.rule, unblocked.witness
    assert witness is not None
    confirm_blocked(prover.program, rule, witness)
    first = blocking[0]
    who = " or ".join(f"`{block.positive}`" for block in blocking)
    filled: list[Json] = [{"negated": block.negated.variable, "by": block.positive} for block in blocking]
    if all(block.negated.selects is not None for block in blocking):
        _never_selected(source, blocking, result, unblocked, collector)
        return
    collector.find(
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
        places=[(block.negated.span, _filling(block)) for block in blocking],
        evidence={"filled": filled, **witness.record()},
        seconds=result.seconds + unblocked.seconds,
    )


def _filling(block: SelfBlock) -> str:
    selection = block.negated.selects
    if selection is None:
        return f"`{block.positive}` fills `{block.negated.variable}`"
    return f"`{block.positive}` could be `{block.negated.variable}`, and comes {_SIDES[selection.event]}"


_SIDES = {"first": "before it", "last": "after it"}


def _never_selected(
    source: RuleSource, blocking: Sequence[SelfBlock], result: Decision, unblocked: Decision, collector: Collector
) -> None:
    """Report a rule in all of whose matches another event would be the one that is selected."""
    rule, witness = source.rule, unblocked.witness
    assert witness is not None
    first = blocking[0]
    assert first.negated.selects is not None
    filled: list[Json] = [{"negated": block.negated.variable, "by": block.positive} for block in blocking]
    collector.find(
        "self-blocked",
        source.variable_span(first.negated.selects.variable),
        f"`{rule.name}` never matches: in every match another of its events could be `{first.negated.variable}`, "
        f"and comes {_SIDES[first.negated.selects.event]}",
        rule=source,
        reason=["an event may fill several patterns, and the events of a match take part in the choice"],
        hint=f"let the pattern of `{first.negated.selects.variable}` say what `{first.positive}` does not meet",
        places=[(block.negated.span, _filling(block)) for block in blocking],
        evidence={"filled": filled, **witness.record()},
        seconds=result.seconds + unblocked.seconds,
    )


def _other_than(prover: Prover, block: SelfBlock) -> str:
    """Return a hint: the inequality that distinguishes the absent event from the one that fills its pattern."""
    attributes = prover.templates[block.negated.template].attributes
    scalar = [item.name for item in attributes if item.type in (Scalar.INTEGER, Scalar.STRING)]
    named = [name for name in scalar if name == "id"] or [name for name in scalar if name.lower().endswith("id")]
    if not named:
        return (
            f"state how `{block.negated.variable}` differs from `{block.positive}`; if nothing does, give "
            f"`{block.negated.template}` an attribute that identifies its events"
        )
    return (
        f"if another event is meant, add `{named[0]} != {block.positive}.{named[0]}` to the pattern of "
        f"`{block.negated.variable}`"
    )


# --- Patterns ------------------------------------------------------------------------------------------------------


def pattern_core(rule: core.Rule, pattern: core.Pattern, prover: Prover) -> Decision:
    """Decide whether some event can meet the conditions of a pattern on this event alone."""
    own: dict[str, Claim] = {
        condition_label(pattern.variable, position): Holds(condition)
        for position, condition in enumerate(pattern.conditions)
        if core.variables_of(condition) <= {pattern.variable}
    }
    name = f"{rule.name}: pattern {pattern.variable}"
    return prover.decide(name, {pattern.variable: pattern.template}, own, why=True)


def _satisfiable(source: RuleSource, pattern: core.Pattern, collector: Collector, prover: Prover) -> bool:
    """Return whether some event may meet the conditions; True if that was not decided."""
    result = pattern_core(source.rule, pattern, prover)
    if result.possible:
        return True
    places = demands(source.rule, result.core)
    clashing: list[Json] = [label for _, label in places]
    if result.impossible:
        single = len(places) == 1
        collector.find(
            "unsatisfiable-pattern",
            source.variable_span(pattern.variable),
            f"no `{pattern.template}` meets the conditions of `{pattern.variable}`",
            rule=source,
            reason=[
                "this condition never holds" if single else f"these {len(places)} conditions cannot hold together",
                ("this case of the rule never matches" if source.rule.case else "the rule never matches")
                if pattern.positive
                else "the negated pattern is never filled"
                if pattern.negated
                else "the set is always empty",
            ],
            hint="correct the condition" if single else "relax one of these conditions",
            places=places,
            evidence={"conditions": clashing},
            seconds=result.seconds,
        )
    else:
        collector.find(
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


def _partly_blocked(
    source: RuleSource, claims: RuleClaims, block: SelfBlock, collector: Collector, prover: Prover
) -> None:
    rule, negated = source.rule, block.negated
    name = f"{rule.name}: {block.label}"
    scene = replace(claims.scene, absent=())
    filled = prover.decide(name, claims.variables, {**claims.unblocked, "filled": block.claim}, scene=scene)
    if filled.impossible:
        return
    if filled.witness is None:
        collector.find(
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
    collector.find(
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
    """Return whether the demand holds in every match anyway."""
    return prover.follows(f"{name}: residue", claims.variables, claims.positive, demand).impossible


def _only_where(residual: Sequence[Holds], windows: bool, claims: RuleClaims, name: str, prover: Prover) -> list[str]:
    """Return sentences on where the rule can match: where a demand that may fail is false or has no value."""
    false = [demand for demand in residual if not _impossible("false", _is_false(demand), claims, name, prover)]
    lacking = [
        demand
        for demand in residual
        if _may_fail(demand.condition)
        and not _impossible("no value", Not(HasValue(demand.condition)), claims, name, prover)
    ]
    places = [f"`{opposite_text(demand.condition)}`" for demand in false]
    if windows:
        places.append("the event lies outside the windows of the negated pattern")
    reason = []
    if places:
        reason.append(f"the rule can match only where {', or '.join(places)}")
    if len(false) == 1 and not windows and (ratio := ratio_text(false[0].condition)) is not None:
        reason.append(f"in other words: only where {ratio}")
    if lacking:
        texts = ", or ".join(f"`{expression_text(demand.condition)}`" for demand in lacking)
        also = "it can match also" if places else "the rule can match only"
        optional = any(_is_optional(part) for demand in lacking for part in core.EXPRESSIONS.within(demand.condition))
        cause = (
            "an overflow, a division by zero or a missing attribute"
            if optional
            else "an overflow or a division by zero"
        )
        reason.append(f"{also} where {cause} leaves {texts} without value")
    return reason


def _is_false(demand: Holds) -> Claim:
    """Return the claim that the condition has a value, but is not true."""
    return Every((HasValue(demand.condition), Not(demand)))


def _impossible(what: str, claim: Claim, claims: RuleClaims, name: str, prover: Prover) -> bool:
    """Return whether no match of the positive patterns can meet a claim; False if that was not decided."""
    return prover.decide(f"{name}: {what}", claims.variables, {**claims.positive, what: claim}).impossible


def _may_fail(condition: core.Expression) -> bool:
    """Return whether any part of an expression can be without value."""
    kinds = core.Arithmetic | core.Negation | core.FunctionCall | core.PatternTest | core.ClockReading
    return any(isinstance(part, kinds) or _is_optional(part) for part in core.EXPRESSIONS.within(condition))


def _is_optional(part: core.Expression) -> bool:
    return isinstance(part, core.AttributeOf) and part.optional


# --- Redundant conditions
# --------------------------------------------------------------------------------------------


def _check_implied(
    source: RuleSource,
    match: Decision,
    negations: Negations,
    sets: Sets,
    collector: Collector,
    prover: Prover,
    decision: Guaranteed,
) -> None:
    """Check for conditions that follow from the others; of two equivalent ones, the later one does.

    Only decided if the others are known to hold together: from a contradiction, everything follows.
    """
    if not match.possible:
        decision.verdict = Verdict.VACUOUS if match.impossible else Verdict.NOT_PROVED
        decision.detail = NEVER_MATCHES if match.impossible else "not asked, as can-match was not decided"
        return
    undecided = [False]
    selected = source.rule.selections
    choosing: dict[str, list[_Placed]] = {}
    plain: list[_Placed] = []
    for pattern in source.rule.positive:
        own = [(pattern.variable, position, condition) for position, condition in enumerate(pattern.conditions)]
        number = len(own) - len(source.rule.conditions_behind(pattern)) if pattern.variable in selected else 0
        choosing[pattern.variable] = own[:number]
        plain += own[number:]
    remaining = _thinned(source, plain, list(chain(*choosing.values())), {}, collector, prover, undecided)
    for number, conditions in enumerate(choosing.values()):
        # What follows a selected event has no part in the choice, so nothing behind makes a condition redundant.
        before = list(choosing)[:number]
        known = [placed for placed in remaining if placed[0] in before]
        remaining += _thinned(source, conditions, known, {}, collector, prover, undecided)
    left_out = negations.useless | negations.undecided | sets.empty | sets.undecided
    for pattern in source.rule.written.patterns:
        if not pattern.positive and pattern.variable not in left_out:
            own = [
                (pattern.variable, position, own_condition) for position, own_condition in enumerate(pattern.conditions)
            ]
            _thinned(source, own, remaining, {pattern.variable: pattern.template}, collector, prover, undecided)
    for pattern in source.rule.written.patterns:
        if pattern.conditions and pattern.variable in negations.useless:
            decision.verdict, decision.detail = Verdict.VACUOUS, f"`{pattern.variable}` makes no difference"
        if pattern.conditions and pattern.variable in sets.empty:
            decision.verdict, decision.detail = Verdict.VACUOUS, f"`{pattern.variable}` is always empty"
    if undecided[0] or negations.undecided or sets.undecided:
        decision.verdict = Verdict.NOT_PROVED


_Placed = tuple[str, int, core.Expression]
"""A condition with its pattern's variable and its position there."""


def _thinned(
    source: RuleSource,
    conditions: Sequence[_Placed],
    known: Sequence[_Placed],
    extra: dict[str, str],
    collector: Collector,
    prover: Prover,
    undecided: list[bool],
) -> list[_Placed]:
    """Return the conditions that remain after those that follow from the rest, and from `known`, are removed."""
    remaining = list(conditions)
    variables = {**{pattern.variable: pattern.template for pattern in source.rule.positive}, **extra}
    for placed in reversed(conditions):
        rest = [candidate for candidate in remaining if candidate is not placed]
        related = _related(placed, [*known, *rest])
        premises: dict[str, Claim] = {
            condition_label(variable, position): Holds(condition) for variable, position, condition in related
        }
        if not premises and not _could_be_constant(placed[2]):
            continue
        name = f"{source.rule.name}: implied {condition_label(placed[0], placed[1])}"
        questions = {**premises, "conclusion": Not(Holds(placed[2]))}
        result = prover.decide(name, variables, questions, why=True)
        if result.impossible:
            remaining = rest
            _implied(source, placed, result, collector)
        elif not result.impossible and not result.possible:
            undecided[0] = True
    return remaining


def _implied(source: RuleSource, placed: _Placed, result: Decision, collector: Collector) -> None:
    places = demands(source.rule, [label for label in result.core if label != "conclusion"])
    text = expression_text(placed[2])
    by: list[Json] = [label for _, label in places]
    collector.find(
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
    """Return the conditions that can affect a condition: through shared attributes and predicates, directly or not."""
    reached = _names(placed[2])
    waiting = list(others)
    related: list[_Placed] = []
    while True:
        joining = [candidate for candidate in waiting if not reached.isdisjoint(_names(candidate[2]))]
        if not joining:
            order = {id(candidate): number for number, candidate in enumerate(others)}
            return sorted(related, key=lambda candidate: order[id(candidate)])
        for candidate in joining:
            reached |= _names(candidate[2])
        related.extend(joining)
        waiting = [candidate for candidate in waiting if all(candidate is not joined for joined in joining)]


def _names(condition: core.Expression) -> set[str]:
    names: set[str] = set()
    for part in core.EXPRESSIONS.within(condition):
        if isinstance(part, core.AttributeOf):
            names.add(f"{part.variable}.{part.attribute}")
        elif isinstance(part, core.TimestampOf | core.ClockReading):
            names.add(f"{part.variable}.timestamp")
        elif isinstance(part, core.PredicateCall):
            names.add(f"{part.predicate}()")
    return names


def _could_be_constant(condition: core.Expression) -> bool:
    """Return whether a condition may hold of all events: not if it is an attribute, or compares two."""
    if not isinstance(condition, core.Comparison):
        return not isinstance(condition, core.AttributeOf)
    attributes = [side for side in (condition.left, condition.right) if isinstance(side, core.AttributeOf)]
    if len(attributes) == 2:
        return attributes[0] == attributes[1]
    return True
