"""Checks that each missing event, and until, can rule a result out (specification: eql-effective).

If any trace shows it, one does that has only the events of the chain and the event that rules it out: fewer events
leave a chain a chain (docs/eql.md). So a question is about these events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parte.checker.report.collecting import Decision
from parte.checker.solver import terms
from parte.checker.solver.clock import Undecided
from parte.checker.solver.terms import Formula
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.checker.encoding import Encoding
from parte.languages.eql.checker.stages import premises, times
from parte.languages.eql.checker.work import Actor, Answer, Trace, Work, lines
from parte.languages.eql.semantics.syntax import tree

MOST_GAPS = 40
"""The most places between events at which an event of until is tried."""


class Rulings:
    """The questions whether an event at a place of a chain rules its result out. The chain has `n` events; place g is
    behind the first g of them."""

    def __init__(self, work: Work, query: tree.Sequence) -> None:
        self._work, self._query, self._chain = work, query, work.chain()
        self._gaps = tree.between(query)
        self._encoding = work.encoding()
        self._premises = premises(work, self._encoding, self._chain)
        self.useless: set[int] = set()
        """The ids of the stages that rule nothing out: the query is the same without them."""

    @property
    def n(self) -> int:
        """The number of events of a chain."""
        return len(self._chain)

    def rules_out(self, stage: tree.Stage, gap: int) -> Answer:
        """Return a trace on which only an event of a stage, missing or until, rules out a result at a place."""
        if not self._wide(gap):
            return Answer(None, ("maxspan",))
        partners: Sequence[tree.Stage | None] = [None]
        at_end = gap in (0, self.n) and stage is not self._query.until
        if at_end and self._work.readings.absence == "together" and self._gaps[0] and self._gaps[-1]:
            partners = self._gaps[-1] if gap == 0 else self._gaps[0]
        answers = [self._asked(stage, gap, partner) for partner in partners]
        return next((answer for answer in answers if answer.trace is not None), answers[0])

    def _wide(self, gap: int) -> bool:
        """Return whether the maxspan has room for the timestamps that the reading of borders requires."""
        if self._work.readings.border == "order" or self._query.maxspan is None:
            return True
        both = self._work.readings.absence == "together" and self._gaps[0] and self._gaps[-1]
        return self._query.maxspan.milliseconds >= (2 if 0 < gap < self.n or both else 1)

    def _asked(self, stage: tree.Stage, gap: int, partner: tree.Stage | None) -> Answer:
        work, encoding, chain = self._work, self._encoding.copied(), self._chain
        ruling, first = work.actor("ruling", stage), chain[0]
        formulas = dict(self._premises)
        formulas["fits"] = work.joins(encoding, ruling, stage, first)
        if 0 < gap < self.n:
            formulas["chain"] = self._stays(encoding, ruling, gap)
        inner = [self._query.until] if self._query.until is not None and 0 < gap < self.n else []
        for rival in (*self._gaps[gap], *inner):
            if rival is not stage and id(rival) not in self.useless:
                formulas[f"rival {id(rival)}"] = terms.negated(work.joins(encoding, ruling, rival, first))
        groups = [chain[:gap], [ruling], chain[gap:]]
        if partner is not None:
            end = work.actor("partner", partner)
            formulas["partner"] = work.joins(encoding, end, partner, first)
            groups = [*groups, [end]] if gap == 0 else [[end], *groups]
        filled = [group for group in groups if group]
        placed = [
            (actor, time) for group, time in zip(filled, times(work, len(filled)), strict=True) for actor in group
        ]
        number = next(place for place, (actor, _) in enumerate(placed) if actor is ruling)
        ids = tuple(f"e{place}" for place, (actor, _) in enumerate(placed, 1) if actor in chain)

        def shows(trace: Trace) -> bool:
            return ids not in work.results(trace) and ids in work.results(trace[:number] + trace[number + 1 :])

        answer = work.solved("an event that rules a result out", encoding, formulas, placed, shows)
        return replace(answer, result=ids)

    def _stays(self, encoding: Encoding, ruling: Actor, gap: int) -> Formula:
        """Return the formula that an event between those of a chain is neither the next event of the chain nor the end
        of another chain that replaces it."""
        work, chain, first = self._work, self._chain, self._chain[0]
        following = work.joins(encoding, ruling, chain[gap].stage, first)
        joins = [work.joins(encoding, ruling, chain[gap - 1].stage, first)]
        if joins[0] is not terms.FALSE:
            joins += [work.joins(encoding, chain[i], chain[i - 1].stage, first) for i in range(1, gap)]
        return terms.both(terms.negated(following), terms.negated(terms.both(*joins)))

    def ends_at(self, place: int) -> Answer:
        """Return a trace on which until rules a result out because an event of the chain is one of until."""
        work, until, chain = self._work, self._query.until, self._chain
        assert until is not None
        encoding = work.encoding()
        formulas = premises(work, encoding, chain, place)
        formulas["fits"] = work.joins(encoding, chain[place], until, chain[0])
        placed = list(zip(chain, times(work, self.n), strict=True))

        def shows(trace: Trace) -> bool:
            return not work.results(trace) and bool(work.results(trace, without_until=True))

        return work.solved("an event of until in a result", encoding, formulas, placed, shows)


# --- Findings ---------------------------------------------------------------------------------------------------------


def check_absences(work: Work) -> None:
    """Report missing events and until that rule nothing out: all that are reported can be left out at once."""
    query = work.query
    sequence = query if isinstance(query, tree.Sequence) else None
    until, satisfiable = work.until, work.satisfiable is not Verdict.REFUTED
    rulings = None if sequence is None or not satisfiable else Rulings(work, sequence)
    with work.collector.deciding("effective-absences") as decision:
        missing = any(stage.missing for stage in work.stages)
        if _has_subject(decision, missing, satisfiable) and rulings is not None and sequence is not None:
            for gap, stages in enumerate(tree.between(sequence)):
                for stage in stages:
                    with work.open("useless-absence", stage.span, "whether this missing event rules a result out"):
                        _report(work, rulings, decision, "useless-absence", stage, rulings.rules_out(stage, gap))
    with work.collector.deciding("effective-until") as decision:
        if _has_subject(decision, until is not None, satisfiable) and rulings is not None and until is not None:
            with work.open("useless-until", until.span, "whether until rules a result out"):
                _report(work, rulings, decision, "useless-until", until, _until(work, rulings, until))
    with work.collector.deciding("until-apart") as decision:
        if _has_subject(decision, until is not None, satisfiable) and until is not None:
            _apart(work, until)


def _has_subject(decision: Decision, there: bool, satisfiable: bool) -> bool:
    if not there or not satisfiable:
        decision.verdict = Verdict.VACUOUS if there else Verdict.PROVED
        decision.detail = "there is no result" if there else "it has none"
    return there and satisfiable


def _until(work: Work, rulings: Rulings, until: tree.Stage) -> Answer:
    reading, answer = work.readings.until, Answer(None)
    for gap in range(1, min(rulings.n, MOST_GAPS + 1)):
        answer = rulings.rules_out(until, gap)
        if answer.trace is not None:
            return answer
    if rulings.n - 1 > MOST_GAPS:
        raise Undecided(f"only the first {MOST_GAPS} places between events were examined")
    ends = range(1, rulings.n) if reading == "before" else range(rulings.n - 1) if reading == "inclusive" else range(0)
    return next((ending for ending in map(rulings.ends_at, ends) if ending.trace is not None), answer)


def _report(work: Work, rulings: Rulings, decision: Decision, code: str, stage: tree.Stage, answer: Answer) -> None:
    if answer.trace is not None:
        decision.evidence[f"{stage.span.start.line}:{stage.span.start.column}"] = lines(answer.trace)
        return
    if work.readings.missing == "pending":
        raise Undecided("under the reading `missing=pending` no claim is made of what rules nothing out")
    rulings.useless.add(id(stage))
    covering = [(rival.span, "it is such an event") for rival in work.events if f"rival {id(rival)}" in answer.core]
    if "maxspan" in answer.core:
        reason = f"under the reading `border={work.readings.border}` the maxspan has no room for its timestamp"
    elif covering:
        reason = "each of its events that could rule a result out is one of another part, which rules it out too"
    elif "chain" in answer.core:
        reason = "where it could lie, such an event is the next of the chain, or begins the chain again"
    elif answer.core:
        reason = "none of its events has the key that the stages have"
    else:
        reason = "no place lies between two events of a result"
    message = "this missing event rules no result out" if stage.missing else "no event of until rules a result out"
    work.collector.find(code, stage.span, message, reason=[reason], places=covering)


def _apart(work: Work, until: tree.Stage) -> None:
    for stage in dict.fromkeys(stage for stage in work.stages if not stage.missing):
        encoding, actor = work.encoding(), work.actor("event", stage)
        formulas = {
            "stage": work.fits(encoding, actor, stage),
            "until": terms.negated(work.joins(encoding, actor, until, actor)),
        }

        def shows(trace: Trace, stage: tree.Stage = stage) -> bool:
            key = work.key(trace[0], stage)
            return key is not None and work.key(trace[0], until) != key

        with work.open("until-is-a-stage", until.span, "whether an event of a stage is none of until"):
            answer = work.solved("an event of a stage alone", encoding, formulas, [(actor, 0)], shows)
            if answer.trace is None:
                message = "every event of a stage is one of `until`"
                hint = "such an event does nothing where it is a stage (specification: eql-until)"
                places = [(stage.span, "the stage")]
                work.collector.find("until-is-a-stage", until.span, message, hint=hint, places=places)
