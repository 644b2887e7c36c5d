"""Decisions about one rule on a query schedule, each by questions to the solver and the definition on its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from parte.algebra.partelang.effort import TooMuch
from parte.checker.environment.schedule import (
    LONGEST,
    QuerySchedule,
    enough,
    least_reports,
    most_reports,
    spread_of,
)
from parte.checker.partelang.claims import Claim
from parte.checker.partelang.prover import Decision, Prover
from parte.checker.partelang.scenes import Scene
from parte.checker.partelang.scheduled.questions import Questions
from parte.checker.partelang.scheduled.runs import MOST_NAIVE, Definition, ScheduledTrace
from parte.checker.report.contents import ClosureTable
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Status
from parte.semantics.partelang.syntax import core

MOST_COMPARED: Final = 12
"""The most runs that one question is about."""

FEW_RUNS: Final = 6
"""So many runs are all in one question, if the solver does not decide about some of them."""

_Question = tuple[Mapping[str, str], Mapping[str, Claim], Scene]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A trace with the runs that report its match; `variable` is that of an absence that the run believes."""

    trace: ScheduledTrace
    reporting: tuple[int, ...]
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to whether there is a counterexample. `open` is the decision of the solver that left it open."""

    status: Status
    example: Counterexample | None = None
    open: Decision | None = None


_NONE = Answer(Status.UNSATISFIABLE)


class Spans:
    """Bounds on the distances in time between the events of a match, sets included, from the closure of a rule."""

    def __init__(self, rule: core.Rule, table: ClosureTable) -> None:
        positive = {pattern.variable for pattern in rule.positive}
        collected = {pattern.variable for pattern in rule.collected if _is_mentioned(rule, pattern.variable)}
        rows = [row for row in table.distances if row.subject in positive or row.subject in collected]
        windows = {(row.subject, row.reference): (row.lower, row.upper) for row in rows}
        ends = [end for pair in windows.values() for end in pair]
        apart = [
            distance
            for (variable, reference), (lower, upper) in windows.items()
            for (second, same), (begins, ends_at) in windows.items()
            if reference == same and {variable, second} <= collected
            for distance in ((_less(upper, begins)), (_less(ends_at, lower)))
        ]
        unbounded = None in ends
        self.greatest = None if unbounded else max((abs(end) for end in (*ends, *apart) if end is not None), default=0)
        """The greatest distance of two events; None if a set has no beginning."""
        self.least = max((_between(*windows[pair]) for pair in windows if pair[0] in positive), default=0)
        """A lower bound of the distance between the first and the last positive event."""
        after = [min((row.upper or 0) for row in rows if row.subject == variable) for variable in sorted(collected)]
        self.after = max((0, *after))
        """An upper bound of the time from the last positive event to the last element of a set."""


def _is_mentioned(rule: core.Rule, variable: str) -> bool:
    return any(variable in core.variables_of(condition) for condition in rule.having)


def _less(upper: int | None, lower: int | None) -> int | None:
    return None if upper is None or lower is None else upper - lower


def _between(lower: int | None, upper: int | None) -> int:
    if lower is not None and lower > 0:
        return lower
    return -upper if upper is not None and upper < 0 else 0


class Decisions:
    """The decisions about a rule that reads no emitted events, and whose variables are finitely far apart."""

    def __init__(self, rule: core.Rule, table: ClosureTable, program: core.Program, prover: Prover) -> None:
        """`prover` is that of the program with runs (`with_runs`)."""
        self._rule, self._prover = rule, prover
        self.spans = Spans(rule, table)
        self._definition = Definition(program, rule)
        self.sets = any(_is_mentioned(rule, pattern.variable) for pattern in rule.collected)

    # --- Matches that no run sees -------------------------------------------------------------------------------------

    def unseen(self, schedule: QuerySchedule) -> Answer:
        """Decide whether some match is reported by no run, in some phase of the schedule."""
        questions = Questions(self._rule, schedule)
        all_runs = most_reports(0, schedule.every, schedule.lookback)
        complete = 1 + -(-(self.spans.after + schedule.delay) // schedule.every)
        runs = sorted({1, min(complete, max(1, all_runs))}) if self.sets else [1]
        while len(runs) <= MOST_COMPARED:
            about = f"lookback {schedule.lookback}, runs {runs}"
            decision = self._decide(f"unseen, {about}", questions.unseen(runs))
            if decision.impossible:
                return _NONE
            if decision.witness is None:
                if not self.sets or len(runs) >= all_runs or all_runs > FEW_RUNS:
                    return Answer(Status.UNKNOWN, open=decision)
                runs = list(range(1, all_runs + 1))
                continue
            trace = ScheduledTrace.of(decision.witness, self._rule)
            try:
                reporting = self._definition.reporting(trace, schedule)
                self._confirm(self._definition.finds(trace.events, trace), "the whole trace has no such match")
            except TooMuch:
                return Answer(Status.UNKNOWN, open=decision)
            if not reporting:
                simple = self._simplified(Counterexample(trace, ()), partial(self._is_unseen, schedule=schedule))
                return Answer(Status.SATISFIABLE, simple)
            ends = {run for stretch in reporting for run in (stretch.start, stretch[-1])}
            new = {(run - trace.run) // schedule.every for run in ends} - set(runs)
            self._confirm(bool(new), "a run reports the match that none reports to the solver")
            runs = sorted({*runs, *new})
        return Answer(Status.UNKNOWN)

    def least_lookback(self, schedule: QuerySchedule) -> int | None:
        """Return a lookback with which each match is seen, and with a millisecond less not; None if there is none.

        Raise LookupError if the solver leaves a question open.
        """

        def is_enough(lookback: int) -> bool:
            answer = self.unseen(schedule.looking_back(lookback))
            if answer.status is Status.UNKNOWN:
                raise LookupError
            return answer.status is Status.UNSATISFIABLE

        if self.spans.greatest is None:
            high = LONGEST
        else:
            events = 2 if self.sets else len(self._rule.positive)
            spread = spread_of(self.spans.greatest, schedule.delay, by_arrival=schedule.by_arrival, events=events)
            high = min(LONGEST, enough(spread, schedule.every))
        if not is_enough(high):
            return None
        low, step = high, 1
        while low > 0:
            low = max(0, high - step)
            if not is_enough(low):
                break
            high, step = low, step * 2**8
        else:
            return 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    # --- Matches that the whole trace refutes -------------------------------------------------------------------------

    def refuted(self, schedule: QuerySchedule) -> Answer:
        """Decide whether some run reports a match that the whole trace does not have."""
        questions, undecided = Questions(self._rule, schedule), _NONE
        questioned: list[tuple[str | None, _Question]] = [
            (pattern.variable, questions.absent_to_the_run(pattern))
            for pattern in self._rule.patterns
            if pattern.negated
        ]
        questioned += [(None, questions.other_sets())] if self.sets else []
        for variable, question in questioned:
            decision = self._decide(f"refuted by {variable or 'sets'}", question)
            if decision.impossible:
                continue
            if decision.witness is None:
                undecided = Answer(Status.UNKNOWN, open=decision)
                continue
            trace = ScheduledTrace.of(decision.witness, self._rule)
            try:
                self._confirm(self._is_refuted(trace, schedule), "the run does not report the match, or it is one")
            except TooMuch:
                undecided = Answer(Status.UNKNOWN, open=decision)
                continue
            example = Counterexample(trace, (trace.run,), variable)
            return Answer(Status.SATISFIABLE, self._simplified(example, partial(self._is_refuted, schedule=schedule)))
        return undecided

    # --- Numbers of reports -------------------------------------------------------------------------------------------

    def most_reports(self, schedule: QuerySchedule) -> tuple[int, bool]:
        """Return how many runs report one match at most, and whether some match is reported so often.

        Without a certain answer it is an upper bound.
        """
        least = self.spans.least
        if schedule.by_arrival:
            least = max(0, least - schedule.delay)
        high = most_reports(least, schedule.every, schedule.lookback)
        questions = Questions(self._rule, schedule)

        def reported(number: int) -> Decision:
            return self._decide(f"reported {number} times", questions.seen_twice(number - 1))

        if high == 0:
            return 0, True
        if not (first := reported(high)).impossible:
            return high, self._reported(first, schedule, high)
        low, answer = 0, first
        while high - low > 1:
            middle = (low + high) // 2
            decision = reported(middle)
            if decision.impossible:
                high = middle
            elif decision.possible:
                low, answer = middle, decision
            else:
                return high - 1, False
        return low, low == 0 or self._reported(answer, schedule, low)

    def _reported(self, decision: Decision, schedule: QuerySchedule, number: int) -> bool:
        """Return whether the match of a solution is reported so often."""
        if decision.witness is None:
            return False
        trace = ScheduledTrace.of(decision.witness, self._rule)
        try:
            reports = sum(map(len, self._definition.reporting(trace, schedule)))
        except TooMuch:
            return False
        self._confirm(self.sets or reports >= number, "the runs do not report the match so often")
        return reports == number

    def least_reports(self, schedule: QuerySchedule, lookback: int) -> int:
        """Return a number of runs that report each match at least, if `lookback` is the least one.

        It is the greatest such number for a rule without sets. The runs are those of several schedules with longer
        intervals, in other phases; if each of these sees a match, it has as many reports.
        """
        spread = lookback - enough(0, schedule.every)
        number = least_reports(spread, schedule.every, schedule.lookback)
        if not self.sets or number <= 1:
            return number
        rarer = replace(schedule, every=number * schedule.every)
        return number if self.unseen(rarer).status is Status.UNSATISFIABLE else 1

    # --- Parts --------------------------------------------------------------------------------------------------------

    def _decide(self, name: str, question: _Question) -> Decision:
        variables, claims, scene = question
        return self._prover.decide(f"{self._rule.name}: {name}", variables, claims, scene=scene)

    def _is_unseen(self, trace: ScheduledTrace, schedule: QuerySchedule) -> bool:
        whole = self._definition.finds(trace.events, trace)
        return whole and not self._definition.reporting(trace, schedule)

    def _is_refuted(self, trace: ScheduledTrace, schedule: QuerySchedule) -> bool:
        reported = self._definition.finds(trace.read_at(trace.run, schedule), trace)
        return reported and not self._definition.finds(trace.events, trace)

    def _simplified(self, example: Counterexample, holds: Callable[[ScheduledTrace], bool]) -> Counterexample:
        """Return the counterexample without superfluous events, and from the time 0 on, if it is one there too."""
        trace, needed = example.trace, {*example.trace.match.values(), example.variable}
        if len(trace.events) <= MOST_NAIVE:
            for event in trace.events:
                if event.id not in needed and holds(less := trace.without(event)):
                    trace = less
        milliseconds = -min(event.timestamp for event in trace.events)
        moved = trace.moved(milliseconds)
        if not holds(moved):
            return replace(example, trace=trace)
        reporting = tuple(run + milliseconds for run in example.reporting)
        return replace(example, trace=moved, reporting=reporting)

    def _confirm(self, holds: bool, problem: str) -> None:
        if not holds:
            raise CheckerBug(f"{self._rule.name} on a schedule: {problem}")
