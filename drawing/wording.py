"""What a node of the network says: its kind, its name, and the conditions and windows that it holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from parte.semantics.parte.network import AlphaNode, EntryNode, Node, ProductionNode, TerminalNode, TwoInputNode
from parte.semantics.parte.rules.registry import Kind, kind_of
from parte.semantics.parte.syntax import core

_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms"))
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
_UNARY = 3


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of a node. `details` has a line for each window and condition, in full."""

    kind: Kind
    name: str
    title: str
    details: tuple[str, ...]

    @property
    def tooltip(self) -> str:
        """All of it: the name that reports and capacities use, then the details."""
        return "\n".join((self.name, *self.details))

    def noted(self, note: str | None) -> Wording:
        """With one more line, if there is one; it comes first, for of many lines the last are not shown."""
        return self if note is None else replace(self, details=(note, *self.details))


def wording_of(program: core.Program, node: Node) -> Wording:
    """What a node of the program's network says."""
    title, details = _content(program, node)
    return Wording(kind_of(node), node.name, title, tuple(details))


def _content(program: core.Program, node: Node) -> tuple[str, list[str]]:
    match node:
        case EntryNode(template=template):
            return template, []
        case AlphaNode(rule=rule, variable=variable, template=template):
            own = [item for item in _conditions(program, rule, variable) if core.variables_of(item) <= {variable}]
            return variable, [f": {template}", *(expression_text(item, variable) for item in own)]
        case TwoInputNode(rule=rule, left=left, right=right, minima=minima, maxima=maxima):
            windows = [
                f"in {other} {interval_text(lower, upper)}"
                for other, lower, upper in zip(left, minima, maxima, strict=True)
            ]
            shared = [item for item in _conditions(program, rule, right) if not core.variables_of(item) <= {right}]
            return ("no " if node.negated else "") + right, [*windows, *(expression_text(i, right) for i in shared)]
        case ProductionNode(rule=rule, position=position):
            emission = program.rule(rule).emissions[position - 1]
            return emission.template, [f"at {timestamp_text(emission.at)}"]
        case TerminalNode(rule=rule):
            return rule, []


def _conditions(program: core.Program, rule: str, variable: str) -> tuple[core.Expression, ...]:
    for pattern in program.rule(rule).patterns:
        if pattern.variable == variable:
            return pattern.conditions
    raise KeyError(variable)


def interval_text(lower: int, upper: int) -> str:
    """A window in readable units; the distances are in milliseconds."""
    return f"[{duration_text(lower)}, {duration_text(upper)}]" if lower <= upper else "never"


def duration_text(milliseconds: int) -> str:
    """A duration in the largest unit that divides it."""
    for size, unit in _UNITS:
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size} {unit}"
    return "0 ms"


def expression_text(expression: core.Expression, own: str = "") -> str:
    """An expression as PARTElang writes it; attributes of the variable `own` stand bare, as in its pattern."""
    match expression:
        case core.Constant(value=bool(value)):
            return "true" if value else "false"
        case core.Constant(value=str(value)):
            return json.dumps(value, ensure_ascii=False)
        case core.Constant(value=value):
            return repr(value)
        case core.AttributeOf(variable=variable, attribute=attribute):
            return attribute if variable == own else f"{variable}.{attribute}"
        case core.TimestampOf(variable=variable):
            return f"{variable}.timestamp"
        case core.ToFloat(operand=operand):
            return expression_text(operand, own)
        case core.Negation(operand=operand):
            return f"-{_operand(operand, own, _UNARY)}"
        case core.Comparison(operator=operator, left=left, right=right):
            return f"{expression_text(left, own)} {operator} {expression_text(right, own)}"
        case core.Arithmetic(operator=operator, left=left, right=right):
            own_strength = _STRENGTH[operator]
            return f"{_operand(left, own, own_strength)} {operator} {_operand(right, own, own_strength + 1)}"
        case core.PredicateCall(predicate=name, arguments=parts) | core.FunctionCall(function=name, arguments=parts):
            return f"{name}({', '.join(expression_text(part, own) for part in parts)})"
        case core.ListExpression(items=parts):
            return f"list({', '.join(expression_text(part, own) for part in parts)})"


def _operand(expression: core.Expression, own: str, strength: int) -> str:
    """An expression in a place where operators weaker than `strength` need parentheses."""
    text = expression_text(expression, own)
    inner = expression.operand if isinstance(expression, core.ToFloat) else expression
    if isinstance(inner, core.Arithmetic) and _STRENGTH[inner.operator] < strength:
        return f"({text})"
    return text


def timestamp_text(expression: core.TimestampExpression) -> str:
    """A timestamp expression as PARTElang writes it, with durations in short units."""
    match expression:
        case core.TimestampOf(variable=variable):
            return f"{variable}.timestamp"
        case core.Shift(operand=operand, milliseconds=milliseconds):
            sign = "-" if milliseconds < 0 else "+"
            return f"{timestamp_text(operand)} {sign} {duration_text(abs(milliseconds))}"
        case core.Combination(function=function, operands=operands):
            return f"{function}({', '.join(timestamp_text(operand) for operand in operands)})"
