"""What a pattern is made of in the end: events of the stream, with the times and values that it asks of them.

A derived event is unfolded into the body of a rule that makes it, one of them at each place, so a solution is a stream
on which the pattern happens, but for what a negation wants absent. What happens on some stream is made of events of it
that are a solution: no solution is a proof that the pattern happens on none. Recursion is unfolded a few times; where
it goes deeper, an event is taken to be anything that is known of all events of its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from parte.checker.solver import terms
from parte.checker.solver.terms import TRUE, Formula, choose
from parte.checker.solver.terms import Number as Real
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.values import Term, Values, same, strings_in
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number

DEEP = 2
"""So many times the rules of a name are unfolded within each other."""
MOST = 300
"""So many events are unfolded; further derived ones are taken to be anything."""

MOST_APART = 20
"""So many events are asked to be at different times."""

Times = tuple[Real, Real]
"""When something begins and ends."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A program as it is asked about: the names of events that the stream may have, all of them if there are none
    given; how long the events of each name last at most; and how E is read."""

    program: tree.Program
    given: frozenset[str]
    longest: Mapping[str, Number | None]
    readings: Readings

    def rules_for(self, name: str) -> list[tree.Rule]:
        """The rules that make events of a name."""
        return [rule for rule in self.program.rules if rule.head.name == name]


@dataclass(slots=True)
class Scope:
    """The variables of one rule, as it is used at one place."""

    values: Values
    known: dict[str, Term] = field(default_factory=dict)

    def term(self, term: tree.Term) -> Term:
        """The value of a term."""
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
        """The same variables, and others that only what is absent has."""
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
    """Between these two times a pattern is absent, if the place where it stands is `used`."""

    pattern: tree.Pattern
    scope: Scope
    after: Real
    before: Real
    used: Formula


class Unfolding:
    """A pattern, or several under one assignment, unfolded. What is required of a solution is in `definitions`.

    `deep` must hold of a solution that goes deeper than what is unfolded. `quiet` makes sure, where it is not known
    otherwise, that nothing is between what it is to be absent from.
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
        """What is required, of what is absent too."""
        absent = [each for absence in self._absences for each in self._absent(absence)]
        return [*self._required, *self.values.definitions, *absent]

    def require(self, formula: Formula, used: Formula = TRUE) -> None:
        """A solution that uses a place is like this."""
        self._required.append(terms.implies(used, formula))

    def apart(self) -> Formula:
        """All events happen at different times."""
        used = self.leaves[:MOST_APART]
        return terms.both(
            *[
                terms.negated(terms.both(one.used, other.used, terms.equal(one.time, other.time)))
                for number, one in enumerate(used)
                for other in used[:number]
            ]
        )

    def plain(self) -> Formula:
        """All values of events are numbers."""
        return terms.both(
            *[terms.implies(leaf.used, each.is_number) for leaf in self.leaves for each in leaf.arguments]
        )

    # --- Patterns ----------------------------------------------------------------------------------------------------

    def pattern(self, pattern: tree.Pattern) -> Times:
        """When the pattern happens."""
        return self._times(pattern, self.scope, TRUE, ())

    def head(self, rule: tree.Rule) -> Formula:
        """The arguments of a head have values."""
        return terms.both(*[self.scope.term(each).exists for each in rule.head.arguments])

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
                found = [self._times(each, scope, side, path) for each, side in zip((left, right), sides, strict=True)]
                return self._merged(found, sides)
            case tree.Joined(left=left, operator=operator, right=right):
                one, other = self._times(left, scope, used, path), self._times(right, scope, used, path)
                self.require(related(operator, one, other, self.subject.readings), used)
                return whole(operator, one, other)
            case tree.Negation(absent=absent, first=first, last=last):
                (start, after), (before, end) = [self._times(each, scope, used, path) for each in (first, last)]
                self.require(terms.below(after, before), used)
                self._absences.append(Absence(absent, scope, after, before, used))
                return start, end

    def lasts(self, start: Real, end: Real, length: Number) -> Formula:
        """It is one of `(P).length`."""
        lasting, most = terms.minus(end, start), terms.rational(length)
        exactly = self.subject.readings.lasting == "exactly"
        return terms.equal(lasting, most) if exactly else terms.at_most(lasting, most)

    def _event(self, pattern: tree.EventPattern, scope: Scope, used: Formula, path: tuple[str, ...]) -> Times:
        name, arguments = pattern.name, tuple(map(scope.term, pattern.arguments))
        self._events += 1
        rules = self.subject.rules_for(name)
        unfolded = path.count(name) < DEEP and self._events <= MOST
        given = name in self.subject.given
        sides = self._one_of(given + (len(rules) if unfolded else bool(rules)), used)
        found: list[Times] = []
        if given:
            time = self.fresh()
            self.leaves.append(Leaf(name, time, arguments, sides[0]))
            found.append((time, time))
        if unfolded:
            for rule, side in zip(rules, sides[given:], strict=True):
                inner = Scope(self.values)
                found.append(self._times(rule.body, inner, side, (*path, name)))
                for term, argument in zip(rule.head.arguments, arguments, strict=True):
                    value = inner.term(term)
                    self.require(terms.both(value.exists, same(value, argument)), side)
        elif rules:
            found.append(self._anything(name, sides[-1]))
        return self._merged(found, sides)

    def _anything(self, name: str, used: Formula) -> Times:
        """An event of which no more is known than how long it lasts at most."""
        self.cut = True
        start, end, longest = self.fresh(), self.fresh(), self.subject.longest.get(name)
        self.require(self.deep, used)
        self.require(terms.at_most(start, end), used)
        if longest is not None:
            self.require(terms.at_most(terms.minus(end, start), terms.rational(longest)), used)
        return start, end

    def fresh(self) -> Real:
        """A time."""
        self._names += 1
        time = terms.real(f"time {self._names}")
        self.require(terms.at_most(terms.rational(0), time))
        return time

    def _one_of(self, count: int, used: Formula) -> list[Formula]:
        """Whether each of several alternatives is used: just one of them, where the whole is."""
        if count == 1:
            return [used]
        self._names += 1
        sides = [terms.boolean(f"side {self._names}.{number}") for number in range(count)]
        self.require(terms.either(*sides), used)
        for number, side in enumerate(sides):
            self.require(terms.both(used, *[terms.negated(other) for other in sides[:number]]), side)
        return sides

    def _merged(self, found: list[Times], sides: list[Formula]) -> Times:
        if not found:
            return terms.rational(0), terms.rational(0)
        start, end = found[-1]
        for (one, other), side in zip(reversed(found[:-1]), reversed(sides[:-1]), strict=True):
            start, end = choose(side, one, start), choose(side, other, end)
        return start, end

    # --- What is absent ----------------------------------------------------------------------------------------------

    def _absent(self, absence: Absence) -> Iterator[Formula]:
        """No event of the solution is between the two ends, if the pattern is of a single event; else that is so where
        it is `quiet`."""
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
        """The event alone fits the pattern; None if that is not said."""
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
                sides = [self._fits(each, leaf, scope.inner()) for each in (left, right)]
                known = [each for each in sides if each is not None]
                return terms.either(*known) if known else None
            case _:
                return None


def _single(pattern: tree.Pattern, subject: Subject) -> bool:
    """A pattern is of a single event of the stream, or a point in time."""
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
    """Points in time that are a pattern, or a side of it."""
    match pattern:
        case tree.Moment(time=time):
            yield time
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            yield from _moments(left)
            yield from _moments(right)


def related(operator: tree.Operator, one: Times, other: Times, readings: Readings) -> Formula:
    """`one operator other` has an interval (E fig. 2)."""
    (q1, q2), (q3, q4) = one, other
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
        case _:
            return TRUE


def whole(operator: tree.Operator, one: Times, other: Times) -> Times:
    """The interval of `one operator other`."""
    (q1, q2), (q3, q4) = one, other
    match operator:
        case tree.Operator.SEQ | tree.Operator.MEETS:
            return q1, q4
        case tree.Operator.DURING | tree.Operator.STARTS | tree.Operator.FINISHES:
            return q3, q4
        case tree.Operator.EQUALS:
            return q1, q2
        case _:
            start = choose(terms.at_most(q1, q3), q1, q3)
            return start, choose(terms.at_most(q2, q4), q4, q2)


def given_names(program: tree.Program) -> frozenset[str]:
    """The names of events that come from outside: those that no rule makes, and those that rules make of themselves
    only, which come to nothing otherwise."""
    made = {rule.head.name for rule in program.rules}
    names = {each for rule in program.rules for each in needed(rule.body)}
    found: set[str] = set()
    while True:
        known = found | (names - made)
        more = {rule.head.name for rule in program.rules if _founded(rule.body, known)} - found
        if not more:
            return frozenset((names - made) | (names - found))
        found |= more


def _founded(pattern: tree.Pattern, known: Collection[str]) -> bool:
    """The pattern can come of events with these names, whatever their times and values are."""
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
    """The names of events that a pattern looks for, what is absent included."""
    return frozenset(node.name for node in tree.within(pattern) if isinstance(node, tree.EventPattern))


def slice_of(program: tree.Program, patterns: Collection[tree.Pattern]) -> tree.Program:
    """The rules that patterns need in the end."""
    names = {name for pattern in patterns for name in needed(pattern)}
    while True:
        rules = tuple(rule for rule in program.rules if rule.head.name in names)
        more = {name for rule in rules for name in needed(rule.body)} - names
        if not more:
            return replace(program, rules=rules)
        names |= more
