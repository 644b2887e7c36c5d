"""The unfolding of a pattern into events of the stream, with the constraints on their times and values.

The unfolding replaces a derived event by the body of a rule that derives it, one of them at each place, so a solution
is a stream on which the pattern happens, except for the absent parts of negations. If a pattern happens on some stream,
events of the stream are a solution: without a solution, the pattern happens on no stream. Recursion is unfolded a few
times; deeper events may be anything that is known of all events of their name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from parte.checker.solver import terms
from parte.checker.solver.terms import TRUE, Formula, choose
from parte.checker.solver.terms import Number as Real
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.values import Term, Values, same, strings_in
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number

DEEP = 2
"""The depth to which the rules of a name are unfolded within each other."""
MOST = 300
"""The greatest number of unfolded events; further derived ones may be anything."""

MOST_APART = 20
"""The greatest number of events that are required to be at different times."""

Times = tuple[Real, Real]
"""The begin and end of an event."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The program of a question: the names of events that the stream may have, all names if none are given; the
    greatest length of the events of each name; and the readings of E."""

    program: tree.Program
    in_streams: frozenset[str]
    longest: Mapping[str, Number | None]
    readings: Readings

    def rules_for(self, name: str) -> list[tree.Rule]:
        """Return the rules that derive events of a name."""
        return [rule for rule in self.program.rules if rule.head.name == name]


@dataclass(slots=True)
class Scope:
    """The variables of one rule, at one place of the unfolding."""

    values: Values
    known: dict[str, Term] = field(default_factory=dict)

    def term(self, term: tree.Term) -> Term:
        """Return the value of a term."""
        match term:
            case tree.Variable(name=name):
                if name not in self.known:
                    self.known[name] = self.values.fresh()
                return self.known[name]
            case tree.Constant(value=value):
                return self.values.constant(value)
            case tree.Calculation(left=left, operator=operator, right=right):
                return self.values.calculated(self.term(left), operator, self.term(right))
            case tree.Comparison(left=left, relation=relation, right=right):
                return self.values.compared(self.term(left), relation, self.term(right))

    def inner(self) -> Scope:
        """Return the same variables, to which variables of an absent part can be added."""
        return Scope(self.values, dict(self.known))


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event of the stream, if it is `used`."""

    name: str
    time: Real
    arguments: tuple[Term, ...]
    used: Formula


@dataclass(frozen=True, slots=True)
class Absence:
    """A pattern that is absent between two times, if its place is `used`."""

    pattern: tree.Pattern
    scope: Scope
    after: Real
    before: Real
    used: Formula


class Unfolding:
    """A pattern, or several under one assignment, unfolded. `definitions` are the requirements of a solution.

    `deep` is true of a solution that goes deeper than the unfolding. `quiet` makes sure that nothing happens between
    the ends of a negation, where this is not known otherwise.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.values = Values(strings_in(subject.program))
        self.scope = Scope(self.values)
        self.leaves: list[Leaf] = []
        self.deep, self.quiet = terms.boolean("deep"), terms.boolean("quiet")
        self.cut = False
        self.sides: dict[int, Formula] = {}
        """For the sides of OR of the pattern itself, by identity, whether they are used."""
        self._required: list[Formula] = []
        self._absences: list[Absence] = []
        self._names = self._events = 0

    @property
    def definitions(self) -> list[Formula]:
        """The requirements, including those of absent parts."""
        absent = [formula for absence in self._absences for formula in self._absent(absence)]
        return [*self._required, *self.values.definitions, *absent]

    def require(self, formula: Formula, used: Formula = TRUE) -> None:
        """Require a formula of solutions that use a place."""
        self._required.append(terms.implies(used, formula))

    def apart(self) -> Formula:
        """Return the formula that all events happen at different times."""
        used = self.leaves[:MOST_APART]
        return terms.both(
            *[
                terms.negated(terms.both(leaf.used, earlier.used, terms.equal(leaf.time, earlier.time)))
                for number, leaf in enumerate(used)
                for earlier in used[:number]
            ]
        )

    def plain(self) -> Formula:
        """Return the formula that all values of events are numbers."""
        return terms.both(
            *[terms.implies(leaf.used, argument.is_number) for leaf in self.leaves for argument in leaf.arguments]
        )

    # --- Patterns ----------------------------------------------------------------------------------------------------

    def pattern(self, pattern: tree.Pattern) -> Times:
        """Return the begin and end of the pattern."""
        return self._times(pattern, self.scope, TRUE, ())

    def head(self, rule: tree.Rule) -> Formula:
        """Return the formula that the arguments of a head have values."""
        return terms.both(*[self.scope.term(argument).exists for argument in rule.head.arguments])

    def _times(self, pattern: tree.Pattern, scope: Scope, used: Formula, path: tuple[str, ...]) -> Times:
        match pattern:
            case tree.EventPattern():
                return self._event(pattern, scope, used, path)
            case tree.Moment(time=time):
                return terms.rational(time), terms.rational(time)
            case tree.Where(operand=operand, condition=condition):
                times = self._times(operand, scope, used, path)
                self.require(scope.term(condition).is_true, used)
                return times
            case tree.Lasting(operand=operand, length=length):
                start, end = self._times(operand, scope, used, path)
                self.require(self.lasts(start, end, length), used)
                return start, end
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                sides = self._one_of(2, used)
                if not path:
                    self.sides |= {id(left): sides[0], id(right): sides[1]}
                times_of_sides = [
                    self._times(operand_of_side, scope, side, path)
                    for operand_of_side, side in zip((left, right), sides, strict=True)
                ]
                return self._merged(times_of_sides, sides)
            case tree.Joined(left=left, operator=operator, right=right):
                first_times, second_times = self._times(left, scope, used, path), self._times(right, scope, used, path)
                self.require(related(operator, first_times, second_times, self.subject.readings), used)
                return whole(operator, first_times, second_times)
            case tree.Negation(absent=absent, first=first, last=last):
                (start, after), (before, end) = [
                    self._times(end_pattern, scope, used, path) for end_pattern in (first, last)
                ]
                self.require(terms.below(after, before), used)
                self._absences.append(Absence(absent, scope, after, before, used))
                return start, end

    def lasts(self, start: Real, end: Real, length: Number) -> Formula:
        """Return the formula that an interval is one of `(P).length`."""
        lasting, most = terms.minus(end, start), terms.rational(length)
        exactly = self.subject.readings.lasting == "exactly"
        return terms.equal(lasting, most) if exactly else terms.at_most(lasting, most)

    def _event(self, pattern: tree.EventPattern, scope: Scope, used: Formula, path: tuple[str, ...]) -> Times:
        name, arguments = pattern.name, tuple(map(scope.term, pattern.arguments))
        self._events += 1
        rules = self.subject.rules_for(name)
        unfolded = path.count(name) < DEEP and self._events <= MOST
        in_stream = name in self.subject.in_streams
        sides = self._one_of(in_stream + (len(rules) if unfolded else bool(rules)), used)
        times: list[Times] = []
        if in_stream:
            time = self.fresh()
            self.leaves.append(Leaf(name, time, arguments, sides[0]))
            times.append((time, time))
        if unfolded:
            for rule, side in zip(rules, sides[in_stream:], strict=True):
                inner = Scope(self.values)
                times.append(self._times(rule.body, inner, side, (*path, name)))
                for term, argument in zip(rule.head.arguments, arguments, strict=True):
                    value = inner.term(term)
                    self.require(terms.both(value.exists, same(value, argument)), side)
        elif rules:
            times.append(self._anything(name, sides[-1]))
        return self._merged(times, sides)

    def _anything(self, name: str, used: Formula) -> Times:
        """Return the times of an event of which only the greatest length is known."""
        self.cut = True
        start, end, longest = self.fresh(), self.fresh(), self.subject.longest.get(name)
        self.require(self.deep, used)
        self.require(terms.at_most(start, end), used)
        if longest is not None:
            self.require(terms.at_most(terms.minus(end, start), terms.rational(longest)), used)
        return start, end

    def fresh(self) -> Real:
        """Return a new time."""
        self._names += 1
        time = terms.real(f"time {self._names}")
        self.require(terms.at_most(terms.rational(0), time))
        return time

    def _one_of(self, count: int, used: Formula) -> list[Formula]:
        """Return for each alternative whether it is used: exactly one of them, if the whole is used."""
        if count == 1:
            return [used]
        self._names += 1
        sides = [terms.boolean(f"side {self._names}.{number}") for number in range(count)]
        self.require(terms.either(*sides), used)
        for number, side in enumerate(sides):
            self.require(terms.both(used, *[terms.negated(earlier) for earlier in sides[:number]]), side)
        return sides

    def _merged(self, times: list[Times], sides: list[Formula]) -> Times:
        if not times:
            return terms.rational(0), terms.rational(0)
        start, end = times[-1]
        for (side_start, side_end), side in zip(reversed(times[:-1]), reversed(sides[:-1]), strict=True):
            start, end = choose(side, side_start, start), choose(side, side_end, end)
        return start, end

    # --- Absent patterns ---------------------------------------------------------------------------------------------

    def _absent(self, absence: Absence) -> Iterator[Formula]:
        """Yield the formulas that no event of the solution is between the two ends, if the pattern is a single event;
        else only if the solution is `quiet`."""
        exact = _single(absence.pattern, self.subject)
        for leaf in self.leaves:
            between = terms.both(terms.below(absence.after, leaf.time), terms.below(leaf.time, absence.before))
            pierced = self._fits(absence.pattern, leaf, absence.scope.inner())
            if pierced is not None:
                yield terms.negated(terms.both(absence.used, leaf.used, between, pierced))
            if not exact:
                yield terms.negated(terms.both(self.quiet, absence.used, leaf.used, between))
        for time in _moments(absence.pattern):
            moment = terms.rational(time)
            between = terms.both(terms.below(absence.after, moment), terms.below(moment, absence.before))
            yield terms.negated(terms.both(absence.used, between))

    def _fits(self, pattern: tree.Pattern, leaf: Leaf, scope: Scope) -> Formula | None:
        """Return the formula that the event alone fits the pattern; None if this is unknown."""
        match pattern:
            case tree.EventPattern(name=name, arguments=arguments):
                if name != leaf.name:
                    return None
                agreed: list[Formula] = []
                for term, value in zip(arguments, leaf.arguments, strict=True):
                    if isinstance(term, tree.Variable) and term.name not in scope.known:
                        scope.known[term.name] = value
                    else:
                        agreed.append(same(scope.term(term), value))
                return terms.both(*agreed)
            case tree.Where(operand=operand, condition=condition):
                fits = self._fits(operand, leaf, scope)
                return None if fits is None else terms.both(fits, scope.term(condition).is_true)
            case tree.Lasting(operand=operand, length=length):
                fits = self._fits(operand, leaf, scope)
                instant = self.lasts(leaf.time, leaf.time, length)
                return None if fits is None else terms.both(fits, instant)
            case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
                sides = [self._fits(side, leaf, scope.inner()) for side in (left, right)]
                known = [side_fits for side_fits in sides if side_fits is not None]
                return terms.either(*known) if known else None
            case _:
                return None


def _single(pattern: tree.Pattern, subject: Subject) -> bool:
    """Return whether a pattern is a single event of the stream, or a point in time."""
    match pattern:
        case tree.EventPattern(name=name):
            return not subject.rules_for(name)
        case tree.Moment():
            return True
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            return _single(operand, subject) and not any(_moments(operand))
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return _single(left, subject) and _single(right, subject)
        case _:
            return False


def _moments(pattern: tree.Pattern) -> Iterator[Number]:
    """Yield the points in time that are a pattern, or a side of it."""
    match pattern:
        case tree.Moment(time=time):
            yield time
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            yield from _moments(left)
            yield from _moments(right)


def related(operator: tree.Operator, first: Times, second: Times, readings: Readings) -> Formula:
    """Return the formula that `first operator second` has an interval (E fig. 2)."""
    (q1, q2), (q3, q4) = first, second
    below, equal, both = terms.below, terms.equal, terms.both
    match operator:
        case tree.Operator.SEQ:
            return below(q2, q3)
        case tree.Operator.PAR:
            return both(below(q1, q2), below(q1, q4), below(q3, q2), below(q3, q4))
        case tree.Operator.EQUALS:
            return both(equal(q1, q3), equal(q2, q4))
        case tree.Operator.MEETS:
            return equal(q2, q3)
        case tree.Operator.DURING:
            lasts = TRUE if readings.during == "instants" else below(q1, q2)
            return both(below(q3, q1), lasts, below(q2, q4))
        case tree.Operator.STARTS:
            return both(equal(q1, q3), below(q2, q4))
        case tree.Operator.FINISHES:
            return both(equal(q2, q4), below(q3, q1))
        case tree.Operator.AND | tree.Operator.OR:
            return TRUE
        case _:
            assert_never(operator)


def whole(operator: tree.Operator, first: Times, second: Times) -> Times:
    """Return the interval of `first operator second`."""
    (q1, q2), (q3, q4) = first, second
    match operator:
        case tree.Operator.SEQ | tree.Operator.MEETS:
            return q1, q4
        case tree.Operator.DURING | tree.Operator.STARTS | tree.Operator.FINISHES:
            return q3, q4
        case tree.Operator.EQUALS:
            return q1, q2
        case tree.Operator.AND | tree.Operator.OR | tree.Operator.PAR:
            start = choose(terms.at_most(q1, q3), q1, q3)
            return start, choose(terms.at_most(q2, q4), q4, q2)
        case _:
            assert_never(operator)


def given_names(program: tree.Program) -> frozenset[str]:
    """Return the names of events that come from the stream: those without rules, and those whose rules only use
    themselves, which could not happen otherwise."""
    derived_names = {rule.head.name for rule in program.rules}
    names = {name for rule in program.rules for name in needed(rule.body)}
    founded_names: set[str] = set()
    while True:
        known = founded_names | (names - derived_names)
        more = {rule.head.name for rule in program.rules if _founded(rule.body, known)} - founded_names
        if not more:
            return frozenset((names - derived_names) | (names - founded_names))
        founded_names |= more


def _founded(pattern: tree.Pattern, known: Collection[str]) -> bool:
    """Return whether the pattern can happen by events with these names, ignoring their times and values."""
    match pattern:
        case tree.EventPattern(name=name):
            return name in known
        case tree.Moment():
            return True
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            return _founded(operand, known)
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return _founded(left, known) or _founded(right, known)
        case tree.Joined(left=left, right=right):
            return _founded(left, known) and _founded(right, known)
        case tree.Negation(first=first, last=last):
            return _founded(first, known) and _founded(last, known)


def needed(pattern: tree.Pattern) -> frozenset[str]:
    """Return the names of the events in a pattern, absent ones included."""
    return frozenset(node.name for node in tree.within(pattern) if isinstance(node, tree.EventPattern))


def slice_of(program: tree.Program, patterns: Collection[tree.Pattern]) -> tree.Program:
    """Return the program with the rules that patterns depend on."""
    names = {name for pattern in patterns for name in needed(pattern)}
    while True:
        rules = tuple(rule for rule in program.rules if rule.head.name in names)
        more = {name for rule in rules for name in needed(rule.body)} - names
        if not more:
            return replace(program, rules=rules)
        names |= more
