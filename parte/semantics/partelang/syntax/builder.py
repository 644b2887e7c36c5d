"""From the rules of `grammar.lark` to the source tree.

Every method is called with the values of its grammar rule's children. An expression travels as a pair with the height
of its tree, so that a tree too high for those who recurse over it is never built.
"""

from __future__ import annotations

import json
import re
from contextvars import ContextVar

from lark import Token, Transformer, v_args

from parte.semantics.events.values import fits_float, fits_integer
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.limits import MAX_LIST_CAPACITY
from parte.semantics.source.limits import MAX_EXPRESSION_DEPTH
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of, start_of
from parte.semantics.source.spans import Position, Span

Sized = tuple[ast.Expression, int]

REPORTER: ContextVar[Reporter] = ContextVar("reporter")
"""Where the builder reports: the parser and its builder are shared by all texts, the reporter belongs to one."""

UNITS = {
    name: unit
    for unit, names in (
        (ast.Unit.MILLISECONDS, ("ms", "millisecond", "milliseconds")),
        (ast.Unit.SECONDS, ("second", "seconds")),
        (ast.Unit.MINUTES, ("minute", "minutes")),
        (ast.Unit.HOURS, ("hour", "hours")),
        (ast.Unit.DAYS, ("day", "days")),
    )
    for name in names
}

_OPERATORS = {operator.value: operator for operator in ast.BinaryOperator} | {
    "≠": ast.BinaryOperator.NOT_EQUAL,
    "≤": ast.BinaryOperator.LESS_OR_EQUAL,
    "≥": ast.BinaryOperator.GREATER_OR_EQUAL,
}

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN_ESCAPES = frozenset('"\\/bfnrt')
_SURROGATE = re.compile("[\ud800-\udfff]")


@v_args(inline=True)
class Builder(Transformer[Token, tuple[ast.Declaration, ...]]):
    """Builds the source tree bottom-up while the text is parsed."""

    def several(self, *parts: object) -> tuple[object, ...]:
        """What a rule stands for that only gathers its parts: whoever takes them knows what they are."""
        return parts

    start = slots = parameters = patterns = block = when_clause = constraints = with_clause = assignments = several

    # --- Declarations ------------------------------------------------------------------------------------------------

    def alias(self, keyword: Token, name: Token, target: ast.TypeExpression) -> ast.TypeAlias:
        span = Span(start_of(keyword), target.span.end)
        return ast.TypeAlias(str(name), target, span=span, name_span=span_of(name))

    def named_type(self, name: Token) -> ast.NamedType:
        return ast.NamedType(str(name), span=span_of(name))

    def list_type(self, bracket: Token, element: Token, capacity: Token, end: Token) -> ast.ListTypeExpression:
        number = int(capacity)
        if not 1 <= number <= MAX_LIST_CAPACITY:
            message = f"a list type cannot hold {number} values"
            hint = f"the capacity of a list lies between 1 and {MAX_LIST_CAPACITY}"
            _report("capacity-out-of-range", span_of(capacity), message, hint)
            number = 1
        return ast.ListTypeExpression(self.named_type(element), number, span=span_of(bracket, end))

    def template(self, keyword: Token, name: Token, slots: tuple[ast.Slot, ...], end: Token) -> ast.Template:
        return ast.Template(str(name), slots, span=span_of(keyword, end), name_span=span_of(name))

    def slot(self, name: Token, type_: ast.TypeExpression) -> ast.Slot:
        return ast.Slot(str(name), type_, span=Span(start_of(name), type_.span.end))

    def predicate(
        self, keyword: Token, name: Token, parameters: tuple[ast.TypeExpression, ...], end: Token
    ) -> ast.Predicate:
        return ast.Predicate(str(name), parameters, span=span_of(keyword, end), name_span=span_of(name))

    # --- Rules -------------------------------------------------------------------------------------------------------

    def rule(
        self,
        keyword: Token,
        name: Token,
        where: Token,
        patterns: tuple[ast.Pattern, ...],
        when: tuple[Token, tuple[ast.Constraint, ...]] | None,
        then: tuple[Token, tuple[ast.Emission, ...]] | None,
    ) -> ast.Rule:
        end = end_of(where)
        constraints = when[1] if when else ()
        emissions = then[1] if then else ()
        for part in (*patterns[-1:], *(when[:1] if when else ()), *constraints[-1:]):
            end = end_of(part) if isinstance(part, Token) else part.span.end
        if then:
            end = emissions[-1].span.end if emissions else end_of(then[0])
        return ast.Rule(
            str(name),
            patterns,
            constraints,
            emissions,
            span=Span(start_of(keyword), end),
            name_span=span_of(name),
            when_span=span_of(when[0]) if when else Span(end, end),
            then_span=span_of(then[0]) if then else Span(end, end),
        )

    def pattern(
        self,
        no: Token | None,
        variable: Token,
        template: Token,
        block: tuple[tuple[ast.Expression, ...], Token] | None,
    ) -> ast.Pattern:
        conditions, end = block or ((), template)
        return ast.Pattern(
            no is not None,
            str(variable),
            str(template),
            conditions,
            span=span_of(no or variable, end),
            variable_span=span_of(variable),
            template_span=span_of(template),
        )

    def conditions(self, *conditions: Sized) -> tuple[ast.Expression, ...]:
        return tuple([condition for condition, _ in conditions])

    def constraint(
        self, no: Token | None, subject: Token, reference: Token, lower: ast.Duration, upper: ast.Duration, end: Token
    ) -> ast.Constraint:
        return ast.Constraint(
            no is not None,
            str(subject),
            str(reference),
            lower,
            upper,
            span=span_of(no or subject, end),
            subject_span=span_of(subject),
            reference_span=span_of(reference),
        )

    def duration(self, minus: Token | None, amount: Token, unit: Token) -> ast.Duration:
        return _duration(minus, amount, unit)

    def then_clause(self, keyword: Token, *emissions: ast.Emission) -> tuple[Token, tuple[ast.Emission, ...]]:
        return keyword, emissions

    def emission(
        self,
        keyword: Token,
        template: Token,
        timestamp: Sized,
        block: tuple[Token, tuple[ast.Assignment, ...], Token] | None,
    ) -> ast.Emission:
        expression = timestamp[0]
        end = end_of(block[2]) if block else expression.span.end
        return ast.Emission(
            str(template),
            expression,
            block[1] if block else (),
            span=Span(start_of(keyword), end),
            template_span=span_of(template),
            with_span=span_of(block[0]) if block else Span(end, end),
        )

    def assignment(self, attribute: Token, value: Sized) -> ast.Assignment:
        return ast.Assignment(str(attribute), value[0], span=Span(start_of(attribute), value[0].span.end))

    # --- Expressions -------------------------------------------------------------------------------------------------

    def binary(self, left: Sized, operator: Token, right: Sized) -> Sized:
        span = Span(left[0].span.start, right[0].span.end)
        depth = 1 + max(left[1], right[1])
        return _bounded(ast.Binary(_OPERATORS[operator], left[0], right[0], span=span), depth, span_of(operator))

    def number(self, digits: Token, unit: Token | None = None) -> tuple[Token, Token | None]:
        # The range of a number is not known before its sign.
        return digits, unit

    def positive_number(self, number: tuple[Token, Token | None]) -> Sized:
        return _number(None, *number), 1

    def negative_number(self, minus: Token, number: tuple[Token, Token | None]) -> Sized:
        return _number(minus, *number), 1

    def negation(self, minus: Token, operand: Sized) -> Sized:
        span = Span(start_of(minus), operand[0].span.end)
        return _bounded(ast.Negate(operand[0], span=span), 1 + operand[1], span_of(minus))

    def string(self, token: Token) -> Sized:
        return ast.Literal(_unescaped(token) if "\\" in token else token[1:-1], span=span_of(token)), 1

    def true(self, token: Token) -> Sized:
        return ast.Literal(True, span=span_of(token)), 1

    def false(self, token: Token) -> Sized:
        return ast.Literal(False, span=span_of(token)), 1

    def attribute(self, name: Token) -> Sized:
        return ast.Reference(None, str(name), span=span_of(name)), 1

    def attribute_of(self, variable: Token, name: Token) -> Sized:
        return ast.Reference(str(variable), str(name), span=Span(start_of(variable), end_of(name))), 1

    def arguments(self, *arguments: Sized | None) -> tuple[Sized, ...]:
        return tuple([argument for argument in arguments if argument is not None])

    def call(self, name: Token, arguments: tuple[Sized, ...], end: Token) -> Sized:
        depth = 1 + max((depth for _, depth in arguments), default=0)
        parts = tuple([argument for argument, _ in arguments])
        return _bounded(ast.Call(str(name), parts, span=Span(start_of(name), end_of(end))), depth, span_of(name))


def _report(code: str, span: Span, message: str, hint: str) -> None:
    REPORTER.get().report(code, span, message, hint)


def _bounded(expression: ast.Expression, depth: int, where: Span) -> Sized:
    if depth <= MAX_EXPRESSION_DEPTH:
        return expression, depth
    if depth == MAX_EXPRESSION_DEPTH + 1:
        message = f"this expression is more than {MAX_EXPRESSION_DEPTH} operations deep"
        hint = "use `sum(…)` or parentheses around parts, or split the expression"
        _report("expression-too-deep", where, message, hint)
    # The height goes on counting, so that a chain is reported once, but the tree does not grow.
    return ast.Literal(0, span=expression.span), depth


def _number(minus: Token | None, digits: Token, unit: Token | None) -> ast.Expression:
    if unit is not None:
        return _duration(minus, digits, unit)
    span = span_of(minus or digits, digits)
    if digits.type == "INTEGER":
        integer = -int(digits) if minus else int(digits)
        if not fits_integer(integer):
            message = f"{integer} does not fit the 64 bit of an Integer"
            _report("integer-out-of-range", span, message, f"write it as a Float: `{integer}.0`")
            integer = 0
        return ast.Literal(integer, span=span)
    value = -float(digits) if minus else float(digits)
    if not fits_float(value):
        message = f"{digits} is beyond the finite Floats"
        _report("float-out-of-range", span, message, "the greatest Float is about 1.8e308")
        value = 0.0
    return ast.Literal(value, span=span)


def _duration(minus: Token | None, amount: Token, unit: Token) -> ast.Duration:
    number = -int(amount) if minus else int(amount)
    span = span_of(minus or amount, unit)
    duration = ast.Duration(number, UNITS[unit], span=span)
    if not fits_integer(duration.milliseconds):
        message = "this duration does not fit 64 bit when given in milliseconds"
        _report("duration-out-of-range", span, message, "choose a shorter duration")
        return ast.Duration(0, duration.unit, span=span)
    return duration


def _unescaped(token: Token) -> str:
    """The text that a string with escapes stands for; broken escapes are reported and left as they are."""
    broken = False
    for match in _ESCAPE.finditer(token):
        if match[1] is None and match[2] not in _PLAIN_ESCAPES:
            broken = True
            hint = r"the escapes are \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits"
            message = f"`{match.group()}` is no escape"
            _report("invalid-escape", _part(token, match.start(), match.end()), message, hint)
    if broken:
        return token[1:-1]
    # `strict=False`: control characters may stand in a string as they are, but for line breaks and NUL (scanner).
    value = json.loads(token, strict=False)
    if not isinstance(value, str):
        raise TypeError(f"{token} is no string")
    if (half := _SURROGATE.search(value)) is not None:
        message = f"the surrogate U+{ord(half.group()):04X} is not a character"
        _report("lone-surrogate", span_of(token), message, r"write both halves, as in `\ud83d\ude00`")
        return _SURROGATE.sub("", value)
    return value


def _part(token: Token, start: int, end: int) -> Span:
    line, column = token.line or 1, token.column or 1
    return Span(Position(line, column + start), Position(line, column + end))
