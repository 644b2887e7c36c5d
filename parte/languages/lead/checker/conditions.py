"""Checks of the conditions of a rule: each can hold, and can fail; and the needs of its pattern can hold together
(specification: lead-satisfiable)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from parte.checker.solver import terms
from parte.checker.solver.queries import Status
from parte.checker.solver.terms import Formula
from parte.languages.lead.checker.encoding import Encoding
from parte.languages.lead.checker.places import events_of
from parte.languages.lead.checker.work import Work
from parte.languages.lead.semantics.syntax import tree
from parte.semantics.source.spans import Span


def check_conditions(work: Work) -> None:
    """Report conditions that nothing fulfils, and conditions that everything fulfils."""
    with work.collector.deciding("satisfiable-conditions"):
        for condition, what, _ in _conditions(work.pattern, work.rule.outcome):
            encoding = work.encoding()
            if work.possible(f"{what}: can it hold", encoding, encoding.holds(condition)) is Status.UNSATISFIABLE:
                work.dead.add(id(condition))
                work.collector.find("unsatisfiable-condition", _span(condition), f"nothing fulfils this {what}")
    with work.collector.deciding("every-condition-counts"):
        for condition, what, names in _conditions(work.pattern, work.rule.outcome):
            if what != "terminate" and not isinstance(condition, tree.Literal) and id(condition) not in work.dead:
                encoding = work.encoding()
                there = [encoding.term(tree.Reference((name, "event_time"))).is_number for name in names]
                failing = terms.negated(encoding.holds(condition))
                if work.possible(f"{what}: can it fail", encoding, failing, *there) is Status.UNSATISFIABLE:
                    message = f"whatever it is asked of fulfils this {what}"
                    work.collector.find("useless-condition", _span(condition), message)
        for check in _checks(work.rule.outcome):
            _clauses(work, check)


def _span(condition: tree.Expression) -> Span:
    return condition.span


def _conditions(
    pattern: tree.Pattern, outcome: tuple[tree.Outcome, ...]
) -> Iterator[tuple[tree.Expression, str, list[str]]]:
    """Yield the conditions of a rule, the keyword of each, and the events that are always bound there."""
    for node in tree.within(pattern):
        match node:
            case tree.Filtered(operand=operand, condition=condition):
                yield condition, "FILTER", events_of(operand)
            case tree.Collect():
                named = (("accept", node.accept), ("terminate", node.terminate), ("invalidate", node.invalidate))
                yield from ((expression, name, []) for name, expression in named if expression is not None)
            case tree.Subcontext(condition=condition, terminate=terminate):
                named = (("FILTER", condition), ("terminate", terminate), ("", None))
                yield from ((expression, name, []) for name, expression in named if expression is not None)
    for check in _checks(outcome):
        yield from ((clause.condition, "WHERE", events_of(pattern)) for clause in check.clauses)


def _checks(outcome: tuple[tree.Outcome, ...]) -> Iterator[tree.Check]:
    for part in outcome:
        if isinstance(part, tree.Check):
            yield part
            for clause in part.clauses:
                yield from _checks(clause.outcome)


def _clauses(work: Work, check: tree.Check) -> None:
    """Report unreachable clauses of CHECK FIRST, which takes a clause only if no clause before it holds."""
    for number, clause in enumerate(check.clauses if check.first else ()):
        if number == 0 or id(clause.condition) in work.dead:
            continue
        encoding = work.encoding()
        before = [terms.negated(encoding.holds(earlier.condition)) for earlier in check.clauses[:number]]
        reached = work.possible("WHERE: is it reached", encoding, encoding.holds(clause.condition), *before)
        if reached is Status.UNSATISFIABLE:
            message = "CHECK FIRST never comes to this clause: one before it holds whenever it does"
            work.collector.find("unreachable-clause", _span(clause.condition), message)


def needs(work: Work, pattern: tree.Pattern, encoding: Encoding) -> Formula:
    """Return what must hold of every match of a pattern: its conditions, and the order of its events in time."""

    def whole(part: tree.Pattern) -> Formula:
        return needs(work, part, encoding)

    match pattern:
        case tree.Filtered(operand=operand, condition=condition):
            return terms.both(whole(operand), encoding.holds(condition))
        case tree.And(parts=parts):
            return terms.both(*map(whole, parts))
        case tree.Or(parts=parts):
            return terms.either(*map(whole, parts))
        case tree.Sequence(parts=parts):
            before: list[str] = []
            formulas = [terms.TRUE]
            for part in parts:
                after = events_of(part)
                formulas.append(whole(part))
                formulas += [_earlier(encoding, first, second) for first in before for second in after]
                before += after
            return terms.both(*formulas)
        case tree.Collect(terminate=terminate):
            return terms.truth(terminate is None or id(terminate) not in work.dead)
        case tree.Pick(collect=collect):
            return whole(collect)
        case tree.Within(operand=operand, source=source) if source is not None:
            return terms.both(whole(operand), whole(source))
        case tree.Within(operand=operand) | tree.Wait(operand=operand) | tree.Subcontext(operand=operand):
            return whole(operand)
        case tree.Policy(operand=operand):
            return whole(operand)
        case tree.Atom() | tree.Not() | tree.Bound():
            return terms.TRUE
        case _:
            assert_never(pattern)


def _earlier(encoding: Encoding, earlier: str, later: str) -> Formula:
    """Return the formula that both events occur, and that `earlier` is not after `later`."""
    first, second = (encoding.term(tree.Reference((name, "event_time"))) for name in (earlier, later))
    return terms.both(first.is_number, second.is_number, terms.at_most(first.number, second.number))
