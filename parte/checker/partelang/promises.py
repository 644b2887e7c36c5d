"""The guarantees that a program needs to run: strata, bounded time, monotone `at`; and the constraints of `when`."""

from __future__ import annotations

from parte.checker.partelang.findings import Collector
from parte.checker.partelang.monotone import Monotone, check_at, instants_of
from parte.checker.partelang.sources import RuleSource, constraint_text, interval_text
from parte.checker.partelang.stratification import Demand, stratify
from parte.checker.partelang.windows import Clash, TimeAnalysis, analyse
from parte.checker.report.contents import Json
from parte.checker.solver.queries import Session
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.duration import duration_text
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.timestamps import alternatives
from parte.semantics.source.spans import Position, Span


def check_strata(program: core.Program, collector: Collector, session: Session) -> dict[str, int]:
    """Check stratification. Return the strata, or nothing if there are none."""
    with collector.deciding("stratified") as decision:
        result = stratify(program, collector.sources.rules, session)
        if result.strata is not None:
            highest = max(result.strata.values(), default=0)
            decision.detail = f"{highest + 1} {'stratum' if highest == 0 else 'strata'}"
            decision.evidence["strata"] = dict(result.strata)
            return dict(result.strata)
        if result.cycle:
            _recursive(result.cycle, collector)
        else:
            collector.find(
                "recursive-rules",
                Span(Position(1, 1), Position(1, 1)),
                "whether the rules have strata was not decided in time",
                verdict=Verdict.NOT_PROVED,
                hint="allow more time by `--timeout`",
            )
    return {}


def _recursive(cycle: tuple[Demand, ...], collector: Collector) -> None:
    last = cycle[-1]
    name, template = last.rule.rule.reported, last.emits
    path = f"`{cycle[0].reacts_to}`" + "".join(
        f" → rule `{demand.rule.rule.reported}` → `{demand.emits}`" for demand in cycle
    )
    how = "to which it reacts" if len(cycle) == 1 else "to which it reacts through other rules"
    steps: list[Json] = [
        {"reacts_to": demand.reacts_to, "rule": demand.rule.rule.reported, "emits": demand.emits} for demand in cycle
    ]
    collector.find(
        "recursive-rules",
        last.rule.emitted_span(last.position),
        f"the rule `{name}` emits `{template}`, {how}",
        rule=last.rule,
        reason=[
            f"the shortest cycle is {path}",
            "each step needs a stratum above the one before, which no integers give",
        ],
        hint="emit another template, declared for this purpose",
        places=[
            (demand.rule.emitted_span(demand.position), f"`{demand.rule.rule.reported}` emits `{demand.emits}`")
            for demand in cycle[:-1]
        ],
        evidence={"cycle": steps},
    )


# --- Time ----------------------------------------------------------------------------------------------------------


def check_time(source: RuleSource, collector: Collector, session: Session) -> TimeAnalysis:
    """Check the closure of a rule's `when`, and return it.

    Whether negations have an effect does not depend on time alone (`vacuity`).
    """
    rule = source.rule
    analysis = analyse(rule, session)
    with collector.deciding("bounded-time", source) as decision:
        if not analysis.certified:
            collector.find(
                "unrelated-variables",
                source.name_span,
                f"the closure of `when` of `{rule.reported}` was not certified in time",
                verdict=Verdict.NOT_PROVED,
                rule=source,
                hint="allow more time by `--timeout`",
            )
        decision.detail = "" if analysis.table.contradictory else f"{len(analysis.table.distances)} distances"
        _unrelated(source, analysis, collector)
        _unbounded_negations(source, collector)
        _unbounded_sets(source, collector)
    with collector.deciding("consistent-windows", source):
        for clash in analysis.clashes:
            if clash.variable is None:
                _contradiction(source, clash, collector)
    for clash in analysis.clashes:
        if clash.variable is not None:
            _nowhere(source, clash.variable, clash, collector)
    with collector.deciding("every-constraint-counts", source) as decision:
        if analysis.clashes:
            decision.verdict, decision.detail = Verdict.VACUOUS, "from windows that exclude each other all follows"
        _loose(source, analysis, collector)
    return analysis


def _unrelated(source: RuleSource, analysis: TimeAnalysis, collector: Collector) -> None:
    """Add a finding for each group of variables that nothing relates to the first variable of the rule."""
    positive = [pattern.variable for pattern in source.rule.positive]
    leaders: list[str] = []
    for variable in positive:
        if all((variable, leader) in analysis.unrelated for leader in leaders):
            leaders.append(variable)
    pairs: list[Json] = [[subject, reference] for subject, reference in analysis.unrelated]
    for leader in leaders[1:]:
        collector.find(
            "unrelated-variables",
            source.variable_span(leader),
            f"nothing bounds the time between `{leader}` and `{positive[0]}`",
            rule=source,
            reason=["events would have to be kept for ever: no history of finite size is enough"],
            hint=f"relate them in `when`: `{leader} in {positive[0]} [0 days, 14 days]`",
            evidence={"pairs": pairs},
        )


def _unbounded_negations(source: RuleSource, collector: Collector) -> None:
    constrained = {constraint.subject for constraint in source.rule.constraints if constraint.negated}
    for pattern in source.rule.patterns:
        if pattern.negated and pattern.variable not in constrained:
            first = source.rule.positive[0].variable
            collector.find(
                "unbounded-negation",
                source.variable_span(pattern.variable),
                f"nothing bounds the time in which `{pattern.variable}` must be absent",
                rule=source,
                reason=["the rule would wait for ever before it may match"],
                hint=f"bound it in `when`: `no {pattern.variable} in {first} [0 days, 14 days]`",
            )


def _unbounded_sets(source: RuleSource, collector: Collector) -> None:
    constrained = {constraint.subject for constraint in source.rule.constraints}
    for pattern in source.rule.collected:
        if pattern.variable not in constrained:
            first = source.rule.positive[0].variable
            collector.find(
                "unbounded-set",
                source.variable_span(pattern.variable),
                f"nothing bounds the time of the events of the set `{pattern.variable}`",
                rule=source,
                reason=["the rule would wait for ever before the set is complete"],
                hint=f"bound it in `when`: `{pattern.variable} in {first} [-1 hours, 0 ms]`",
            )


def _contradiction(source: RuleSource, clash: Clash, collector: Collector) -> None:
    clashing: list[Json] = [constraint_text(constraint, source.rule) for constraint in clash.constraints]
    collector.find(
        "contradictory-windows",
        source.name_span,
        f"the windows of `{source.rule.reported}` exclude each other: it never matches",
        rule=source,
        reason=[*_exclude(clash), *([_RANGE] if clash.ranged else [])],
        hint="narrow one of these windows" if clash.ranged else "widen one of these windows",
        places=[(constraint.span, constraint_text(constraint, source.rule)) for constraint in clash.constraints],
        evidence={"constraints": clashing},
    )


_RANGE = "timestamps are 64-bit integers: none is so far from another as these constraints demand"


def _exclude(clash: Clash) -> list[str]:
    """Return the reason that constraints cannot hold together, as a sentence."""
    number = len(clash.constraints)
    if number == 1:
        return ["this constraint cannot hold"]
    without = ", though without any one of them they can" if clash.minimal else ""
    return [f"these {number} constraints cannot hold together{without}"]


def _nowhere(source: RuleSource, variable: str, clash: Clash, collector: Collector) -> None:
    """Add the finding about a negated pattern, or a set, that no event is in time for."""
    of_set = any(pattern.variable == variable for pattern in source.rule.collected)
    consequence = "the set is always empty" if of_set else "the negation never applies"
    clashing: list[Json] = [constraint_text(constraint, source.rule) for constraint in clash.constraints]
    collector.find(
        "empty-set" if of_set else "contradictory-negation",
        source.variable_span(variable),
        f"no event lies in all windows of `{variable}`: {consequence}",
        rule=source,
        reason=[*_exclude(clash), *([_RANGE] if clash.ranged else [])],
        hint=f"widen one of these windows, or write two {'sets' if of_set else 'negated patterns'}",
        places=[(constraint.span, constraint_text(constraint, source.rule)) for constraint in clash.constraints],
        evidence={"constraints": clashing},
    )


def _loose(source: RuleSource, analysis: TimeAnalysis, collector: Collector) -> None:
    for looseness in analysis.loose:
        constraint = looseness.constraint
        written = constraint_text(constraint, source.rule)
        if looseness.tight is None:
            collector.find(
                "redundant-constraint",
                constraint.span,
                f"`{written}` follows from the other constraints",
                rule=source,
                hint="remove it: the rule means the same without it",
                evidence={"constraint": written},
            )
        else:
            tight = interval_text(*looseness.tight)
            collector.find(
                "loose-constraint",
                constraint.span,
                f"the other constraints narrow `{written}` to {tight}",
                rule=source,
                hint=f"write {tight}: the rule means the same, and says it",
                evidence={"constraint": written, "lower": looseness.tight[0], "upper": looseness.tight[1]},
            )


# --- The time of emissions -----------------------------------------------------------------------------------------


def check_emissions(source: RuleSource, collector: Collector, session: Session) -> None:
    """Check that `at` is monotone, for each emission."""
    variables = [pattern.variable for pattern in source.rule.positive]
    with collector.deciding("monotone-at", source):
        for position, emission in enumerate(source.rule.emissions):
            name = f"{source.rule.name}: at of emission {position + 1}"
            moving = [*variables, *instants_of(emission.at)]
            report_at(check_at(emission, variables, session, name), source, position, moving, collector)


def report_at(result: Monotone, source: RuleSource, position: int, variables: list[str], collector: Collector) -> None:
    """Add the finding about an `at`, if it is not proved monotone."""
    if result.verdict is Verdict.PROVED:
        return
    reason: list[str] = []
    evidence: dict[str, Json] = {}
    if result.verdict is Verdict.REFUTED:
        evidence = {
            "bounds": dict(zip(variables, result.lower, strict=True)),
            "timestamps": dict(zip(variables, result.upper, strict=True)),
        }
        moved = ", ".join(
            f"{variable} from {duration_text(low)} to {duration_text(high)}"
            for variable, low, high in zip(variables, result.lower, result.upper, strict=True)
            if low != high
        )
        reason = [f"moving {moved} makes the emitted event earlier, so a bound on the one does not bound the other"]
    emission = f"emission {position + 1} of `{source.rule.reported}`"
    collector.find(
        "non-monotone-at",
        source.at_span(position),
        f"{emission} has no sound bound: its time decreases as events come later"
        if reason
        else f"whether the time of {emission} never decreases was not decided",
        verdict=result.verdict,
        rule=source,
        reason=reason,
        hint=f"let `at` shift, or combine by {alternatives()}, the timestamps of positive variables",
        evidence=evidence,
    )
