"""Translation of claims to formulas, in a given arithmetic, and of a model back to events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import assert_never, cast

from parte.checker.partelang.claims import Claim, Every, HasValue, Holds, Not, Window
from parte.checker.partelang.witness import Witness, default_value
from parte.checker.solver import terms
from parte.checker.solver.arithmetic import Arithmetic
from parte.checker.solver.queries import Model
from parte.checker.solver.strings import StringOrder
from parte.checker.solver.terms import Formula, Number
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction

LARGEST_TABLE = 200
"""Tables with more rows are treated as unknown relations, about which less can be proved."""

_NUMBERS = (Scalar.INTEGER, Scalar.FLOAT)


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
        strings: StringOrder,
        domain: Predicates,
    ) -> None:
        self._variables = variables
        self._arithmetic = arithmetic
        self._strings = strings
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
                return self._attribute(variable, attribute, type_)
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
                return self._comparison(operator, self._term(left), self._term(right))
            case core.Compound(connective=connective, operands=joined):
                return _connected(connective, [self._term(operand) for operand in joined])
            case core.Not(operand=operand):
                inner = self._term(operand)
                return _Term(terms.negated(inner.formula), inner.has, Scalar.BOOLEAN)
            case core.PredicateCall(predicate=predicate, arguments=arguments):
                return self._predicate(predicate, [self._term(argument) for argument in arguments])
            case core.FunctionCall(function=function, arguments=arguments, type=type_):
                operands = [self._term(argument) for argument in arguments]
                if function not in FUNCTIONS:
                    return self._unread(function, operands, type_)
                return FUNCTIONS[function](self, operands, type_)
            case core.PatternTest(function=function, operand=operand, pattern=pattern):
                # The pattern is a part of the name: each pattern is a function of its own.
                return self._unread(f"{function} {pattern}", [self._term(operand)], Scalar.BOOLEAN)
            case core.AttributeOf() | core.TimestampOf() | core.ListExpression():
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

    def _attribute(self, variable: str, attribute: str, type_: Scalar) -> _Term:
        key = variable, attribute
        if key not in self._attributes:
            self._attributes[key] = _Term(self._variable(f"{variable}.{attribute}", type_), terms.TRUE, type_)
        return self._attributes[key]

    def _variable(self, name: str, type_: Scalar) -> object:
        if type_ is Scalar.BOOLEAN:
            return terms.boolean(f"{name} truth")
        if type_ is Scalar.STRING:
            place = terms.real(f"{name} place")
            self._definitions.append(self._strings.is_place(place))
            return place
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
            place = terms.unknown_number(f"function {name}", identity, terms.real("0 place"))
            self._definitions.append(self._strings.is_place(place))
            return _Term(place, terms.both(has, fits), type_)
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

    # --- Back to events ----------------------------------------------------------------------------------------------

    def witness(self, model: Model) -> Witness:
        """Return the events of a model, one for each variable, with the variable as id."""
        places = [
            model.number(term.number)
            for term in (*self._attributes.values(), *(part for call in self._calls for part in call.arguments))
            if term.type is Scalar.STRING
        ]
        texts = self._strings.values(places)

        def value(term: _Term) -> int | float | str | bool:
            if term.type is Scalar.STRING:
                return texts[model.number(term.number)]
            if term.type is Scalar.BOOLEAN:
                return model.truth(term.formula)
            return self._arithmetic.value(model, term.number, term.type)

        events: dict[str, Event] = {}
        for variable, template in self._variables.items():
            attributes: dict[str, Value] = {}
            for attribute in template.attributes:
                term = self._attributes.get((variable, attribute.name))
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


def strings_in(expressions: Sequence[core.Expression]) -> set[str]:
    """Return the string constants in expressions."""
    return {
        part.value
        for expression in expressions
        for part in core.EXPRESSIONS.within(expression)
        if isinstance(part, core.Constant) and isinstance(part.value, str)
    }
