"""Expressions: names resolved, types checked, conversions made explicit (specification: conversions).

Every function reports an error in an expression and returns None; no further error is reported for the expressions
that contain it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from parte.semantics.events.values import fits_float, fits_integer, type_name
from parte.semantics.partelang.syntax import ast, core, functions, times
from parte.semantics.partelang.syntax.aggregates import elaborate_aggregate, is_aggregate, names_set
from parte.semantics.partelang.syntax.declarations import LIST, name_span
from parte.semantics.partelang.syntax.scope import Scope
from parte.semantics.source.networks import InvalidNetwork, network
from parte.semantics.source.regular import regular
from parte.semantics.source.spans import Position, Span
from parte.semantics.source.wildcards import InvalidPattern, segments

_NUMBERS = (core.Scalar.INTEGER, core.Scalar.FLOAT)
_TYPES: dict[type, core.Scalar] = {
    int: core.Scalar.INTEGER,
    float: core.Scalar.FLOAT,
    str: core.Scalar.STRING,
    bool: core.Scalar.BOOLEAN,
}
_CONNECTIVES = {
    "and": "conditions hold together: separate them by commas",
    "or": "a program that begins with `level 2` has `or`; at level 1 write one rule for each alternative",
    "is": "a program that begins with `level 2` has `is present` and `is missing`",
    "not": "compare a Boolean with `false`; a pattern is negated by `no`; `level 2` has `not`",
}
_ELSEWHERE = {
    **dict.fromkeys(("len", "length", "size"), "count"),
    **dict.fromkeys(("average", "mean"), "avg"),
    "any": "exists",
}
"""Names of aggregates in other languages."""
_UNORDERED = (ast.BinaryOperator.EQUAL, ast.BinaryOperator.NOT_EQUAL)


def elaborate_condition(node: ast.Expression, scope: Scope) -> core.Expression | None:
    """Return a condition of a pattern, or of a connective: a comparison, a call of a predicate, or a combination."""
    expression = elaborate_expression(node, scope)
    if expression is None or isinstance(expression, core.Condition) or _is_test(expression, scope):
        return expression
    if core.type_of(expression) is core.Scalar.BOOLEAN and isinstance(node, ast.Reference):
        name = node.attribute if node.variable is None else f"{node.variable}.{node.attribute}"
        hint = f"write `{name} = true`"
    else:
        hint = "compare it with something, by `=`, `!=`, `<`, `<=`, `>` or `>=`"
    message = f"a condition is a comparison or a call of a predicate, not {_kind(expression)}"
    scope.reporter.report("not-a-condition", node.span, message, hint)
    return None


def _is_test(expression: core.Expression, scope: Scope) -> bool:
    if isinstance(expression, core.Aggregate):
        return expression.function == "exists"
    called = isinstance(expression, core.FunctionCall) and expression.type is core.Scalar.BOOLEAN
    return called and scope.declarations.level > 1


def _kind(expression: core.Expression) -> str:
    type_ = type_name(core.type_of(expression))
    article = "an" if type_[0] in "AEIOU" else "a"
    return f"{article} {type_}" if isinstance(core.type_of(expression), core.Scalar) else f"a list {type_}"


def elaborate_value(node: ast.Expression, target: core.Type, scope: Scope) -> core.Expression | None:
    """Return the value of an emitted attribute of type `target`."""
    if isinstance(node, ast.Call) and node.name == LIST:
        if isinstance(target, core.ListOf):
            return _list(node, target, scope)
        message = f"this attribute is of type {type_name(target)}, not a list"
        scope.reporter.report(
            "type-mismatch", node.span, message, f"give it a single value of type {type_name(target)}"
        )
        return None
    expression = elaborate_expression(node, scope)
    return None if expression is None else convert(expression, target, scope)


def elaborate_argument(node: ast.Expression, target: core.Scalar | None, scope: Scope) -> core.Expression | None:
    """Return the value of a parameter of a named pattern: a constant, a parameter or an attribute, converted.

    A conversion is written so that the text of a program can say it too.
    """
    expression = elaborate_expression(node, scope)
    if expression is None or target is None:
        return None
    if not isinstance(node, ast.Literal | ast.Reference):
        message = "an argument of a pattern is a constant or an attribute"
        scope.reporter.report("invalid-argument", node.span, message, "write `5` or `variable.attribute`")
        return None
    converted = convert(expression, target, scope)
    if not isinstance(converted, core.ToFloat):
        return converted
    if isinstance(converted.operand, core.Constant):
        return core.Constant(float(converted.operand.value), target, span=node.span)
    return core.Arithmetic("*", converted, core.Constant(1.0, target, span=node.span), target, span=node.span)


def convert(expression: core.Expression, target: core.Type, scope: Scope) -> core.Expression | None:
    """Return the expression as a value of type `target`."""
    type_, kind = core.type_of(expression), times.time_kind(expression, scope)
    if kind is not None:
        message, hint = f"expected {type_name(target)}, found a {kind}", "timestamps and durations are no arguments"
        scope.reporter.report("type-mismatch", expression.span, message, hint)
        return None
    if type_ == target:
        return expression
    if type_ is core.Scalar.INTEGER and target is core.Scalar.FLOAT:
        return core.ToFloat(expression, span=expression.span)
    if isinstance(type_, core.ListOf) and isinstance(target, core.ListOf):
        if type_.element is target.element and type_.capacity <= target.capacity:
            return expression
        hint = f"the list must fit {type_name(target)}: the same elements, and no more of them"
    elif isinstance(target, core.ListOf):
        hint = "write `list(…)`"
    elif type_ is core.Scalar.FLOAT and target is core.Scalar.INTEGER:
        hint = "a Float is never converted to an Integer: declare the attribute or parameter as Float"
    else:
        hint = f"use an expression of type {type_name(target)}"
    message = f"expected {type_name(target)}, found {type_name(type_)}"
    scope.reporter.report("type-mismatch", expression.span, message, hint)
    return None


def elaborate_expression(node: ast.Expression, scope: Scope) -> core.Expression | None:
    """Return any expression except `list(…)` and those of `at`."""
    match node:
        case ast.Literal():
            return _literal(node, scope)
        case ast.Duration() | ast.Timestamp():
            return times.constant(node, scope)
        case ast.Reference():
            return _reference(node, scope)
        case ast.Negate():
            return _negation(node, scope)
        case ast.Binary(operator=operator) if operator.relational:
            return _comparison(node, scope)
        case ast.Binary():
            return _arithmetic(node, scope)
        case ast.Compound(connective=connective, operands=operands):
            conditions = _all_of([elaborate_condition(operand, scope) for operand in operands])
            return None if conditions is None else core.Compound(connective.value, conditions, span=node.span)
        case ast.Not(operand=operand):
            condition = elaborate_condition(operand, scope)
            return None if condition is None else core.Not(condition, span=node.span)
        case ast.Membership():
            return _membership(node, scope)
        case ast.Presence(operand=operand, present=present):
            return _presence(elaborate_expression(operand, scope), present, node.span, scope)
        case ast.Call():
            return _call(node, scope)


def _literal(node: ast.Literal, scope: Scope) -> core.Expression | None:
    value = node.value
    # The parser checks this; trees that a program has built did not pass the parser.
    if type(value) is int and not fits_integer(value):
        message = f"{value} does not fit the 64 bit of an Integer"
        scope.reporter.report("integer-out-of-range", node.span, message, "write it as a Float")
        return None
    if type(value) is float and not fits_float(value):
        message = f"{value} is not a finite Float"
        scope.reporter.report("float-out-of-range", node.span, message, "the greatest Float is about 1.8e308")
        return None
    return core.Constant(value, _TYPES[type(value)], span=node.span)


def _reference(node: ast.Reference, scope: Scope) -> core.Expression | None:
    if node.name in scope.parameters:
        return scope.parameters[node.name]
    if node.variable is None:
        variable = scope.here
        if variable is None:
            hint = f"write `variable.{node.attribute}`"
            if node.attribute in scope.variables:
                hint = f"`{node.attribute}` is a variable: write `{node.attribute}.attribute`"
            clause = "in `having`" if scope.condition else "after `then`"
            message = f"{clause} no event is at hand of which `{node.attribute}` could be an attribute"
            scope.reporter.report("bare-attribute", node.span, message, hint)
            return None
    else:
        variable = scope.find(node.variable, name_span(node.span, node.variable))
    if variable is None:
        return None
    if node.attribute == "timestamp":
        if not scope.in_condition or scope.has_times:
            return core.TimestampOf(variable.name, span=node.span)
        message = "conditions do not speak about time"
        hint = "relate events in time by `when`: `b in a [0 days, 14 days]`"
        scope.reporter.report("misplaced-timestamp", node.span, message, hint)
        return None
    if variable.schema is None:
        return None
    attributes = variable.schema.attributes
    if node.attribute in attributes:
        type_ = attributes[node.attribute]
        optional = node.attribute in variable.schema.optional
        if type_ is None:
            return None
        return core.AttributeOf(variable.name, node.attribute, type_, optional, span=node.span)
    name = variable.schema.template.name
    otherwise = f"`{name}` has {_listed(attributes)}"
    if node.variable is None and node.attribute in scope.variables:
        hint = f"`{node.attribute}` is a variable: write `{node.attribute}.attribute`"
    elif node.variable is None and node.attribute in _CONNECTIVES:
        hint = _CONNECTIVES[node.attribute]
    else:
        hint = scope.reporter.suggestion(node.attribute, attributes, otherwise)
    end = node.span.end
    span = replace(node.span, start=Position(end.line, end.column - len(node.attribute)))
    message = f"the template `{name}` has no attribute `{node.attribute}`"
    if variable.pattern.alternatives and variable is not scope.here:
        message = f"not all alternatives of `{variable.name}` have an attribute `{node.attribute}` of the same type"
        hint = f"in common {_have(name)} {_listed(attributes)}; others stand in the braces of an alternative"
    scope.reporter.report("unknown-attribute", span, message, hint)
    return None


def _have(templates: str) -> str:
    return f"{', '.join(f'`{name}`' for name in templates.split(' or '))} have"


def _listed(names: Iterable[str]) -> str:
    listed = [f"`{name}`" for name in islice(names, 13)]
    if not listed:
        return "no attributes"
    return f"the attributes {', '.join(listed[:12])}" + (", …" if len(listed) > 12 else "")


def _comparison(node: ast.Binary, scope: Scope) -> core.Expression | None:
    left, right = elaborate_expression(node.left, scope), elaborate_expression(node.right, scope)
    for side in (left, right):
        if side is not None and isinstance(core.type_of(side), core.ListOf):
            _misplaced_list(side.span, scope)
            return None
    if left is None or right is None:
        return None
    left, right = _promote((left, right))
    left_type, right_type = core.type_of(left), core.type_of(right)
    if left_type is not right_type or times.time_kind(left, scope) != times.time_kind(right, scope):
        message = f"{times.kind_name(left, scope)} cannot be compared with {times.kind_name(right, scope)}"
        scope.reporter.report("type-mismatch", node.span, message, "compare values of one type, or numbers")
        return None
    if left_type is core.Scalar.BOOLEAN and node.operator not in _UNORDERED:
        message = f"Booleans have no order: `{node.operator.value}` does not apply"
        scope.reporter.report("not-ordered", node.span, message, "compare Booleans by `=` or `!=`")
        return None
    return core.Comparison(node.operator.value, left, right, span=node.span)


def _membership(node: ast.Membership, scope: Scope) -> core.Expression | None:
    """Return `x in (a, b)` as `x = a or x = b`."""
    equal = ast.BinaryOperator.EQUAL
    pairs = [ast.Binary(equal, node.member, part, span=part.span) for part in node.candidates]
    if elaborate_expression(node.member, scope) is None:
        return None
    if not pairs:
        message = "`in` has no values to compare with"
        scope.reporter.report("no-candidates", node.span, message, "list at least one: `x in (1, 2)`")
        return None
    comparisons = _all_of([_comparison(pair, scope) for pair in pairs])
    if comparisons is None or len(comparisons) == 1:
        return comparisons and replace(comparisons[0], span=node.span)
    return core.Compound(ast.Connective.OR.value, comparisons, span=node.span)


def _presence(operand: core.Expression | None, present: bool, span: Span, scope: Scope) -> core.Expression | None:
    if operand is not None and isinstance(core.type_of(operand), core.ListOf):
        _misplaced_list(operand.span, scope)
        return None
    return operand and core.Presence(operand, present, span=span)


def _all_of(parts: Sequence[core.Expression | None]) -> tuple[core.Expression, ...] | None:
    """Return the parts; None if one of them has an error."""
    valid = tuple([part for part in parts if part is not None])
    return valid if len(valid) == len(parts) else None


def _arithmetic(node: ast.Binary, scope: Scope) -> core.Expression | None:
    sums = scope.has_times and node.operator in (ast.BinaryOperator.ADD, ast.BinaryOperator.SUBTRACT)
    left, right = _number(node.left, scope, times_too=sums), _number(node.right, scope, times_too=sums)
    if left is None or right is None:
        return None
    if times.time_kind(left, scope) or times.time_kind(right, scope):
        return times.combined(node, left, right, scope)
    division = node.operator is ast.BinaryOperator.DIVIDE
    left, right = _promote((left, right), to_float=division)
    return core.Arithmetic(node.operator.value, left, right, _scalar(left), span=node.span)


def _negation(node: ast.Negate, scope: Scope) -> core.Expression | None:
    operand = _number(node.operand, scope, times_too=True)
    if operand is None or times.time_kind(operand, scope):
        return operand and times.negated(node, operand, scope)
    return core.Negation(operand, _scalar(operand), span=node.span)


def _number(node: ast.Expression, scope: Scope, *, times_too: bool = False) -> core.Expression | None:
    """Return an expression whose value is an Integer or a Float, or a timestamp or a duration."""
    expression = elaborate_expression(node, scope)
    kind = None if expression is None or times_too else times.time_kind(expression, scope)
    if expression is None or (kind is None and core.type_of(expression) in _NUMBERS):
        return expression
    if isinstance(core.type_of(expression), core.ListOf):
        _misplaced_list(expression.span, scope)
        return None
    message = f"expected a number, found {_kind(expression) if kind is None else f'a {kind}'}"
    scope.reporter.report("not-a-number", node.span, message, "arithmetic and functions work on Integer and Float")
    return None


def _scalar(expression: core.Expression) -> core.Scalar:
    type_ = core.type_of(expression)
    assert isinstance(type_, core.Scalar)
    return type_


def _promote(parts: Sequence[core.Expression], *, to_float: bool = False) -> tuple[core.Expression, ...]:
    """Convert Integers to Floats if any of the parts is a Float."""
    if not to_float and all(core.type_of(part) is not core.Scalar.FLOAT for part in parts):
        return tuple(parts)
    return tuple(
        core.ToFloat(part, span=part.span) if core.type_of(part) is core.Scalar.INTEGER else part for part in parts
    )


def _call(node: ast.Call, scope: Scope) -> core.Expression | None:
    if node.name == LIST:
        _misplaced_list(node.span, scope)
        return None
    level = scope.declarations.level
    if is_aggregate(node, scope):
        return elaborate_aggregate(node, scope)
    function = functions.lookup(node.name)
    if function is not None and function.level <= level:
        return _function_call(node, function, scope)
    if node.name in scope.declarations.predicates:
        return _predicate_call(node, scope)
    span = name_span(node.span, node.name)
    if function is not None:
        hint = f"programs that begin with `level {function.level}` have this function"
    else:
        aggregates = functions.AGGREGATES if level > 1 and scope.here is None else ()
        candidates = (*aggregates, *functions.names(level), *scope.declarations.predicates)
        otherwise = f"declare it, if it is a predicate: `predicate {node.name}(…)`"
        meant = _ELSEWHERE.get(node.name.lower(), "")
        if meant in candidates:
            hint = f"did you mean `{meant}`?"
        else:
            hint = scope.reporter.suggestion(node.name, candidates, otherwise)
    message = f"there is no function or predicate called `{node.name}`"
    scope.reporter.report("unknown-function", span, message, hint)
    for argument in node.arguments:
        if not names_set(argument, scope):
            elaborate_expression(argument, scope)
    return None


def check_argument_count(node: ast.Call, least: int, most: int | None, scope: Scope) -> bool:
    """Return whether a call has the right number of arguments; report it if not."""
    count = len(node.arguments)
    if count >= least and (most is None or count <= most):
        return True
    if most is None:
        expected = f"at least {least} argument{'s' if least != 1 else ''}"
    elif least == most:
        expected = f"{least} argument{'s' if least != 1 else ''}"
    else:
        expected = f"{least} to {most} arguments"
    message = f"`{node.name}` takes {expected}, not {count}"
    scope.reporter.report("wrong-argument-count", node.span, message, f"call it with {expected}")
    return False


def _function_call(node: ast.Call, function: functions.Function, scope: Scope) -> core.Expression | None:
    counted = check_argument_count(node, function.least_arguments, function.most_arguments, scope)
    if function.of_clocks:
        return times.clock_reading(node, scope) if counted else None
    arguments = _all_of([_argument(argument, function, scope) for argument in node.arguments])
    if not counted or arguments is None:
        return None
    if function.patterned:
        return _pattern_tests(node, arguments[0], scope)
    if function.parameter is not None and function.result != "promoted":
        return core.FunctionCall(node.name, arguments, function.result, span=node.span)
    if function.result == "promoted":
        promoted = _promote(arguments)
        result = _scalar(promoted[0]) if promoted else core.Scalar.INTEGER
        return core.FunctionCall(node.name, promoted, result, span=node.span)
    return core.FunctionCall(node.name, _promote(arguments, to_float=True), function.result, span=node.span)


def _argument(node: ast.Expression, function: functions.Function, scope: Scope) -> core.Expression | None:
    if function.parameter is None:
        return _number(node, scope)
    expression = elaborate_expression(node, scope)
    return None if expression is None else convert(expression, function.parameter, scope)


_PATTERNS: dict[str, Callable[[str], object]] = {"like": segments, "matches": regular, "in_network": network}
"""The readers of the constants of functions on Strings."""


def _pattern_tests(node: ast.Call, operand: core.Expression, scope: Scope) -> core.Expression | None:
    """Return the test of a String by a constant, or by one of several: `f(s, a, b)` is `f(s, a) or f(s, b)`."""
    patterns = [_pattern(node.name, argument, scope) for argument in node.arguments[1:]]
    tests = tuple([core.PatternTest(node.name, operand, text, span=node.span) for text in patterns if text is not None])
    if len(tests) < len(patterns):
        return None
    return tests[0] if len(tests) == 1 else core.Compound(ast.Connective.OR.value, tests, span=node.span)


def _pattern(function: str, node: ast.Expression, scope: Scope) -> str | None:
    """Return the pattern that an argument is."""
    code, what = ("invalid-network", "network") if function == "in_network" else ("invalid-pattern", "pattern")
    if not (isinstance(node, ast.Literal) and isinstance(node.value, str)):
        message = f"a {what} is a constant, so that it can be checked"
        example = "10.0.0.0/8" if what == "network" else "a*"
        hint = f'write the {what} itself, as in `{function}(s, "{example}")`'
        scope.reporter.report(code, node.span, message, hint)
        return None
    try:
        _PATTERNS[function](node.value)
    except InvalidNetwork as problem:
        scope.reporter.report(code, node.span, str(problem), "correct the network")
        return None
    except InvalidPattern as problem:
        scope.reporter.report(code, node.span, str(problem), r"in a string `\\` is a backslash")
        return None
    return node.value


def _predicate_call(node: ast.Call, scope: Scope) -> core.Expression | None:
    scope.declarations.used.add(node.name)
    parameters = scope.declarations.predicates[node.name]
    counted = check_argument_count(node, len(parameters), len(parameters), scope)
    arguments: list[core.Expression] = []
    for position, argument in enumerate(node.arguments):
        expression = elaborate_expression(argument, scope)
        parameter = parameters[position] if counted else None
        if expression is not None and parameter is not None:
            expression = convert(expression, parameter, scope)
            if expression is not None:
                arguments.append(expression)
    if len(arguments) < len(parameters) or not counted:
        return None
    return core.PredicateCall(node.name, tuple(arguments), span=node.span)


def _list(node: ast.Call, target: core.ListOf, scope: Scope) -> core.Expression | None:
    fits = len(node.arguments) <= target.capacity
    if not fits:
        message = f"a list of {len(node.arguments)} values does not fit {type_name(target)}"
        hint = f"list at most {target.capacity} values, or declare a greater capacity"
        scope.reporter.report("list-too-long", node.span, message, hint)
    items: list[core.Expression] = []
    for argument in node.arguments:
        expression = elaborate_expression(argument, scope)
        if expression is not None:
            expression = convert(expression, target.element, scope)
            if expression is not None:
                items.append(expression)
    if not fits or len(items) < len(node.arguments):
        return None
    return core.ListExpression(tuple(items), target, span=node.span)


def _misplaced_list(span: Span, scope: Scope) -> None:
    message = "a list cannot be used inside an expression"
    hint = "lists are built by `list(…)` as whole values of emitted attributes"
    scope.reporter.report("misplaced-list", span, message, hint)
