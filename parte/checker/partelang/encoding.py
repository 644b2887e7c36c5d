"""Translation of claims to formulas, in a given arithmetic, and of a model back to events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never, cast

from parte.checker.partelang import contents, texts
from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not, Window
from parte.checker.partelang.witness import Witness, default_value
from parte.checker.solver import regular, sequences, terms
from parte.checker.solver.arithmetic import Arithmetic
from parte.checker.solver.queries import Model
from parte.checker.solver.sequences import Sequences, Text
from parte.checker.solver.strings import Strings
from parte.checker.solver.terms import Formula, Number
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.partelang.syntax.zones import UTC
from parte.semantics.source.regular import Regular

LARGEST_TABLE = 200
"""Tables with more rows are treated as unknown relations, about which less can be proved."""

_NUMBERS = (Scalar.INTEGER, Scalar.FLOAT)
_SHOWN = {"time_of_day": (0, 86_399_999), "weekday": (1, 7)}
"""The least and the greatest number that a clock shows."""
_DAY = 86_400_000
_EARLIEST, _LATEST = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last millisecond of the years 1 to 9999."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of some type, and the formula that it has a value."""

    term: object
    has: Formula
    type: Scalar

    @property
    def number(self) -> Number:
        return cast(Number, self.term)

    @property
    def formula(self) -> Formula:
        return cast(Formula, self.term)

    @property
    def text(self) -> Text:
        return cast(Text, self.term)


@dataclass(frozen=True, slots=True)
class _Call:
    """An application of an unknown predicate."""

    predicate: str
    arguments: tuple[_Term, ...]
    result: Formula


class Encoding:
    """The claims about one set of variables, each bound to an event of a template."""

    def __init__(
        self,
        variables: Mapping[str, core.Template],
        arithmetic: Arithmetic,
        strings: Strings,
        domain: Predicates,
        candidates: Mapping[str, Sequence[contents.Candidate]] | None = None,
    ) -> None:
        """Without candidates, an aggregate is any value: claims have to say what holds of it.

        With `Sequences` as strings, the functions that `reads_text` accepts are read; else they are any functions.
        """
        self._variables = variables
        self._candidates = candidates
        self._arithmetic = arithmetic
        self._strings = strings
        self._in_sequences = isinstance(strings, Sequences)
        self._in_parts = isinstance(strings, Sequences) and strings.in_parts
        self._domain = domain
        self._definitions: list[Formula] = []
        self._known: dict[str, _Term] = {}
        self._attributes: dict[tuple[str, str], _Term] = {}
        self._calls: list[_Call] = []
        self._times: dict[str, Number] = {}

    def definitions(self) -> list[Formula]:
        """Return the assumptions about the terms in all formulas built so far."""
        return [*self._arithmetic.definitions, *self._definitions]

    def formula(self, claim: Claim) -> Formula:
        """Return the claim as a formula."""
        match claim:
            case Holds(condition=condition):
                encoded = self._term(condition)
                return terms.both(encoded.has, encoded.formula)
            case HasValue(expression=expression):
                return self._term(expression).has
            case Window(subject=subject, reference=reference, lower=lower, upper=upper):
                if subject == reference:
                    return terms.truth(lower <= 0 <= upper)
                difference = terms.minus(self._time(subject), self._time(reference))
                return terms.between(terms.whole(lower), difference, terms.whole(upper))
            case Not(claim=inner):
                return terms.negated(self.formula(inner))
            case Every(claims=claims):
                return terms.both(*[self.formula(part) for part in claims])

    def _time(self, variable: str) -> Number:
        if variable not in self._times:
            time = terms.integer(f"{variable} timestamp")
            self._definitions.append(terms.between(terms.whole(LEAST_INTEGER), time, terms.whole(GREATEST_INTEGER)))
            self._times[variable] = time
        return self._times[variable]

    def _timestamp(self, variable: str) -> _Term:
        number = self._arithmetic.of_integer(self._time(variable))
        return _Term(number, terms.TRUE, Scalar.INTEGER)

    def _clock_of_utc(self, function: str, time: Number) -> _Term:
        if function == "weekday":
            monday_first = terms.remainder(terms.plus(terms.quotient(time, _DAY), terms.whole(3)), 7)
            day = terms.plus(monday_first, terms.whole(1))
        else:
            day = terms.remainder(time, _DAY)
        has = terms.between(terms.whole(_EARLIEST), time, terms.whole(_LATEST))
        return _Term(self._arithmetic.of_integer(day), has, Scalar.INTEGER)

    def _clock(self, function: str, zone: str, timestamp: _Term, type_: Scalar) -> _Term:
        """Encode what a clock shows as any function of the timestamp, with results in their range."""
        reading = self._unread(f"{function} {zone}", [timestamp], type_)
        if function in _SHOWN:
            least, greatest = (self._arithmetic.constant(end, type_) for end in _SHOWN[function])
            self._definitions += [
                terms.negated(self._arithmetic.less(reading.number, least, type_)),
                terms.negated(self._arithmetic.less(greatest, reading.number, type_)),
            ]
        return reading

    # --- Expressions -------------------------------------------------------------------------------------------------

    def _term(self, expression: core.Expression) -> _Term:
        # By its representation, which distinguishes -0.0 from 0.0, as equality does not; spans are not part of it.
        key = repr(expression)
        if key not in self._known:
            self._known[key] = self._encode(expression)
        return self._known[key]

    def _encode(self, expression: core.Expression) -> _Term:
        match expression:
            case core.Constant(value=value, type=type_):
                return _Term(self._constant(value, type_), terms.TRUE, type_)
            case core.AttributeOf(variable=variable, attribute=attribute, type=Scalar() as type_):
                return self._attribute(variable, attribute, type_, optional=expression.optional)
            case core.TimeConstant(milliseconds=milliseconds):
                return _Term(self._arithmetic.constant(milliseconds, Scalar.INTEGER), terms.TRUE, Scalar.INTEGER)
            case core.TimestampOf(variable=variable):
                return self._timestamp(variable)
            case core.ClockReading(function=function, variable=variable, zone=zone):
                if reads_exactly(expression):
                    return self._clock_of_utc(function, self._time(variable))
                return self._clock(function, zone, self._timestamp(variable), _scalar(expression))
            case core.ToFloat(operand=operand):
                inner = self._term(operand)
                return _Term(self._arithmetic.to_float(inner.number), inner.has, Scalar.FLOAT)
            case core.Negation(operand=operand, type=type_):
                inner = self._term(operand)
                number, fits = self._arithmetic.negation(inner.number, type_)
                return _Term(number, terms.both(inner.has, fits), type_)
            case core.Arithmetic(operator=operator, left=left, right=right, type=type_):
                return self._operation(operator, self._term(left), self._term(right), type_)
            case core.Comparison(operator=operator, left=left, right=right):
                if self._in_sequences and operator in ("=", "!=") and (change := _changed(left, right)) is not None:
                    term = self._described(change[0], regular.exactly(change[1]))
                    return term if operator == "=" else replace(term, term=terms.negated(term.formula))
                return self._comparison(operator, self._term(left), self._term(right))
            case core.Compound(connective=connective, operands=joined):
                return _connected(connective, [self._term(operand) for operand in joined])
            case core.Not(operand=operand):
                inner = self._term(operand)
                return _Term(terms.negated(inner.formula), inner.has, Scalar.BOOLEAN)
            case core.Presence(operand=operand, present=present):
                has = self._term(operand).has
                return _Term(has if present else terms.negated(has), terms.TRUE, Scalar.BOOLEAN)
            case core.PredicateCall(predicate=predicate, arguments=arguments):
                return self._predicate(predicate, [self._term(argument) for argument in arguments])
            case core.FunctionCall(function=function, arguments=arguments, type=type_):
                if self._in_sequences and function in TEXTS:
                    return TEXTS[function](self, arguments)
                operands = [self._term(argument) for argument in arguments]
                if function not in FUNCTIONS:
                    return self._unread(function, operands, type_)
                return FUNCTIONS[function](self, operands, type_)
            case core.PatternTest(function=function, operand=operand, pattern=pattern):
                if self._in_sequences and reads_text(expression):
                    return self._described(operand, texts.PATTERNS[function](pattern))
                # The pattern is a part of the name: each pattern is a function of its own.
                return self._unread(f"{function} {pattern}", [self._term(operand)], Scalar.BOOLEAN)
            case core.Aggregate(variable=variable):
                if self._candidates is None:
                    return self._any_aggregate(expression)
                return self._aggregate(expression, self._candidates[variable])
            case core.AttributeOf() | core.ListExpression():
                raise TypeError(f"no condition holds {type(expression).__name__}")
            case _:
                assert_never(expression)

    def _constant(self, value: int | float | str | bool, type_: Scalar) -> object:
        match type_, value:
            case Scalar.STRING, str():
                return self._strings.constant(value)
            case Scalar.BOOLEAN, bool():
                return terms.truth(value)
            case _, int() | float():
                return self._arithmetic.constant(value, type_)
            case _:
                raise TypeError(f"{value!r} is not of type {type_.value}")

    def _attribute(self, variable: str, attribute: str, type_: Scalar, *, optional: bool) -> _Term:
        key = variable, attribute
        if key not in self._attributes:
            # An attribute that an event lacks has a term all the same, of which nothing follows.
            has = terms.boolean(f"{variable}.{attribute} presence") if optional else terms.TRUE
            self._attributes[key] = _Term(self._variable(f"{variable}.{attribute}", type_), has, type_)
        return self._attributes[key]

    def _variable(self, name: str, type_: Scalar) -> object:
        if type_ is Scalar.BOOLEAN:
            return terms.boolean(f"{name} truth")
        if type_ is Scalar.STRING:
            text, is_string = self._strings.variable(name)
            self._definitions.append(is_string)
            return text
        return self._arithmetic.variable(name, type_)

    def _operation(self, operator: str, left: _Term, right: _Term, type_: Scalar) -> _Term:
        number, fits = self._arithmetic.operation(operator, left.number, right.number, type_)
        return _Term(number, terms.both(left.has, right.has, fits), type_)

    def _comparison(self, operator: str, left: _Term, right: _Term) -> _Term:
        has = terms.both(left.has, right.has)
        match operator:
            case "=":
                result = self._equal(left, right)
            case "!=":
                result = terms.negated(self._equal(left, right))
            case "<":
                result = self._less(left, right)
            case ">":
                result = self._less(right, left)
            case "<=":
                result = terms.negated(self._less(right, left))
            case ">=":
                result = terms.negated(self._less(left, right))
            case _:
                raise ValueError(f"{operator} is not a comparison")
        return _Term(result, has, Scalar.BOOLEAN)

    def _equal(self, left: _Term, right: _Term) -> Formula:
        if left.type is Scalar.BOOLEAN:
            return terms.same(left.formula, right.formula)
        if left.type is Scalar.STRING:
            return terms.equal(left.number, right.number)
        return self._arithmetic.equal(left.number, right.number, left.type)

    def _less(self, left: _Term, right: _Term) -> Formula:
        if left.type is Scalar.STRING:
            return terms.below(left.number, right.number)
        return self._arithmetic.less(left.number, right.number, left.type)

    def _identity(self, arguments: Sequence[_Term]) -> list[object]:
        parts: list[object] = []
        for argument in arguments:
            if argument.type in _NUMBERS:
                parts.extend(self._arithmetic.identity(argument.number, argument.type))
            else:
                parts.append(argument.term)
        return parts

    # --- Aggregates ---------------------------------------------------------------------------------------------------

    def _any_aggregate(self, aggregate: core.Aggregate) -> _Term:
        """Encode an aggregate as any value; numbers of events have one, of others claims say whether they have."""
        name = f"{aggregate.variable} {aggregate.function} {aggregate.distinct} {aggregate.attribute}"
        always = aggregate.function in ("exists", "count")
        has = terms.TRUE if always else terms.boolean(f"{name} has a value")
        return _Term(self._variable(name, aggregate.type), has, aggregate.type)

    def _aggregate(self, aggregate: core.Aggregate, candidates: Sequence[contents.Candidate]) -> _Term:
        """Encode an aggregate of those candidates that are elements."""
        items, of = [], aggregate.type
        for candidate in candidates:
            inside, time = self.formula(candidate.inside), self._time(candidate.event)
            value: object = time
            template = self._variables[candidate.event]
            for attribute in template.attributes:
                if attribute.name == aggregate.attribute and isinstance(attribute.type, Scalar):
                    of = attribute.type
                    term = self._term(core.AttributeOf(candidate.event, attribute.name, of))
                    inside, value = terms.both(inside, term.has), term.term
            items.append(contents.Item(inside, candidate.copies, value, time))
        some = terms.either(*[item.inside for item in items])

        def less(left: object, right: object) -> Formula:
            if of is Scalar.BOOLEAN:
                return terms.both(terms.negated(cast(Formula, left)), cast(Formula, right))
            return self._less(_Term(left, terms.TRUE, of), _Term(right, terms.TRUE, of))

        def equal(left: object, right: object) -> Formula:
            return self._equal(_Term(left, terms.TRUE, of), _Term(right, terms.TRUE, of))

        def before(left: contents.Item, right: contents.Item) -> Formula:
            tie = terms.both(terms.equal(left.time, right.time), less(left.value, right.value))
            return terms.either(terms.below(left.time, right.time), tie)

        match aggregate.function:
            case "exists":
                return _Term(some, terms.TRUE, aggregate.type)
            case "count" if aggregate.distinct:
                return _Term(contents.number_of_values(items, equal), terms.TRUE, aggregate.type)
            case "count":
                return _Term(contents.number_of(items), terms.TRUE, aggregate.type)
            case "sum":
                total = contents.total_of(items, of)
                return _Term(total, self._arithmetic.in_range(total, of), aggregate.type)
            case "avg":
                return _Term(contents.mean_of(items, of), some, aggregate.type)
            case "min":
                value = contents.chosen(items, lambda left, right: less(left.value, right.value))
            case "max":
                value = contents.chosen(items, lambda left, right: less(right.value, left.value))
            case "first":
                value = contents.chosen(items, before)
            case "last":
                value = contents.chosen(items, lambda left, right: before(right, left))
            case _:
                raise MissingFunction("the solver", aggregate.function)
        return _Term(value, some, aggregate.type)

    # --- Predicates and functions ------------------------------------------------------------------------------------

    def _predicate(self, name: str, arguments: Sequence[_Term]) -> _Term:
        has = terms.both(*[argument.has for argument in arguments])
        table = self._domain.get(name)
        if isinstance(table, DomainTable) and len(table.rows) <= LARGEST_TABLE:
            member = terms.either(*[self._row(arguments, row) for row in table.rows])
            return _Term(member if table.member_means else terms.negated(member), has, Scalar.BOOLEAN)
        identity = self._identity(arguments)
        result = terms.relation(f"predicate {name}", identity) if identity else terms.boolean(f"predicate {name}")
        self._calls.append(_Call(name, tuple(arguments), result))
        return _Term(result, has, Scalar.BOOLEAN)

    def _row(self, arguments: Sequence[_Term], row: Sequence[int | float | str | bool]) -> Formula:
        return terms.both(
            *[
                self._equal(argument, _Term(self._constant(value, argument.type), terms.TRUE, argument.type))
                for argument, value in zip(arguments, row, strict=True)
            ]
        )

    def _unread(self, name: str, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        """Encode a function that is not in `FUNCTIONS` as any function: a solution is a suggestion to try on it."""
        has = terms.both(*[argument.has for argument in arguments])
        identity = self._identity(arguments)
        if type_ is Scalar.BOOLEAN:
            return _Term(terms.relation(f"function {name}", identity), has, type_)
        fits = terms.relation(f"function {name} has a value", identity)
        if type_ is Scalar.STRING:
            text, is_string = self._strings.function(f"function {name}", identity)
            self._definitions.append(is_string)
            return _Term(text, terms.both(has, fits), type_)
        result = terms.unknown_number(f"function {name}", identity, self._arithmetic.constant(0, type_))
        self._definitions.append(self._arithmetic.in_range(result, type_))
        return _Term(result, terms.both(has, fits), type_)

    def _least(self, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        return self._best(arguments, lambda term, best: self._arithmetic.less(term, best, type_), type_)

    def _greatest(self, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        return self._best(arguments, lambda term, best: self._arithmetic.less(best, term, type_), type_)

    def _best(self, arguments: Sequence[_Term], better: Callable[[Number, Number], Formula], type_: Scalar) -> _Term:
        first, *others = arguments
        best = first.number
        for candidate in others:
            best = terms.choose(better(candidate.number, best), candidate.number, best)
        return _Term(best, terms.both(*[argument.has for argument in arguments]), type_)

    def _magnitude(self, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        magnitude, fits = self._arithmetic.magnitude(arguments[0].number, type_)
        return _Term(magnitude, terms.both(arguments[0].has, fits), type_)

    def _sum(self, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        total, *others = arguments
        for summand in others:
            total = self._operation("+", total, summand, type_)
        return total

    def _average(self, arguments: Sequence[_Term], type_: Scalar) -> _Term:
        count = _Term(self._arithmetic.constant(float(len(arguments)), type_), terms.TRUE, type_)
        return self._operation("/", self._sum(arguments, type_), count, type_)

    # --- Functions on Strings that are sequences ----------------------------------------------------------------------

    def _described(self, subject: core.Expression, expression: Regular) -> _Term:
        """Encode that the expression describes a String; one whose letters are changed by way of what it was."""
        while isinstance(subject, core.FunctionCall) and subject.function in texts.CASES:
            expression = texts.before(subject.function, expression)
            (subject,) = subject.arguments
        encoded = self._term(subject)
        return _Term(sequences.belongs(encoded.text, regular.language(expression)), encoded.has, Scalar.BOOLEAN)

    def _tested(
        self,
        arguments: Sequence[core.Expression],
        described: Callable[[str], Regular],
        test: Callable[[Text, Text], Formula],
    ) -> _Term:
        subject, part = arguments
        changed = isinstance(subject, core.FunctionCall) and subject.function in texts.CASES
        if isinstance(part, core.Constant) and (changed or not self._in_parts):
            return self._described(subject, described(str(part.value)))
        left, right = self._term(subject), self._term(part)
        return _Term(test(left.text, right.text), terms.both(left.has, right.has), Scalar.BOOLEAN)

    def _starts_with(self, arguments: Sequence[core.Expression]) -> _Term:
        return self._tested(arguments, regular.starting, sequences.starts_with)

    def _ends_with(self, arguments: Sequence[core.Expression]) -> _Term:
        return self._tested(arguments, regular.ending, sequences.ends_with)

    def _contains(self, arguments: Sequence[core.Expression]) -> _Term:
        return self._tested(arguments, regular.containing, sequences.contains)

    def _length(self, arguments: Sequence[core.Expression]) -> _Term:
        text = self._term(arguments[0])
        return _Term(self._arithmetic.of_integer(sequences.length(text.text)), text.has, Scalar.INTEGER)

    def _concat(self, arguments: Sequence[core.Expression]) -> _Term:
        parts = [self._term(argument) for argument in arguments]
        whole = sequences.joined([part.text for part in parts])
        fits = terms.at_most(sequences.length(whole), terms.whole(LONGEST_STRING))
        return _Term(whole, terms.both(*[part.has for part in parts], fits), Scalar.STRING)

    # --- Back to events ----------------------------------------------------------------------------------------------

    def witness(self, model: Model) -> Witness:
        """Return the events of a model, one for each variable, with the variable as id."""
        strings = [
            term.term
            for term in (*self._attributes.values(), *(part for call in self._calls for part in call.arguments))
            if term.type is Scalar.STRING
        ]
        # Terms are equal to z3 if a formula says so: only their identity distinguishes them.
        values = dict(zip(map(id, strings), self._strings.values(model, strings), strict=True))

        def value(term: _Term) -> int | float | str | bool:
            if term.type is Scalar.STRING:
                return values[id(term.term)]
            if term.type is Scalar.BOOLEAN:
                return model.truth(term.formula)
            return self._arithmetic.value(model, term.number, term.type)

        events: dict[str, Event] = {}
        for variable, template in self._variables.items():
            attributes: dict[str, Value] = {}
            for attribute in template.attributes:
                term = self._attributes.get((variable, attribute.name))
                if attribute.optional and (term is None or not model.truth(term.has)):
                    continue
                attributes[attribute.name] = default_value(attribute.type) if term is None else value(term)
            time = int(model.number(self._times[variable])) if variable in self._times else 0
            events[variable] = Event(variable, template.name, time, attributes)
        return Witness(events, self._tables(model, value))

    def _tables(self, model: Model, value: Callable[[_Term], int | float | str | bool]) -> Predicates:
        """Return the given domain, with tables of the true rows for predicates that it lacks."""
        rows: dict[str, set[tuple[int | float | str | bool, ...]]] = {}
        for call in self._calls:
            known = rows.setdefault(call.predicate, set())
            if model.truth(call.result):
                known.add(tuple(map(value, call.arguments)))
        tables = {
            name: DomainTable(frozenset(true_rows), True)
            for name, true_rows in rows.items()
            if name not in self._domain
        }
        return {**tables, **self._domain}


def reads_exactly(clock: core.ClockReading) -> bool:
    """Return whether the solver can read a clock: one that shows UTC, and no date."""
    return clock.zone == UTC and clock.function in _SHOWN


def reads_text(part: core.Expression) -> bool:
    """Return whether the solver can read a function on Strings, if these are sequences."""
    if isinstance(part, core.FunctionCall):
        return part.function in TEXTS
    if not isinstance(part, core.PatternTest) or part.function not in texts.PATTERNS:
        return False
    return regular.readable(texts.PATTERNS[part.function](part.pattern))


def _changed(left: core.Expression, right: core.Expression) -> tuple[core.FunctionCall, str] | None:
    """Return the String whose letters are changed, and the constant with which it is compared, if there are such."""
    for call, constant in ((left, right), (right, left)):
        if isinstance(call, core.FunctionCall) and call.function in texts.CASES and isinstance(constant, core.Constant):
            return call, str(constant.value)
    return None


def _scalar(expression: core.ClockReading) -> Scalar:
    type_ = core.type_of(expression)
    assert isinstance(type_, Scalar)
    return type_


def _connected(connective: str, operands: Sequence[_Term]) -> _Term:
    """Encode `and` or `or`: it has a value if all operands have one, or if one of them decides."""
    all_have = terms.both(*[part.has for part in operands])
    if connective == "or":
        some = terms.either(*[terms.both(part.has, part.formula) for part in operands])
        return _Term(some, terms.either(all_have, some), Scalar.BOOLEAN)
    false = terms.either(*[terms.both(part.has, terms.negated(part.formula)) for part in operands])
    return _Term(terms.negated(false), terms.either(all_have, false), Scalar.BOOLEAN)


FUNCTIONS: Implementations[Callable[[Encoding, Sequence[_Term], Scalar], _Term]] = Implementations(
    {
        "min": Encoding._least,
        "max": Encoding._greatest,
        "avg": Encoding._average,
        "sum": Encoding._sum,
        "abs": Encoding._magnitude,
    },
    partial(MissingFunction, "the solver"),
)
"""The functions that the solver can read; of any other it only knows that it is a function."""

TEXTS: Implementations[Callable[[Encoding, Sequence[core.Expression]], _Term]] = Implementations(
    {
        "starts_with": Encoding._starts_with,
        "ends_with": Encoding._ends_with,
        "contains": Encoding._contains,
        "length": Encoding._length,
        "concat": Encoding._concat,
    },
    partial(MissingFunction, "the solver"),
)
"""The functions that it can read where Strings are sequences, beside those of `texts.PATTERNS`."""


def strings_in(expressions: Sequence[core.Expression]) -> set[str]:
    """Return the string constants in expressions."""
    return {
        part.value
        for expression in expressions
        for part in core.EXPRESSIONS.within(expression)
        if isinstance(part, core.Constant) and isinstance(part.value, str)
    }
