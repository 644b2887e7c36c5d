"""Values of the rules of `grammar.lark` that are not named after a node class."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from parte.semantics.events.duration import UNITS
from parte.semantics.events.timestamps import to_timestamp
from parte.semantics.events.values import Unfit, fits_float, fits_integer
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.limits import MAX_LIST_CAPACITY
from parte.semantics.source.building import Builder, Made, Parts, Sized, plain, report
from parte.semantics.source.limits import MAX_EXPRESSION_DEPTH
from parte.semantics.source.scanner import span_of
from parte.semantics.source.spans import Position, Span, Spanned
from parte.semantics.source.tokens import Token

_OPERATORS = {operator.value: operator for operator in ast.BinaryOperator} | {
    "≠": ast.BinaryOperator.NOT_EQUAL,
    "≤": ast.BinaryOperator.LESS_OR_EQUAL,
    "≥": ast.BinaryOperator.GREATER_OR_EQUAL,
}

_SELECTIONS = {selection.name: selection for selection in ast.Selection}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN_ESCAPES = frozenset('"\\/bfnrt')
_SURROGATE = re.compile("[\ud800-\udfff]")

# --- Declarations ----------------------------------------------------------------------------------------------------


def list_type_expression(span: Span, bracket: Token, element: Token, _: Token, capacity: Token, end: Token) -> Spanned:
    """Build `[T; n]`."""
    number = int(capacity)
    if not 1 <= number <= MAX_LIST_CAPACITY:
        message = f"a list type cannot hold {number} values"
        hint = f"the capacity of a list lies between 1 and {MAX_LIST_CAPACITY}"
        report("capacity-out-of-range", span_of(capacity), message, hint)
        number = 1
    return ast.ListTypeExpression(ast.NamedType(str(element), span=span_of(element)), number, span=span)


def imported(span: Span, word: Token, path: Token) -> ast.Import:
    """Build `import "file"`."""
    return ast.Import(_unescaped(path), span=span, path_span=span_of(path))


def rule(span: Span, keyword: Token, name: Token, where: Token, patterns: Parts, *clauses: Parts) -> ast.Rule:
    """Build a rule with its clauses."""
    listed, uses = list[ast.Pattern](), list[ast.Use]()
    for part in patterns:
        if isinstance(part, ast.Use):
            uses.append(replace(part, place=len(listed)))
        else:
            listed.append(part)
    by_keyword = {clause.tokens[0].type: clause for clause in clauses}
    when, having, then = by_keyword.get("WHEN"), by_keyword.get("HAVING"), by_keyword.get("THEN")
    behind = Span(span.end, span.end)
    return ast.Rule(
        str(name),
        tuple(listed),
        tuple(when or ()),
        tuple(then or ()),
        tuple(map(plain, having or ())),
        tuple(uses),
        span=span,
        name_span=span_of(name),
        when_span=span_of(when.tokens[0]) if when is not None else behind,
        having_span=span_of(having.tokens[0]) if having is not None else behind,
        then_span=span_of(then.tokens[0]) if then is not None else behind,
    )


def named_pattern(span: Span, keyword: Token, name: Token, *children: Any) -> ast.NamedPattern:
    """Build a pattern that rules use."""
    place = next(index for index, child in enumerate(children) if isinstance(child, Token) and child.type == "WHERE")
    by_keyword = {child.tokens[0].type: child for child in children[:place]}
    exports = by_keyword.get("EXPORTS", ())
    return ast.NamedPattern(
        str(name),
        tuple(by_keyword.get("LPAR", ())),
        tuple(ast.Export(export.value, span=export.span) for export in exports),
        rule(span, keyword, name, *children[place:-1]),
        span=span,
        name_span=span_of(name),
    )


def use(span: Span, word: Token, pattern: Token, *children: Any) -> ast.Use:
    """Build the use of a named pattern."""
    arguments = next((child for child in children if isinstance(child, Parts)), ())
    name = children[-1]
    return ast.Use(
        str(pattern),
        tuple(map(plain, arguments)),
        str(name),
        span=span,
        pattern_span=span_of(pattern),
        name_span=span_of(name),
    )


def pattern(span: Span, *children: Token | Parts) -> ast.Pattern:
    """Build a pattern with the word before its variable, if there is one."""
    tokens = [child for child in children if isinstance(child, Token)]
    variable, template = (token for token in tokens if token.type == "NAME")
    word = tokens[0].type
    return ast.Pattern(
        word == "NO",
        str(variable),
        str(template),
        tuple(plain(part) for child in children if isinstance(child, Parts) for part in child),
        word == "ALL",
        _SELECTIONS.get(word),
        span=span,
        variable_span=span_of(variable),
        template_span=span_of(template),
    )


def alternative(span: Span, variable: Token, _: Token, template: Token, *blocks: Parts) -> Made:
    """Build an alternative of `either`, and keep its variable beside it."""
    conditions = tuple(plain(part) for block in blocks for part in block)
    return Made(
        (variable, ast.Alternative(str(template), conditions, span=span, template_span=span_of(template))), span
    )


def either(span: Span, *children: Token | Made) -> ast.Pattern:
    """Build a pattern with alternatives, which have one variable."""
    word = next((child.type for child in children if isinstance(child, Token)), "")
    (variable, first), *others = (child.value for child in children if isinstance(child, Made))
    for name, node in others:
        if name != variable:
            message = f"the alternatives of `either` have one variable, `{variable}`, and this one has `{name}`"
            report("different-variables", span_of(name), message, f"write `or {variable} : {node.template}`")
    return ast.Pattern(
        word == "NO",
        str(variable),
        first.template,
        first.conditions,
        word == "ALL",
        _SELECTIONS.get(word),
        tuple(node for _, node in others),
        span=span,
        variable_span=span_of(variable),
        template_span=first.template_span,
        first_span=first.span,
    )


def constraint(span: Span, *children: Token | Made | ast.Duration | ast.Ever) -> ast.Constraint:
    """Build a constraint with its window."""
    tokens = [child for child in children if isinstance(child, Token)]
    subject, reference = (child for child in children if isinstance(child, Made))
    lower, upper = (child for child in children if isinstance(child, ast.Duration | ast.Ever))
    kinds = {token.type for token in tokens}
    return ast.Constraint(
        "NO" in kinds,
        subject.value,
        reference.value,
        lower,
        upper,
        "LOPEN" in kinds,
        "ROPEN" in kinds,
        span=span,
        subject_span=subject.span,
        reference_span=reference.span,
    )


def emission(span: Span, emit: Token, template: Token, _: Token, at: Sized, *clauses: Any) -> ast.Emission:
    """Build an emission with its assignments and its suppression."""
    assigned = next((clause for clause in clauses if isinstance(clause, Parts)), None)
    return ast.Emission(
        str(template),
        at.value,
        tuple(assigned or ()),
        next((clause for clause in clauses if isinstance(clause, ast.Suppression)), None),
        span=span,
        template_span=span_of(template),
        with_span=Span(span.end, span.end) if assigned is None else assigned.span or span,
    )


def suppression(span: Span, once: Token, *parts: Any) -> ast.Suppression:
    """Build `once per (keys) in duration`."""
    keys = tuple(map(plain, parts[0])) if isinstance(parts[0], Parts) else ()
    return ast.Suppression(keys, parts[-1], span=span)


# --- Expressions -----------------------------------------------------------------------------------------------------


def binary(span: Span, left: Sized, operator: Token, right: Sized) -> Sized:
    """Build an expression with an infix operator."""
    node = ast.Binary(_OPERATORS[operator], left.value, right.value, span=span)
    return _bounded(node, 1 + max(left.height, right.height), span_of(operator))


def compound(span: Span, first: Sized, connective: Token, *others: Sized | Token) -> Sized:
    """Build conditions joined by `and`, or by `or`."""
    operands = [first, *(part for part in others if not isinstance(part, Token))]
    node = ast.Compound(ast.Connective(connective.value), tuple(map(plain, operands)), span=span)
    return _bounded(node, 1 + max(operand.height for operand in operands), span_of(connective))


def complement(span: Span, word: Token, operand: Sized) -> Sized:
    """Build `not operand`."""
    return _bounded(ast.Not(operand.value, span=span), 1 + operand.height, span_of(word))


def membership(span: Span, member: Sized, word: Token, _: Token, candidates: Parts, end: Token) -> Sized:
    """Build `member in (candidates…)`."""
    height = 1 + max(part.height for part in (member, *candidates))
    return _bounded(ast.Membership(member.value, tuple(map(plain, candidates)), span=span), height, span_of(word))


def presence(span: Span, operand: Sized, word: Token, kind: Token) -> Sized:
    """Build `operand is present` or `operand is missing`."""
    node = ast.Presence(operand.value, kind.type == "PRESENT", span=span)
    return _bounded(node, 1 + operand.height, span_of(word))


def call(span: Span, name: Token, _: Token, arguments: Parts, end: Token) -> Sized:
    """Build a call."""
    height = 1 + max((argument.height for argument in arguments), default=0)
    return _bounded(ast.Call(str(name), tuple(map(plain, arguments)), span=span), height, span_of(name))


def distinct_call(span: Span, *tokens: Token) -> Sized:
    """Build `name(distinct variable.attribute)`."""
    name, *path = (token for token in tokens if token.type == "NAME")
    argument = ast.Reference(".".join(path[:-1]), str(path[-1]), span=span_of(path[0], path[-1]))
    return Sized(ast.Call(str(name), (argument,), True, span=span), 2)


def _bounded(expression: ast.Expression, height: int, where: Span) -> Sized:
    if height <= MAX_EXPRESSION_DEPTH:
        return Sized(expression, height)
    if height == MAX_EXPRESSION_DEPTH + 1:
        message = f"this expression is more than {MAX_EXPRESSION_DEPTH} operations deep"
        hint = "use `sum(…)` or parentheses around parts, or split the expression"
        report("expression-too-deep", where, message, hint)
    # The height still increases, so that a chain is reported once, but the tree does not grow.
    return Sized(ast.Literal(0, span=expression.span), height)


def _number(minus: Token | None, digits: Token, unit: Token | None = None) -> ast.Expression:
    if unit is not None:
        return _duration(minus, digits, unit)
    span = span_of(minus or digits, digits)
    if digits.type == "INTEGER":
        integer = -int(digits) if minus else int(digits)
        if not fits_integer(integer):
            message = f"{integer} does not fit the 64 bit of an Integer"
            report("integer-out-of-range", span, message, f"write it as a Float: `{integer}.0`")
            integer = 0
        return ast.Literal(integer, span=span)
    value = -float(digits) if minus else float(digits)
    if not fits_float(value):
        message = f"{digits} is beyond the finite Floats"
        report("float-out-of-range", span, message, "the greatest Float is about 1.8e308")
        value = 0.0
    return ast.Literal(value, span=span)


def _duration(minus: Token | None, amount: Token, unit: Token) -> ast.Duration:
    number = -int(amount) if minus else int(amount)
    span = span_of(minus or amount, unit)
    duration = ast.Duration(number, UNITS[unit], span=span)
    if not fits_integer(duration.milliseconds):
        message = "this duration does not fit 64 bit when given in milliseconds"
        report("duration-out-of-range", span, message, "choose a shorter duration")
        return ast.Duration(0, duration.unit, span=span)
    return duration


def _timestamp(span: Span, token: Token) -> ast.Timestamp:
    text = token[1:]
    try:
        return ast.Timestamp(to_timestamp(int(text) if text.removeprefix("-").isdigit() else text), span=span)
    except Unfit as problem:
        report("invalid-timestamp", span, str(problem), "write it as in `@2026-11-24T09:00:00Z`")
        return ast.Timestamp(0, span=span)


def _unescaped(token: Token) -> str:
    """Return the text of a string with escapes; report broken escapes and leave them unchanged."""
    broken = False
    if "\\" not in token:
        return token[1:-1]
    for match in _ESCAPE.finditer(token):
        if match[1] is None and match[2] not in _PLAIN_ESCAPES:
            broken = True
            hint = r"the escapes are \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits"
            message = f"`{match.group()}` is no escape"
            report("invalid-escape", _part(token, match.start(), match.end()), message, hint)
    if broken:
        return token[1:-1]
    # `strict=False`: a string may contain control characters, except line breaks and NUL (scanner).
    value = json.loads(token, strict=False)
    if not isinstance(value, str):
        raise TypeError(f"{token} is no string")
    if (half := _SURROGATE.search(value)) is not None:
        message = f"the surrogate U+{ord(half.group()):04X} is not a character"
        report("lone-surrogate", span_of(token), message, r"write both halves, as in `\ud83d\ude00`")
        return _SURROGATE.sub("", value)
    return value


def _part(token: Token, start: int, end: int) -> Span:
    line, column = token.line, token.column
    return Span(Position(line, column + start), Position(line, column + end))


BUILDER = Builder(
    ast,
    ("NAME",),
    *(list_type_expression, imported, rule, named_pattern, use, pattern, alternative, either, constraint),
    *(emission, suppression),
    *(binary, compound, complement, membership, presence, call, distinct_call),
    flags=("NO", "QUESTION"),
    ever=lambda span, *parts: ast.Ever(len(parts) == 2 and parts[0] is not None, span=span),
    duration=lambda _, *parts: _duration(None if len(parts) == 2 else parts[0], *parts[-2:]),
    # The range of a number depends on its sign.
    number=lambda span, *digits: Made(digits, span),
    positive_number=lambda _, number: Sized(_number(None, *number.value), 1),
    negative_number=lambda _, minus, number: Sized(_number(minus, *number.value), 1),
    negation=lambda span, minus, operand: _bounded(
        ast.Negate(operand.value, span=span), 1 + operand.height, span_of(minus)
    ),
    timestamp=lambda span, token: Sized(_timestamp(span, token), 1),
    string=lambda span, token: Sized(ast.Literal(_unescaped(token), span=span), 1),
    boolean=lambda span, token: Sized(ast.Literal(token.type == "TRUE", span=span), 1),
    reference=lambda span, *names: Sized(
        ast.Reference("".join(names[:-2]) if len(names) > 1 else None, str(names[-1]), span=span), 1
    ),
    variable=lambda span, *names: Made("".join(str(name.value) for name in names), span),
)
