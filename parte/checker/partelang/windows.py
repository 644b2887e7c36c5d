"""Time (D §5.5.3): the closure of a rule's `when`, its contradictions, and its redundant constraints.

The closure comes from shortest paths (Floyd and Warshall); the solver certifies it, rule by rule, and finds the
constraints that clash.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from parte.checker.report.contents import ClosureTable, Distance
from parte.checker.solver import terms
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Session, Status, minimal_core
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.temporal import Distances, Interval, closure, negated_bounds


@dataclass(frozen=True, slots=True)
class Looseness:
    """A constraint that others narrow to `tight`; None if it follows from the others."""

    constraint: core.Constraint
    tight: Interval | None


@dataclass(frozen=True, slots=True)
class Clash:
    """Constraints that cannot hold together; with `minimal`, none of them can be left out.

    `variable` is that of a negation or a set for which there is no place, None if the positive ones contradict each
    other. With `ranged`, the constraints could hold if timestamps had more than 64 bits.
    """

    variable: str | None
    constraints: tuple[core.Constraint, ...]
    minimal: bool
    ranged: bool


@dataclass(frozen=True, slots=True)
class TimeAnalysis:
    """The results about the `when` of a rule. `certified` is False if the solver did not decide in time."""

    table: ClosureTable
    unrelated: tuple[tuple[str, str], ...]
    clashes: tuple[Clash, ...]
    loose: tuple[Looseness, ...]
    certified: bool


def analyse(rule: core.Rule, session: Session) -> TimeAnalysis:
    """Return all results about the time of one rule, as it is written."""
    selected, rule = rule.selections, rule.written
    positive = [pattern.variable for pattern in rule.positive]
    among = [constraint for constraint in rule.constraints if not constraint.negated]
    distances = closure(positive, among)
    related = {variable: _related(variable, among) for variable in positive}
    unrelated = tuple(
        (subject, reference)
        for number, subject in enumerate(positive)
        for reference in positive[:number]
        if reference not in related[subject]
    )
    if distances.contradictory or _ranged(positive, among).contradictory:
        clash = _clash(rule, None, among, session, ranged=not distances.contradictory)
        return TimeAnalysis(ClosureTable(rule.name, True, ()), unrelated, (clash,), (), True)
    table = closure_table(rule, distances)
    clashes = tuple(_nowhere(rule, distances, session))
    certified = _certify(rule, table, session) if not clashes else True
    return TimeAnalysis(table, unrelated, clashes, tuple(_loose(rule, clashes, selected)), certified)


def _related(variable: str, constraints: Sequence[core.Constraint]) -> set[str]:
    """Return the variables that constraints relate to one, and that one."""
    reached: set[str] = set()
    waiting = {variable}
    while waiting:
        reached |= waiting
        ends = [{constraint.subject, constraint.reference} for constraint in constraints]
        waiting = {name for pair in ends if pair & waiting for name in pair} - reached
    return reached


_EPOCH = ""
"""The pseudo-variable for the origin of timestamps."""


def _ranged(variables: Sequence[str], constraints: Iterable[core.Constraint]) -> Distances:
    """Return the closure for timestamps that are 64-bit integers."""
    ranges = [core.Constraint(variable, _EPOCH, LEAST_INTEGER, GREATEST_INTEGER, False) for variable in variables]
    return closure([*variables, _EPOCH], [*constraints, *ranges])


def closure_table(rule: core.Rule, distances: Distances) -> ClosureTable:
    """Return the bounds between all pairs of variables, except between two that no event is bound to."""
    rows: list[Distance] = []
    order = {pattern.variable: number for number, pattern in enumerate(rule.patterns)}
    for pattern in rule.patterns:
        if not pattern.positive:
            bounds = negated_bounds(distances, pattern.variable, rule.constraints)
            negated = pattern.negated
            rows.extend(
                Distance(pattern.variable, reference, negated, None if lower == NEGATIVE_INFINITY else lower, upper)
                for reference, (lower, upper) in bounds.items()
            )
            continue
        for reference in distances.variables:
            if order[reference] < order[pattern.variable]:
                i, j = distances.variables.index(pattern.variable), distances.variables.index(reference)
                upper, lower = distances.greatest[i][j], distances.greatest[j][i]
                rows.append(Distance(pattern.variable, reference, False, None if lower is None else -lower, upper))
    return ClosureTable(rule.name, False, tuple(rows))


def _nowhere(rule: core.Rule, distances: Distances, session: Session) -> Iterable[Clash]:
    """Yield clashes: negations and sets whose windows no event is in, if the positive events lie in theirs."""
    for pattern in rule.patterns:
        if not pattern.positive:
            bounds = negated_bounds(distances, pattern.variable, rule.constraints)
            impossible = any(lower > upper for lower, upper in bounds.values())
            about = [c for c in rule.constraints if not c.negated or c.subject == pattern.variable]
            present = [replace(constraint, negated=False) for constraint in about]
            if impossible or _ranged([*distances.variables, pattern.variable], present).contradictory:
                yield _clash(rule, pattern.variable, about, session, ranged=not impossible)


def formula(constraint: core.Constraint | Distance) -> terms.Formula:
    """Return a constraint, or a row of a closure table that has an upper bound, as a formula over timestamps."""
    assert constraint.upper is not None
    return terms.relate_differences("t ", constraint.subject, constraint.reference, constraint.lower, constraint.upper)


def _clash(
    rule: core.Rule, variable: str | None, constraints: Sequence[core.Constraint], session: Session, *, ranged: bool
) -> Clash:
    labelled = {f"{number}": formula(constraint) for number, constraint in enumerate(constraints)}
    named = {name for constraint in constraints for name in (constraint.subject, constraint.reference)}
    ranges = [terms.timestamp_in_range(f"t {name}") for name in sorted(named)] if ranged else []
    name = f"{rule.name}: windows"
    with session.scope(*ranges):
        answer = session.ask(name, labelled=labelled)
        if answer.status is Status.SATISFIABLE:
            raise CheckerBug(f"{name}: shortest paths find a contradiction where the solver finds none")
        smallest = minimal_core(session, name, labelled, answer.core or tuple(labelled))
    return Clash(variable, tuple(constraints[int(label)] for label in smallest.labels), smallest.minimal, ranged)


def _certify(rule: core.Rule, table: ClosureTable, session: Session) -> bool:
    """Return whether the solver confirms that the constraints imply the table and the table implies them.

    Raise CheckerBug if it refutes that.
    """
    rows = [formula(row) for row in table.distances if row.upper is not None]
    if not rows:
        return True
    written = terms.both(*map(formula, rule.constraints))
    answer = session.ask(f"{rule.name}: closure", terms.negated(terms.same(written, terms.both(*rows))))
    if answer.status is Status.SATISFIABLE:
        raise CheckerBug(f"{rule.name}: the closure and the constraints differ")
    return answer.status is Status.UNSATISFIABLE


def _loose(rule: core.Rule, clashes: Sequence[Clash], selected: Collection[str]) -> Iterable[Looseness]:
    """Return the constraints that follow from the others, and those that the others narrow.

    Both are decided without the redundant constraints, so that all advice can be followed at once. A negated variable
    is bounded by its own constraints and those of the positive variables; it bounds nothing itself. A window in which
    an event is selected is never redundant: without it, or narrower, another event is selected.
    """
    order = [pattern.variable for pattern in rule.patterns]
    fixed = [c for c in rule.constraints if max(c.subject, c.reference, key=order.index) in selected]
    remaining = list(rule.constraints)
    results: list[Looseness] = []
    beyond = {clash.variable for clash in clashes}
    # Of two equivalent constraints, the later one is redundant.
    for constraint in reversed(rule.constraints):
        if constraint.subject in beyond or constraint in fixed:
            continue
        rest = [candidate for candidate in remaining if candidate is not constraint]
        if _implied(rule, constraint, rest):
            remaining = rest
            results.append(Looseness(constraint, None))
    for constraint in remaining:
        if constraint.subject in beyond or constraint in fixed:
            continue
        bounds = _between(rule, constraint, remaining)
        assert bounds is not None
        if _much(constraint, bounds, len(rule.positive)):
            results.append(Looseness(constraint, bounds))
    place = {id(constraint): number for number, constraint in enumerate(rule.constraints)}
    return sorted(results, key=lambda looseness: place[id(looseness.constraint)])


def _much(constraint: core.Constraint, tight: Interval, events: int) -> bool:
    """Return whether it is worth a note that the others narrow a constraint to `tight`.

    To require that events come strictly in order, within a minute of each other, one writes [1 ms, 1 minute] for each
    pair. That narrows each window by a millisecond for each event in between, which is nothing for a window of seconds.
    """
    lower = tight[0] if constraint.lower is None else constraint.lower
    narrowed = (tight[0] - lower) + (constraint.upper - tight[1])
    return narrowed > events or narrowed * 100 > constraint.upper - lower


def _implied(rule: core.Rule, constraint: core.Constraint, others: Sequence[core.Constraint]) -> bool:
    bounds = _between(rule, constraint, others)
    return bounds is not None and constraint.begins <= bounds[0] and bounds[1] <= constraint.upper


def _between(rule: core.Rule, about: core.Constraint, constraints: Sequence[core.Constraint]) -> Interval | None:
    """Return the bounds that `constraints` and the range of timestamps set between the two variables of `about`.

    None if no constraint relates them.
    """
    relevant = [
        # The closure leaves negated constraints out; here the negated variable is one of the variables.
        replace(constraint, negated=False)
        for constraint in constraints
        if not constraint.negated or (about.negated and constraint.subject == about.subject)
    ]
    positive = [pattern.variable for pattern in rule.positive]
    variables = [*positive, about.subject] if about.negated else positive
    if about.reference not in _related(about.subject, relevant):
        return None
    return _ranged(variables, relevant).between(about.subject, about.reference)
