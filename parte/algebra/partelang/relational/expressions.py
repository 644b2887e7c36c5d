"""Expressions of PARTElang as SQL: as values, and as conditions of a query (specification: no-value-conditions)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from parte.algebra.partelang.relational import strings
from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.errors import Unsupported
from parte.algebra.partelang.relational.python_functions import sql_name
from parte.algebra.partelang.relational.relations import (
    CONSTANTS,
    Answers,
    Literal,
    Relation,
    Table,
    Templates,
    column,
    table,
)
from parte.algebra.partelang.relational.terms import Operations, Term, case, combined, comparison, every, not_null
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

_ROW = "$row"
"""The name of a row of a domain table in a query."""


def _unsupported(function: str) -> Unsupported:
    return Unsupported(untranslated(function, "SQL", "SQL cannot call"))


FUNCTIONS: Implementations[Callable[[Operations, Sequence[Term], Scalar], Term]] = Implementations(
    {
        "min": lambda operations, terms, _: operations.extreme("<=", terms),
        "max": lambda operations, terms, _: operations.extreme(">=", terms),
        "avg": lambda operations, terms, _: operations.averaged(terms),
        "sum": Operations.added,
        "abs": lambda operations, terms, of: operations.absolute(terms[0], of),
        "starts_with": lambda _, terms, __: strings.test(exp.StartsWith, terms),
        "ends_with": lambda _, terms, __: strings.test(exp.EndsWith, terms),
        "contains": lambda _, terms, __: strings.test(exp.Contains, terms),
        "length": lambda _, terms, __: strings.length(terms),
        "concat": lambda _, terms, __: strings.concatenated(terms),
        "lower": lambda _, terms, __: strings.lower(terms),
        "upper": lambda _, terms, __: strings.upper(terms),
    },
    _unsupported,
)
"""The built-in functions of terms, by the type of the result."""

PATTERN_TESTS: Implementations[Callable[[Dialect, Term, str], Term]] = Implementations(
    {"like": strings.like},
    _unsupported,
)
"""The functions that test a String by a constant pattern."""

TIMESTAMP_FUNCTIONS: Implementations[Callable[[Operations, Sequence[Term]], Term]] = Implementations(
    {
        "min": lambda operations, terms: operations.extreme("<=", terms),
        "max": lambda operations, terms: operations.extreme(">=", terms),
        "avg": Operations.mean,
    },
    _unsupported,
    of_timestamps=True,
)
"""The functions that combine timestamps in `at`."""


@dataclass(frozen=True, slots=True)
class Demand:
    """An SQL condition, the variables that it mentions, and whether it asks a predicate."""

    sql: exp.Expr
    variables: frozenset[str]
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The meaning of the names in an expression: each variable is an alias of a template's relation."""

    templates: Templates
    relations: Mapping[str, Relation]
    operations: Operations
    aliases: Mapping[str, str]
    of: Mapping[str, str]
    """The template of each variable."""
    outer: frozenset[str] = frozenset()
    """The variables that belong to the query around the one in which the expressions stand."""
    aggregates: Mapping[core.Aggregate, Term] = field(default_factory=dict)

    def timestamp(self, variable: str) -> exp.Expr:
        """Return the timestamp of a variable."""
        return column(self.aliases[variable], self.templates.timestamp)

    def value(self, expression: core.Expression | core.TimestampExpression) -> Term:
        """Return the value of an expression: NULL, an infinity or a NaN if it has none."""
        operations = self.operations
        match expression:
            case core.Constant(value=value, type=of):
                return operations.constant(value, of)
            case core.AttributeOf(variable=variable, attribute=attribute) if variable == CONSTANTS:
                return Term(column(self.aliases[variable], attribute))
            case core.AttributeOf(variable=variable, attribute=attribute):
                columns = self.templates[self.of[variable]].columns
                return Term(column(self.aliases[variable], columns[attribute]), total=not expression.optional)
            case core.TimestampOf(variable=variable):
                return Term(self.timestamp(variable))
            case core.Aggregate():
                return self.aggregates[expression]
            case core.ToFloat(operand=inner):
                return operations.to_float(self.value(inner))
            case core.Negation(operand=inner, type=of):
                return operations.negated(self.value(inner), of)
            case core.Arithmetic(operator=operator, left=left, right=right, type=of):
                return operations.arithmetic(operator, self.value(left), self.value(right), of)
            case core.Comparison(operator=operator, left=left, right=right):
                return operations.compared(operator, self.value(left), self.value(right))
            case core.Compound(connective=connective, operands=operands):
                return operations.connected(connective, [self.value(operand) for operand in operands])
            case core.Not(operand=inner):
                return operations.opposite(self.value(inner))
            case core.Presence(operand=inner, present=present):
                return operations.presence(self.value(inner), present)
            case core.PredicateCall():
                return self._answer(expression)
            case core.FunctionCall():
                return self._call(expression)
            case core.TimeConstant(milliseconds=milliseconds):
                return operations.constant(milliseconds, Scalar.INTEGER)
            case core.ClockReading(variable=variable, zone=zone):
                return self._python(expression, Term(self.timestamp(variable)), zone)
            case core.PatternTest(operand=inner, pattern=pattern) if sql_name(expression) is not None:
                return self._python(expression, self.value(inner), pattern)
            case core.PatternTest(function=name, operand=inner, pattern=pattern):
                return PATTERN_TESTS[name](operations.dialect, self.value(inner), pattern)
            case core.ListExpression(items=items, type=of):
                return operations.listed([self.value(item) for item in items], of)
            case core.Shift(operand=moved, milliseconds=milliseconds):
                return operations.shifted(self.value(moved), milliseconds)
            case core.Combination(function=name, operands=stamps):
                terms = [self.value(stamp) for stamp in stamps]
                return TIMESTAMP_FUNCTIONS[name](operations, terms)

    def emitted(self, expression: core.Expression | core.TimestampExpression) -> exp.Expr:
        """Return the value of an expression, NULL if it has none."""
        return self.operations.finite(self.value(expression)).sql

    def conditions(self, condition: core.Expression) -> list[Demand]:
        """Return SQL conditions that are all true if the condition holds, and not all true if it has no value.

        Equality of two columns stays bare, so that an engine recognizes a join key in it. That a side is finite is a
        separate condition, which may mention fewer variables.
        """
        if isinstance(condition, core.Comparison):
            sides = [(side, self.value(side)) for side in (condition.left, condition.right)]
            compared = comparison(condition.operator, *(term for _, term in sides))
            # The comparison first, because engines test conditions in this order and it fails for most pairs.
            demands = [Demand(compared, core.variables_of(condition), asks(condition))]
            for side, term in sides:
                if not term.finite:
                    finite = self.operations.dialect.is_finite(term.sql.copy())
                    demands.append(Demand(finite, core.variables_of(side), asks(side)))
            return demands
        if isinstance(condition, core.PredicateCall):
            return [Demand(sql, core.variables_of(condition), True) for sql in self._predicate_conditions(condition)]
        return [Demand(self.value(condition).sql, core.variables_of(condition), asks(condition))]

    def _call(self, call: core.FunctionCall) -> Term:
        function = FUNCTIONS[call.function]
        return function(self.operations, [self.value(argument) for argument in call.arguments], call.type)

    def _python(self, call: core.PatternTest | core.ClockReading, value: Term, constant: str) -> Term:
        """Return the call of a function that runs in Python."""
        dialect = self.operations.dialect
        if not dialect.correlates_deeply and core.variables_of(call) & self.outer:
            raise Unsupported(
                f"function {call.function} runs in Python and is called in a negated pattern about an event of a "
                "positive one"
            )
        arguments = [self.operations.finite(value).sql.copy(), dialect.text(constant)]
        return combined(dialect.ask(sql_name(call) or "", arguments), value, total=False)

    # --- Domain predicates -------------------------------------------------------------------------------------------

    def _arguments(self, call: core.PredicateCall) -> list[Term]:
        return [self.operations.finite(self.value(argument)) for argument in call.arguments]

    def _answer(self, call: core.PredicateCall) -> Term:
        """Return a predicate as a Boolean value, NULL if an argument is."""
        arguments = self._arguments(call)
        (answer,) = self._membership(call, arguments)
        if partial := not_null(arguments):
            answer = case(every(partial), answer)
        return combined(answer, *arguments, repeated=2)

    def _predicate_conditions(self, call: core.PredicateCall) -> list[exp.Expr]:
        """Return a predicate as a condition.

        A row is found only if all arguments have a value; its absence proves nothing.
        """
        arguments = self._arguments(call)
        relation = self.relations[call.predicate]
        absence = isinstance(relation, Literal) or (isinstance(relation, Table) and not relation.member_means)
        return [*(not_null(arguments) if absence else []), *self._membership(call, arguments)]

    def _membership(self, call: core.PredicateCall, arguments: list[Term]) -> list[exp.Expr]:
        dialect = self.operations.dialect
        deep = not dialect.correlates_deeply and bool(core.variables_of(call) & self.outer)
        match self.relations[call.predicate]:
            case Literal(answer):
                return [exp.true() if answer else exp.false()]
            case Answers() if deep:
                raise Unsupported(
                    f"predicate {call.predicate} is a Python function and is asked in a negated pattern about an event "
                    "of a positive one; supply a table for it"
                )
            case Answers(function):
                return [dialect.ask(function, [argument.sql.copy() for argument in arguments])]
            case Table(name, member_means, columns) if deep:
                listed = dialect.listed(table(name), columns, [argument.sql.copy() for argument in arguments])
                return [listed if member_means else exp.Not(this=listed)]
            case Table(name, member_means, columns):
                row = [Term(column(_ROW, name_of_column)) for name_of_column in columns]
                equal = [comparison("=", own, argument) for own, argument in zip(row, arguments, strict=True)]
                query = exp.Select(expressions=[exp.Literal.number("1")])
                query = query.from_(exp.alias_(table(name), _ROW, table=True, quoted=True)).where(every(equal))
                exists: exp.Expr = exp.Exists(this=query)
                return [exists if member_means else exp.Not(this=exists)]


def asks(expression: core.Expression) -> bool:
    """Return whether a predicate or a Python function is asked in an expression: SQL engines reject that in a join."""
    return any(
        isinstance(part, core.PredicateCall) or sql_name(part) is not None
        for part in core.EXPRESSIONS.within(expression)
    )
