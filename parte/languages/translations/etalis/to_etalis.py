"""Rules of PARTElang as rules of ETALIS.

The arguments of an event are its id, its timestamp, and the attributes that the rules mention; the head has the ids
that a match binds. Patterns are joined by AND under WHERE. An event that is absent between two events, in whatever way
their windows say so, becomes NOT between them. It may be compared with them by equality only, because an end of NOT is
an event and has no access to the other patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.lexis import WORDS
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Truth, Value
from parte.languages.translations.codes import CODES
from parte.languages.translations.connectives import TooManyAlternatives, alternatives, of_times
from parte.languages.translations.naming import Vocabulary
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct
from parte.semantics.partelang.syntax.temporal import Distances, closure
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import Spanned

_CONSTRUCTS = frozenset({Construct.CONNECTIVES, Construct.TIMES, Construct.SELECTIONS})
_MOST = 100
"""The greatest number of alternatives of the conditions of a rule."""
_ETALIS = Vocabulary("ETALIS", WORDS)


@dataclass(frozen=True, slots=True)
class InEtalis:
    """A program; the event of each template, with attributes; and the head of each rule, with its variables."""

    program: tree.Program
    events: Mapping[str, tuple[str, tuple[str, ...]]]
    heads: Mapping[str, tuple[str, tuple[str, ...]]]

    def stream(self, events: Iterable[Event]) -> list[Instant]:
        """Return a trace in order of time as a stream of ETALIS. Timestamps must not be negative."""
        atoms: dict[int, set[tuple[str, tuple[Value, ...]]]] = {}
        for event in events:
            if event.template in self.events:
                name, attributes = self.events[event.template]
                values = tuple(_value(event.attributes[attribute]) for attribute in attributes)
                atoms.setdefault(event.timestamp, set()).add((name, (event.id, event.timestamp, *values)))
        return [Instant(time, frozenset(atoms[time])) for time in sorted(atoms)]

    def bindings(self, results: Iterable[IntervalEvent]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
        """Return the matches of derived events: each a rule, with the ids by its variables."""
        rules = {name: (rule, variables) for rule, (name, variables) in self.heads.items()}
        return {
            (rules[result.name][0], tuple(zip(rules[result.name][1], map(str, result.arguments), strict=True)))
            for result in results
        }


def to_etalis(program: core.Program, rules: Sequence[core.Rule]) -> InEtalis:
    """Return the program of some rules. Raise ProgramError with every part that has no counterpart in ETALIS."""
    reporter = Reporter(program.source.text, CODES, program.source.files)
    for rule in rules:
        _ETALIS.refuse_undeclared(rule, _CONSTRUCTS, reporter)
    mentioned = _mentioned(rules)
    taken: set[str] = set()
    events = {
        template.name: (_named(template.name, taken), tuple(mentioned.get(template.name, ())))
        for template in program.templates
        if any(pattern.template == template.name for rule in rules for pattern in rule.patterns)
    }
    heads = {
        rule.name: (_named(rule.name, taken), tuple(pattern.variable for pattern in rule.positive)) for rule in rules
    }
    clauses: list[tree.Rule] = []
    for rule in rules:
        try:
            clauses += _Writing(program, rule, events, reporter).rules(heads[rule.name][0])
        except TooManyAlternatives:
            message = f"the conditions of {rule.name} have more than {_MOST} alternatives, each of which is a rule"
            reporter.report("too-large-translation", rule.span, message, "use fewer `or`")
    reporter.raise_if_failed()
    return InEtalis(tree.Program(tuple(clauses)), events, heads)


def _named(name: str, taken: set[str]) -> str:
    """Return a name of ETALIS for a name of PARTElang."""
    free = name[0].lower() + name[1:] if name[0].isalpha() else f"n{name}"
    free = _ETALIS.free(free, taken)
    taken.add(free)
    return free


def _mentioned(rules: Sequence[core.Rule]) -> dict[str, dict[str, None]]:
    """Return the attributes of each template that conditions mention."""
    mentioned: dict[str, dict[str, None]] = {}
    for rule in rules:
        templates = {pattern.variable: pattern.template for pattern in rule.patterns}
        for pattern in rule.patterns:
            for condition in pattern.conditions:
                for part in core.EXPRESSIONS.within(condition):
                    if isinstance(part, core.AttributeOf):
                        mentioned.setdefault(templates[part.variable], {})[part.attribute] = None
    return mentioned


def _value(value: object) -> Value:
    if isinstance(value, bool):
        return Truth.TRUE if value else Truth.FALSE
    assert isinstance(value, int | str)
    return value


_RELATIONS = {relation.value: relation for relation in tree.Relation}


@dataclass(slots=True)
class _Writing:
    """A rule that is being written. `equal` maps an attribute of an absent event to the variable of an end with its
    value; `endings` has the ends of the names of its variables, by which those of two alternatives differ."""

    program: core.Program
    core_rule: core.Rule
    events: Mapping[str, tuple[str, tuple[str, ...]]]
    reporter: Reporter
    equal: dict[tuple[str, str], tree.Variable] = field(default_factory=dict)
    endings: dict[str, str] = field(default_factory=dict)

    def rules(self, head: str) -> list[tree.Rule]:
        """Return the rules of ETALIS, one for each alternative of the conditions on positive patterns."""
        rule = self.core_rule
        self.refuse()
        windows = [
            term for constraint in rule.constraints if not constraint.negated for term in self.window(constraint)
        ]
        distances = closure([pattern.variable for pattern in rule.positive], rule.constraints)
        body, *others = [self.event(pattern) for pattern in rule.positive]
        others += [part for pattern in rule.patterns if pattern.negated for part in self.absent(pattern, distances)]
        for part in others:
            body = tree.Joined(body, tree.Operator.AND, part)
        ids = tuple(self.known("I", pattern.variable) for pattern in rule.positive)
        conditions = [condition for pattern in rule.positive for condition in pattern.conditions]
        rules = []
        for alternative in alternatives(conditions, _MOST):
            terms = [term for condition in alternative if (term := self.term(condition)) is not None]
            rules.append(tree.Rule(tree.EventPattern(head, ids), _where(body, [*terms, *windows])))
        return rules

    def no(self, span: Spanned, message: str, hint: str) -> None:
        """Report a part without a counterpart."""
        self.reporter.report("no-counterpart", span.span, message, hint)

    def refuse(self) -> None:
        """Report parts that ETALIS does not have, whatever the windows."""
        strata = dict(self.program.strata)
        for pattern in self.core_rule.patterns:
            if strata[pattern.template]:
                self.no(pattern, f"rules emit events of {pattern.template}", "translate rules that read none of these")
        for emission in self.core_rule.emissions:
            hint = "leave out what stands after `then`: the same events match"
            self.no(emission, "a rule of ETALIS cannot choose when its head happens", hint)

    def event(self, pattern: core.Pattern) -> tree.Pattern:
        """Return the event of a pattern."""
        name, attributes = self.events[pattern.template]
        own = pattern.variable
        values = (self.variable(own, attribute) for attribute in attributes)
        return tree.EventPattern(name, (self.known("I", own), self.known("T", own), *values))

    def variable(self, own: str, attribute: str) -> tree.Variable:
        """Return the variable of an attribute."""
        return self.equal.get((own, attribute), tree.Variable(f"{self.known('X', own).name}_{attribute}"))

    def known(self, what: str, own: str) -> tree.Variable:
        """Return the variable of the id or the timestamp of a pattern's event; the place of the pattern is part of
        its name."""
        place = next(place for place, pattern in enumerate(self.core_rule.patterns) if pattern.variable == own)
        return tree.Variable(f"{what}{place}{self.endings.get(own, '')}")

    def window(self, constraint: core.Constraint) -> list[tree.Term]:
        """Return a window as two comparisons of timestamps."""
        subject, reference = self.known("T", constraint.subject), self.known("T", constraint.reference)

        def shifted(by: int) -> tree.Term:
            return tree.Calculation(reference, tree.Arithmetic.PLUS, tree.Constant(by)) if by else reference

        return [
            tree.Comparison(subject, tree.Relation.GREATER_OR_EQUAL, shifted(constraint.begins)),
            tree.Comparison(subject, tree.Relation.LESS_OR_EQUAL, shifted(constraint.upper)),
        ]

    # --- Absence -----------------------------------------------------------------------------------------------------

    def absent(self, pattern: core.Pattern, distances: Distances) -> list[tree.Pattern]:
        """Return NOT of a negated pattern, between the two events that its windows name, for each alternative of its
        conditions; nothing if they name no two events."""
        ends = self.ends(pattern, distances)
        if ends is None:
            hint = "windows from 1 ms after one event, and to 1 ms before a later one, as long as they are apart"
            self.no(pattern, "NOT is between two events, one after the other", hint)
            return []
        first, last = (self.event(self.positive(variable)) for variable in ends)
        return [
            tree.Negation(self.filling(pattern, number, conditions, ends), first, last)
            for number, conditions in enumerate(alternatives(pattern.conditions, _MOST))
        ]

    def filling(
        self, pattern: core.Pattern, number: int, conditions: Sequence[core.Expression], ends: tuple[str, str]
    ) -> tree.Pattern:
        """Return an event that fills a negated pattern under an alternative of its conditions, with this number."""
        self.endings[pattern.variable] = f"_{number}" if number else ""
        self.equal = {key: value for key, value in self.equal.items() if key[0] != pattern.variable}
        own: list[core.Expression] = []
        for condition in conditions:
            if any(isinstance(part, core.TimestampOf) for part in core.EXPRESSIONS.within(condition)):
                self.no(condition, "the time of what is absent is said by windows only", "leave the condition out")
            elif core.variables_of(condition) <= {pattern.variable}:
                own.append(condition)
            elif not self.equated(pattern.variable, condition, ends):
                message = "what is absent can be compared with the events around it by equality only, each value once"
                self.no(condition, message, "leave the comparison out, or make it an equality")
        terms = [term for condition in own if (term := self.term(condition)) is not None]
        return _where(self.event(pattern), terms)

    def positive(self, variable: str) -> core.Pattern:
        """Return the pattern of a variable."""
        return next(pattern for pattern in self.core_rule.positive if pattern.variable == variable)

    def ends(self, pattern: core.Pattern, distances: Distances) -> tuple[str, str] | None:
        """Return the events between which a pattern is absent, or None. One window begins just after the first
        event, one ends just before the last, and both reach as far as the two events can be apart."""
        windows = [constraint for constraint in self.core_rule.constraints if constraint.subject == pattern.variable]
        if len(windows) != 2 or distances.contradictory:
            return None
        after, before = sorted(windows, key=lambda constraint: constraint.upper, reverse=True)
        apart = distances.between(before.reference, after.reference)
        if apart is None or apart[0] < 1 or after.lower != 1 or before.upper != -1:
            return None
        reach = apart[1] - 1
        return (after.reference, before.reference) if after.upper >= reach and -before.begins >= reach else None

    def equated(self, own: str, condition: core.Expression, ends: tuple[str, str]) -> bool:
        """Record that an attribute of an absent event equals one of an end. Return whether the condition says so."""
        match condition:
            case core.Comparison(operator="=", left=core.AttributeOf() as left, right=core.AttributeOf() as right):
                inner, outer = (left, right) if left.variable == own else (right, left)
                fits = inner.variable == own and outer.variable in ends and self.constant(inner.type)
                if fits and (own, inner.attribute) not in self.equal:
                    self.equal[own, inner.attribute] = self.variable(outer.variable, outer.attribute)
                    return True
        return False

    # --- Conditions --------------------------------------------------------------------------------------------------

    def constant(self, type_: core.Type) -> bool:
        """Return whether ETALIS has the values of a type: neither Floats, which not every reader takes as rationals,
        nor lists."""
        return type_ in (core.Scalar.INTEGER, core.Scalar.STRING, core.Scalar.BOOLEAN)

    def term(self, expression: core.Expression) -> tree.Term | None:
        """Return a term, or None, with a report, if ETALIS has none."""
        match expression:
            case core.Comparison() if (times := of_times(expression)) is not None:
                return tree.Comparison(self.time(times.left), _RELATIONS[times.operator], self.time(times.right))
            case core.Comparison(operator=operator, left=left, right=right):
                left_term, right_term = self.term(left), self.term(right)
                return (
                    None
                    if left_term is None or right_term is None
                    else tree.Comparison(left_term, _RELATIONS[operator], right_term)
                )
            case core.AttributeOf(variable=variable, attribute=attribute, type=type_) if self.constant(type_):
                return self.variable(variable, attribute)
            case core.Constant(value=value, type=type_) if self.constant(type_):
                return tree.Constant(_value(value))
            case core.TimestampOf() | core.TimeConstant():
                self.no(expression, "times are compared only, with others or by their difference", "do not calculate")
            case core.Negation() | core.Arithmetic():
                self.no(expression, "Integers of PARTElang have 64 bits, numbers of ETALIS no end", "do not calculate")
            case core.PredicateCall() | core.FunctionCall():
                self.no(expression, "ETALIS has no functions and no domain predicates", "leave it out")
            case core.Constant() | core.AttributeOf() | core.ToFloat() | core.ListExpression():
                self.no(expression, "ETALIS has rationals, and neither Floats nor lists", "use Integers")
            case _:
                raise AssertionError(f"{type(expression).__name__} is of level 2")
        return None

    def time(self, side: core.Expression) -> tree.Term:
        """Return a side of a comparison of times."""
        match side:
            case core.TimestampOf(variable=variable):
                return self.known("T", variable)
            case core.TimeConstant(milliseconds=milliseconds):
                return tree.Constant(milliseconds)
            case core.Arithmetic(left=left, right=right):
                return tree.Calculation(self.time(left), tree.Arithmetic.MINUS, self.time(right))
        raise AssertionError("this is no time")


def _where(pattern: tree.Pattern, conditions: Sequence[tree.Term]) -> tree.Pattern:
    for condition in conditions:
        pattern = tree.Where(pattern, condition)
    return pattern
