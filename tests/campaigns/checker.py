"""Every claim of the checker on wild programs, attacked with the event algebra: what is proved, refuted, advised."""

from __future__ import annotations

import random
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from parte.algebra.partelang.programs import run
from parte.checker.partelang.check import check
from parte.checker.partelang.relations import equivalent, subsumed
from parte.checker.partelang.replay import without_negation
from parte.checker.report.contents import Finding, Guarantee, Report
from parte.checker.report.json_form import report_to_text
from parte.checker.report.text import render
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.domain import Domain, Predicates, bind_domain, read_domain
from parte.semantics.events.event import Event
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.expressions import compile_timestamp
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns import wild
from tests.campaigns.running import Broken
from tests.campaigns.wild import Wild

TIMEOUT = 2.0
"""Seconds for one question of the checker."""

OVERRUN = 2.0
"""Seconds by which it may be late."""

MEMORY = 2**20
"""Kilobytes that this process may come to hold."""

Matches = set[tuple[tuple[str, str], ...]]


class Checker:
    """The campaign."""

    name = "checker"

    def draw(self, source: random.Random) -> Wild:
        """A wild program."""
        return wild.wild(source)

    def smaller(self, case: Wild) -> Iterator[Wild]:
        """The case with less of it."""
        return wild.smaller(case)

    def show(self, case: Wild) -> str:
        """The program and its traces."""
        return case.show()

    def attack(self, case: Wild, counts: Counter[str]) -> None:
        """Check the program, and attack all that is said of it."""
        try:
            program = parse(case.text)
        except ProgramError as error:
            counts[f"no program: {error.diagnostics[0].code}"] += 1
            return
        domain = None if case.domain is None else read_domain(cast(Mapping[str, object], case.tables))
        before = peak()
        report = check(case.text, domain=domain, timeout=TIMEOUT)
        within_memory(before)
        _within_budget(report)
        render(report, verbose=True)
        report_to_text(report)
        for guarantee in report.guarantees:
            counts[f"{guarantee.name}: {guarantee.verdict.value}"] += 1
        _strata(program, report)
        for rule in program.rules:
            _Attack(program, rule, report, domain, case, counts).run()


def _within_budget(report: Report) -> None:
    for query in report.queries:
        if query.seconds > TIMEOUT + OVERRUN:
            raise Broken("a question takes longer than it may", f"{query.name}: {query.seconds:.1f} s")
    if report.seconds > (len(report.queries) + 1) * TIMEOUT + OVERRUN:
        raise Broken("a check takes longer than its questions may", f"{report.seconds:.1f} s")
    query_seconds = sum(query.seconds for query in report.queries)
    if report.seconds - query_seconds > OVERRUN + 0.05 * len(report.queries):
        raise Broken("a check takes long beside its questions", f"{report.seconds - query_seconds:.1f} s")


def peak() -> int:
    """The greatest memory that this process has had so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def within_memory(before: int) -> None:
    """Raise Broken if the peak has grown by more than 1 GiB since it was `before`: in a process that has done other
    work, as one that runs tests has, the peak itself says nothing."""
    if peak() - before > MEMORY:
        raise Broken("more than 1 GiB of memory")


def _strata(program: core.Program, report: Report) -> None:
    for rule in program.rules:
        for pattern in rule.patterns:
            for emission in rule.emissions:
                if report.strata and not report.strata[pattern.template] < report.strata[emission.template]:
                    raise Broken("strata that are none", rule.name)


class _Attack:
    """What was said of one rule, against the matches that the algebra finds on many traces."""

    def __init__(
        self,
        program: core.Program,
        rule: core.Rule,
        report: Report,
        domain: Domain | None,
        case: Wild,
        counts: Counter[str],
    ) -> None:
        self.program, self.rule, self.report, self.counts = program, rule, report, counts
        self.domain = domain
        predicates = {} if domain is None else bind_domain(program, domain)
        # Without a domain what is proved holds of any: each trace is given one of its own.
        self.traces = [
            (events, predicates or _some_domain(program, number)) for number, events in enumerate(case.traces)
        ]

    def run(self) -> None:
        """All attacks."""
        self.time()
        self.emissions()
        self.can_match()
        self.patterns()
        self.self_blocking()
        self.negations()
        self.conditions()

    # --- What is known of the rule ---------------------------------------------------------------------------------

    def guarantee(self, name: str) -> Guarantee:
        return next(
            guarantee
            for guarantee in self.report.guarantees
            if guarantee.name == name and guarantee.rule == self.rule.name
        )

    def verdict(self, name: str) -> Verdict:
        return self.guarantee(name).verdict

    def findings(self, code: str) -> list[Finding]:
        return [finding for finding in self.report.of(code) if finding.rule == self.rule.name]

    def matches(self, rule: core.Rule, events: Iterable[Event], domain: Predicates) -> Matches:
        self.counts["traces run"] += 1
        alone = replace(self.program, rules=(replace(rule, emissions=()),))
        return {match.bindings for match in run(alone, events, domain, evaluator="indexed").matches}

    def same(self, what: str, changed: core.Rule) -> None:
        """The rule and another have the same matches on every trace."""
        for events, domain in self.traces:
            if self.matches(self.rule, events, domain) != self.matches(changed, events, domain):
                raise Broken(what, f"{self.rule.name} on {_shown(events)}")

    def replayed(
        self, what: str, rule: core.Rule, evidence: Mapping[str, object]
    ) -> tuple[bool, tuple[Event, ...], Predicates]:
        """Whether the rule has the match of the evidence on its trace."""
        trace = cast(list[dict[str, object]], evidence["trace"])
        events = tuple(
            Event(str(e["id"]), str(e["template"]), cast(int, e["timestamp"]), cast(dict[str, int], e["attributes"]))
            for e in trace
        )
        domain = self.of_evidence(evidence)
        bound = cast(Mapping[str, str], evidence["bindings"])
        wanted = tuple((pattern.variable, bound[pattern.variable]) for pattern in rule.positive)
        self.counts[f"replayed: {what}"] += 1
        return wanted in self.matches(rule, events, domain), events, domain

    def of_evidence(self, evidence: Mapping[str, object]) -> Predicates:
        if self.domain is not None:
            return bind_domain(self.program, self.domain)
        tables = cast(dict[str, object], evidence["domain"])
        lacking: dict[str, object] = {predicate.name: {"true_for": []} for predicate in self.program.predicates}
        return bind_domain(self.program, read_domain({**lacking, **tables}))

    # --- Time ------------------------------------------------------------------------------------------------------

    def time(self) -> None:
        among = [constraint for constraint in self.rule.constraints if not constraint.negated]
        times = feasible([pattern.variable for pattern in self.rule.positive], among)
        if self.verdict("consistent-windows") is not (Verdict.REFUTED if times is None else Verdict.PROVED):
            raise Broken("windows that leave room, or do not", f"{self.rule.name}: {times}")
        removed = [finding.span for finding in self.findings("redundant-constraint")]
        constraints = tuple(constraint for constraint in self.rule.constraints if constraint.span not in removed)
        tight = {
            finding.span: (cast(int, finding.evidence["lower"]), cast(int, finding.evidence["upper"]))
            for finding in self.findings("loose-constraint")
        }
        constraints = tuple(
            replace(constraint, lower=tight[constraint.span][0], upper=tight[constraint.span][1])
            if constraint.span in tight
            else constraint
            for constraint in constraints
        )
        if removed or tight:
            self.same("advice about windows changes the rule", replace(self.rule, constraints=constraints))
        elif self.verdict("every-constraint-counts") is Verdict.PROVED:
            self.each_constraint_counts()

    def each_constraint_counts(self) -> None:
        """Without any one constraint there are times that it does not allow."""
        positive = [pattern.variable for pattern in self.rule.positive]
        for constraint in self.rule.constraints:
            rest = [
                candidate
                for candidate in self.rule.constraints
                if candidate is not constraint and (not candidate.negated or candidate.subject == constraint.subject)
            ]
            variables = [*positive, constraint.subject] if constraint.negated else positive
            beyond = [
                replace(constraint, lower=constraint.upper + 1, upper=2**65),
                replace(constraint, lower=-(2**65), upper=constraint.begins - 1),
            ]
            if all(feasible(variables, [*rest, constraint]) is None for constraint in beyond):
                raise Broken("a constraint follows from the others", f"{self.rule.name}: {constraint}")

    def emissions(self) -> None:
        if self.verdict("monotone-at") is not Verdict.PROVED:
            return
        source = random.Random(len(self.traces))
        for emission in self.rule.emissions:
            positions = {pattern.variable: place for place, pattern in enumerate(self.rule.positive)}
            generate = compile_timestamp(emission.at, positions, of_events=False)
            for _ in range(20):
                low = [source.choice((0, 1, -1, LEAST_INTEGER, GREATEST_INTEGER - 9)) for _ in positions]
                high = [time + source.randrange(9) for time in low]
                if generate(low) > generate(high):
                    raise Broken("an at that decreases", f"{self.rule.name}: {low} {high}")

    # --- Matches ---------------------------------------------------------------------------------------------------

    def can_match(self) -> None:
        guarantee = self.guarantee("can-match")
        if guarantee.verdict is Verdict.PROVED:
            if not self.replayed("can-match", self.rule, guarantee.evidence)[0]:
                raise Broken("a trace that matches does not", self.rule.name)
        elif guarantee.verdict is Verdict.REFUTED:
            for events, domain in self.traces:
                if self.matches(self.rule, events, domain):
                    raise Broken("a rule that never matches does", f"{self.rule.name} on {_shown(events)}")
            for finding in self.findings("self-blocked"):
                matched, events, domain = self.replayed("self-blocked", without_negation(self.rule), finding.evidence)
                if not matched or self.matches(self.rule, events, domain):
                    raise Broken("a self-blocked trace is none", self.rule.name)

    def patterns(self) -> None:
        dead = {finding.span for finding in self.findings("unsatisfiable-pattern") if _refuted(finding)}
        if (self.verdict("satisfiable-patterns") is Verdict.REFUTED) is not bool(dead):
            raise Broken("a verdict without a finding", "satisfiable-patterns")
        spans = {pattern.variable: pattern for pattern in self.rule.patterns}
        for pattern in spans.values():
            places = {(span.start.line, span.start.column) for span in dead}
            start = pattern.span.start
            if not any(line == start.line and 0 <= column - start.column <= 3 for line, column in places):
                continue
            own = tuple(c for c in pattern.conditions if core.variables_of(c) <= {pattern.variable})
            single = core.Rule("X", (core.Pattern(pattern.variable, pattern.template, False, own),), (), ())
            for events, domain in self.traces:
                if self.matches(single, events, domain):
                    raise Broken("an event meets what no event does", f"{self.rule.name}.{pattern.variable}")

    def self_blocking(self) -> None:
        bare = without_negation(self.rule)
        verdict = self.verdict("no-self-blocking")
        if (verdict is Verdict.VACUOUS) is not (self.verdict("can-match") is Verdict.REFUTED):
            raise Broken("vacuous, or not", "no-self-blocking")
        if verdict is Verdict.PROVED:
            for events, domain in self.traces:
                named = {event.id: event for event in events}
                for binding in self.matches(bare, events, domain):
                    own = list({id_: named[id_] for _, id_ in binding}.values())
                    if binding not in self.matches(self.rule, own, domain):
                        raise Broken(
                            "an event of a match fills a negated pattern", f"{self.rule.name} on {_shown(own)}"
                        )
        for finding in filter(_refuted, self.findings("partly-self-blocked")):
            matched, events, domain = self.replayed("partly-self-blocked", bare, finding.evidence)
            bound = cast(Mapping[str, str], finding.evidence["bindings"])
            wanted = tuple((pattern.variable, bound[pattern.variable]) for pattern in self.rule.positive)
            if not matched or wanted in self.matches(self.rule, events, domain):
                raise Broken("a partly self-blocked trace is none", self.rule.name)

    # --- Negations -------------------------------------------------------------------------------------------------

    def negations(self) -> None:
        guarantee = self.guarantee("effective-negations")
        negations = cast(list[dict[str, object]], guarantee.evidence.get("negations", []))
        effective = {str(negation["negated"]): negation for negation in negations}
        absent = [pattern.variable for pattern in self.rule.patterns if pattern.negated]
        undecided = {finding for finding in self.findings("useless-negation") if not _refuted(finding)}
        if guarantee.verdict is Verdict.PROVED and set(effective) != set(absent):
            raise Broken("a verdict without evidence", "effective-negations")
        for variable in absent:
            less = without_negation(self.rule, variable)
            if variable in effective:
                self.counts["negations that make a difference"] += 1
                matched, events, domain = self.replayed("effective-negations", less, effective[variable])
                bound = cast(Mapping[str, str], effective[variable]["bindings"])
                wanted = tuple((pattern.variable, bound[pattern.variable]) for pattern in self.rule.positive)
                if not matched or wanted in self.matches(self.rule, events, domain):
                    raise Broken("a negation that makes no difference where it is to make one", variable)
                if self.related(less) is Verdict.PROVED:
                    raise Broken("relate proves what a negation refutes", variable)
            elif not undecided and guarantee.verdict in (Verdict.REFUTED, Verdict.VACUOUS):
                self.counts["negations that make no difference"] += 1
                self.same("a useless negation makes a difference", less)
                if self.related(less) is Verdict.REFUTED:
                    raise Broken("relate refutes that a negation is useless", variable)

    def related(self, changed: core.Rule) -> Verdict:
        equivalence = equivalent(
            self.program, self.rule, replace(changed, name="Less"), domain=self.domain, timeout=TIMEOUT
        )
        self.counts[f"relate: {equivalence.verdict.value}"] += 1
        return equivalence.verdict

    # --- Conditions ------------------------------------------------------------------------------------------------

    def conditions(self) -> None:
        implied = [finding.span for finding in self.findings("implied-condition")]
        if implied:
            self.same("an implied condition counts", _lacking(self.rule, implied))
        elif self.verdict("every-condition-counts") is Verdict.PROVED:
            bare = without_negation(self.rule)
            for pattern in bare.patterns:
                for condition in pattern.conditions:
                    less = _lacking(bare, [condition.span])
                    wide, narrow = replace(bare, name="All"), replace(less, name="Less")
                    subsumption = subsumed(self.program, narrow, wide, domain=self.domain, timeout=TIMEOUT)
                    self.counts[f"relate: {subsumption.verdict.value}"] += 1
                    if subsumption.verdict is Verdict.PROVED:
                        raise Broken("a condition follows from the others", f"{self.rule.name}.{pattern.variable}")


def _refuted(finding: Finding) -> bool:
    return finding.verdict is Verdict.REFUTED


def _lacking(rule: core.Rule, spans: Iterable[object]) -> core.Rule:
    gone = list(spans)
    patterns = tuple(
        replace(
            pattern,
            conditions=tuple(
                list_expression for list_expression in pattern.conditions if list_expression.span not in gone
            ),
        )
        for pattern in rule.patterns
    )
    return replace(rule, patterns=patterns)


def _some_domain(program: core.Program, seed: int) -> Predicates:
    def relation(name: str) -> Predicates:
        return {name: lambda *values: bool(random.Random(f"{seed} {name} {values}").getrandbits(1))}

    relations: dict[str, object] = {}
    for predicate in program.predicates:
        relations.update(relation(predicate.name))
    return cast(Predicates, relations)


def _shown(events: Iterable[Event]) -> list[tuple[str, str, int, dict[str, object]]]:
    return [(event.id, event.template, event.timestamp, dict(event.attributes)) for event in events]


def feasible(variables: list[str], constraints: Iterable[core.Constraint]) -> dict[str, int] | None:
    """Timestamps of 64 bit that meet constraints, by Bellman and Ford; None if there are none."""
    edges = []
    for constraint in constraints:
        edges.append((constraint.reference, constraint.subject, constraint.upper))
        edges.append((constraint.subject, constraint.reference, -constraint.begins))
    for variable in variables:
        edges.append(("", variable, GREATEST_INTEGER))
        edges.append((variable, "", -LEAST_INTEGER))
    latest = dict.fromkeys(["", *variables], 0)
    for _ in range(len(latest) + 1):
        changed = False
        for origin, target, most in edges:
            if latest[origin] + most < latest[target]:
                latest[target], changed = latest[origin] + most, True
        if not changed:
            return {variable: latest[variable] - latest[""] for variable in variables}
    return None
