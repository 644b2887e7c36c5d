"""The guarantees of rules on a query schedule, with their findings (specification: query-schedules)."""

from __future__ import annotations

import json

from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.findings import Collector
from parte.checker.partelang.findings import Decision as Guaranteed
from parte.checker.partelang.negations import NEVER_MATCHES
from parte.checker.partelang.prover import Prover
from parte.checker.partelang.scheduled.decisions import Answer, Counterexample, Decisions
from parte.checker.partelang.scheduled.questions import with_runs
from parte.checker.partelang.sources import RuleSource
from parte.checker.partelang.told import to_decide
from parte.checker.report.contents import ClosureTable, ScheduledRule
from parte.checker.solver.queries import Status
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.domain import Predicates
from parte.semantics.events.duration import Unit, duration_in_words, duration_text
from parte.semantics.events.event import Value
from parte.semantics.partelang.syntax import core

SEEN, REFUTED = "seen-by-a-run", "reports-stay-true"
"""The guarantees that are about a schedule."""

_OPEN = {SEEN: "unseen-match", REFUTED: "refuted-report"}
_MOST_SHOWN, _FEW, _LONGEST_VALUE = 12, 2, 40


class ScheduleCheck:
    """The check of all rules of a program on one schedule."""

    def __init__(
        self,
        program: core.Program,
        schedule: QuerySchedule,
        domain: Predicates,
        timeout: float,
        collector: Collector,
    ) -> None:
        self._program, self._schedule, self._collector = program, schedule, collector
        self._prover = Prover(with_runs(program), domain, timeout, collector.journal)
        self._emitted = {emission.template: rule.reported for rule in program.rules for emission in rule.emissions}
        self.rules: list[ScheduledRule] = []

    def check(self, source: RuleSource, table: ClosureTable, *, bounded: bool) -> None:
        """Decide the guarantees of a rule; `bounded` if its variables are known to be finitely far apart."""
        rule = source.rule
        emitted = [pattern.template for pattern in rule.patterns if pattern.template in self._emitted]
        never = table.contradictory or self._never(rule)
        for guarantee in (SEEN, REFUTED):
            if never:
                with self._collector.deciding(guarantee, source) as decision:
                    decision.verdict, decision.detail = Verdict.VACUOUS, NEVER_MATCHES
            elif not bounded:
                with self._collector.deciding(guarantee, source) as decision:
                    decision.verdict = Verdict.NOT_PROVED
                    decision.detail = "not asked, as bounded-time did not come out as proved"
            elif emitted:
                self._refuse(source, guarantee, emitted[0])
        if bounded and not never and not emitted:
            self._decide(source, Decisions(rule, table, self._program, self._prover))

    def _never(self, rule: core.Rule) -> bool:
        """Return whether `can-match` is refuted for the rule."""
        decided = self._collector.of("can-match")
        return any(guarantee.rule == rule.name and guarantee.verdict is Verdict.REFUTED for guarantee in decided)

    def _refuse(self, source: RuleSource, guarantee: str, template: str) -> None:
        message = f"`{source.name}` on a schedule was not examined: it reads `{template}`, "
        message += f"which the rule `{self._emitted[template]}` emits"
        hint = f"check it as a program of its own, in which a source sends `{template}`"
        self._undecided(source, guarantee, message, hint)

    def _undecided(self, source: RuleSource, guarantee: str, message: str, hint: str) -> None:
        with self._collector.deciding(guarantee, source):
            code = _OPEN[guarantee]
            self._collector.find(code, source.name_span, message, verdict=Verdict.NOT_PROVED, rule=source, hint=hint)

    def _decide(self, source: RuleSource, decisions: Decisions) -> None:
        schedule = self._schedule
        unseen = decisions.unseen(schedule)
        try:
            least = decisions.least_lookback(schedule)
        except LookupError:
            least, decided = None, False
        else:
            decided = True
        at_most, attained = decisions.most_reports(schedule)
        exact = attained and decided and not decisions.sets
        at_least = 0
        if unseen.status is Status.UNSATISFIABLE:
            at_least = 1 if least is None else decisions.least_reports(schedule, least)
        row = ScheduledRule(source.name, least, decided, at_least, at_most, exact)
        self.rules.append(row)
        with self._collector.deciding(SEEN, source) as decision:
            decision.detail = row.text()
            if unseen.example is not None:
                self._unseen(source, unseen.example, row)
            self._open(source, SEEN, unseen, "whether a run sees each match")
        refuted = decisions.refuted(schedule)
        with self._collector.deciding(REFUTED, source) as decision:
            self._detail(source, decision)
            if refuted.example is not None:
                self._refuted(source, refuted.example)
            self._open(source, REFUTED, refuted, "whether every report stays true")

    def _detail(self, source: RuleSource, decision: Guaranteed) -> None:
        if all(pattern.positive for pattern in source.rule.patterns):
            decision.detail = "it has no negated pattern and no set"

    def _open(self, source: RuleSource, guarantee: str, answer: Answer, what: str) -> None:
        if answer.status is Status.UNKNOWN:
            hint = "allow more time by `--timeout`" if answer.open is None else to_decide(answer.open)
            code, message = _OPEN[guarantee], f"{what} of `{source.name}` was not decided"
            self._collector.find(code, source.name_span, message, verdict=Verdict.NOT_PROVED, rule=source, hint=hint)

    # --- Findings -----------------------------------------------------------------------------------------------------

    def _unseen(self, source: RuleSource, example: Counterexample, row: ScheduledRule) -> None:
        trace, every = example.trace, self._schedule.every
        runs = trace.runs(self._schedule) or range(trace.run, trace.run + every + 1, every)
        displayed = [trace.run, *(run for run in runs[: _FEW + 1] if run != trace.run)]
        more = [f"nor do the {len(runs) - _FEW - 1} runs that follow"] if len(runs) > _FEW + 1 else []
        if row.least_lookback is not None:
            hint = f"let each run look back {_enough(row.least_lookback)}, or run the query more often"
        elif row.decided:
            hint = "no lookback is enough: give the windows of its sets a beginning"
        else:
            hint = "look further back, or run the query more often"
        self._collector.find(
            "unseen-match",
            source.name_span,
            f"no run of this schedule sees some match of `{source.name}`",
            rule=source,
            reason=[*_events(example), *(self._run(example, run) for run in displayed), *more],
            hint=hint,
            evidence={
                **trace.record(self._schedule, displayed, example.reporting),
                "least_lookback": row.least_lookback,
            },
        )

    def _refuted(self, source: RuleSource, example: Counterexample) -> None:
        rule, trace, variable = source.rule, example.trace, example.variable
        pattern = next((candidate for candidate in rule.patterns if candidate.variable == variable), None)
        between = ""
        if pattern is None:
            message = f"a run may report a match of `{rule.name}` that the sets of the whole trace refute"
            span = source.name_span
        elif pattern.selects is not None:
            message = f"a run may take another event for `{pattern.selects.variable}` than the whole trace has"
            span = source.variable_span(pattern.selects.variable)
        else:
            message = f"a run may believe `no {variable}`, though such an event is in the whole trace"
            between = _between(rule, pattern.variable)
            span = source.variable_span(pattern.variable)
        self._collector.find(
            "refuted-report",
            span,
            message,
            rule=source,
            reason=[*_events(example), self._run(example, trace.run), *self._outside(example)],
            hint=between + "no lookback prevents this: let something else than the query wait until "
            "all events of the windows have arrived, and ignore reports whose windows begin before the lookback",
            evidence=trace.record(self._schedule, [trace.run], example.reporting),
        )

    def _outside(self, example: Counterexample) -> list[str]:
        """Return, for each event that the run does not read, the reason."""
        trace, run = example.trace, example.trace.run
        read = {event.id for event in trace.read_at(run, self._schedule)}
        lines = []
        for event in trace.events:
            if event.id not in read:
                arrival = trace.arrivals[event.id]
                when = "happens after the run" if event.timestamp > run else "arrives after the run"
                lines.append(f"`{event.id}` {when if arrival > run else 'lies before the lookback of the run'}")
        return lines[:_MOST_SHOWN]

    def _run(self, example: Counterexample, run: int) -> str:
        read = [event.id for event in example.trace.read_at(run, self._schedule)]
        listed = ", ".join(f"`{name}`" for name in read[:_MOST_SHOWN]) or "none of them"
        more = f" and {len(read) - _MOST_SHOWN} more" if len(read) > _MOST_SHOWN else ""
        verb = "reports the match" if run in example.reporting else "does not report it"
        return f"the run at {_when(run)} reads {listed}{more}, and {verb}"


def _events(example: Counterexample) -> list[str]:
    """Return the events of the trace with their times."""
    lines = []
    for event in example.trace.events[:_MOST_SHOWN]:
        arrival = example.trace.arrivals[event.id]
        late = "" if arrival == event.timestamp else f", and arrives at {_when(arrival)}"
        values = ", ".join(f"{name}={_value(value)}" for name, value in event.attributes.items())
        attributes = f" ({values})" if values else ""
        lines.append(f"`{event.id}` : {event.template}{attributes} happens at {_when(event.timestamp)}{late}")
    left = len(example.trace.events) - _MOST_SHOWN
    return [*lines, *([f"{left} more events are in the evidence"] if left > 0 else [])]


def _value(value: Value) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _enough(lookback: int) -> str:
    """Return a lookback in whole seconds that is enough, with the least one."""
    seconds = -(-lookback // Unit.SECONDS.value) * Unit.SECONDS.value
    least = duration_in_words(lookback)
    return f"{least} or more" if seconds == lookback else f"{duration_in_words(seconds)} ({least} is the least)"


def _when(time: int) -> str:
    return f"-{duration_in_words(-time)}" if time < 0 else duration_in_words(time)


def _between(rule: core.Rule, variable: str) -> str:
    """Return the hint that a negated pattern lacks the window that ends with another event of the match, if it has
    only one that begins with an event before that; otherwise an empty text."""
    windows = [constraint for constraint in rule.constraints if constraint.subject == variable]
    if len(windows) != 1 or windows[0].lower is None or windows[0].lower < 0 or windows[0].upper <= 0:
        return ""
    first, width = windows[0].reference, windows[0].upper
    positive = {pattern.variable for pattern in rule.patterns if pattern.positive}
    later = [
        constraint.subject if constraint.reference == first else constraint.reference
        for constraint in rule.constraints
        if constraint.subject in positive
        and (
            (constraint.reference == first and constraint.begins >= 0)
            or (constraint.subject == first and constraint.upper <= 0)
        )
    ]
    if not later:
        return ""
    return (
        f"if only events between `{first}` and `{later[-1]}` are meant, add `no {variable} in {later[-1]} "
        f"[{duration_text(-width)}, 0 ms]`; otherwise "
    )
