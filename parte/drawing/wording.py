"""The text of a node of the network: its kind, its name, and its conditions and windows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parte.semantics.events.duration import duration_text
from parte.semantics.partelang.compilation import EMITTED
from parte.semantics.partelang.network import AlphaNode, EntryNode, Node, ProductionNode, TerminalNode, TwoInputNode
from parte.semantics.partelang.rules.registry import Kind, kind_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import expression_text


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of a node. `details` has a line for each window and condition, in full."""

    kind: Kind
    name: str
    title: str
    details: tuple[str, ...]

    @property
    def tooltip(self) -> str:
        """The whole text: the name that reports and capacities use, then the details."""
        return "\n".join((self.name, *self.details))

    def noted(self, note: str | None) -> Wording:
        """Return the wording with one more line, if there is one. It comes first, because the last of many lines are
        not shown."""
        return self if note is None else replace(self, details=(note, *self.details))


def wording_of(program: core.Program, node: Node) -> Wording:
    """Return the text of a node of the program's network."""
    title, details = _content(program, node)
    return Wording(kind_of(node), node.name, title, tuple(details))


def _content(program: core.Program, node: Node) -> tuple[str, list[str]]:
    match node:
        case EntryNode(template=template):
            return template, []
        case AlphaNode(template=template, merged=True):
            return EMITTED, [f": {template}"]
        case AlphaNode(rule=rule, variable=variable, template=template):
            own = [item for item in _conditions(program, rule, variable) if core.variables_of(item) <= {variable}]
            return variable, [f": {template}", *(expression_text(item, variable) for item in own)]
        case TwoInputNode(rule=rule, left=left, right=right, minima=minima, maxima=maxima):
            windows = [
                f"in {variable_} {interval_text(lower, upper)}"
                for variable_, lower, upper in zip(left, minima, maxima, strict=False)  # summaries have no window
            ]
            shared = [item for item in _conditions(program, rule, right) if not core.variables_of(item) <= {right}]
            having = [f"having {expression_text(part)}" for part in _having(program, node)]
            pattern = _pattern(program, rule, right)
            quantifier = "all " if node.collects else "no " if node.negated and pattern.selects is None else ""
            return quantifier + right, [*windows, *(expression_text(i, right) for i in shared), *having]
        case ProductionNode(rule=rule, position=position):
            emission = program.rule(rule).emissions[position - 1]
            return emission.template, [
                f"at {timestamp_text(emission.at)}",
                *([] if emission.once is None or node.once is None else [suppression_text(emission.once)]),
            ]
        case TerminalNode(rule=rule):
            return rule, []


def _having(program: core.Program, node: TwoInputNode) -> list[core.Expression]:
    """Return the conditions on the set of a set-node, and on those before it."""
    if not node.collects:
        return []
    later = {pattern.variable for pattern in program.rule(node.rule).collected} - {*node.left, node.right}
    conditions = [(condition, core.variables_of(condition)) for condition in program.rule(node.rule).having]
    return [condition for condition, named in conditions if node.right in named and not named & later]


def _pattern(program: core.Program, rule: str, variable: str) -> core.Pattern:
    for pattern in program.rule(rule).patterns:
        if pattern.variable == variable:
            return pattern
    raise KeyError(variable)


def _conditions(program: core.Program, rule: str, variable: str) -> tuple[core.Expression, ...]:
    return _pattern(program, rule, variable).conditions


def interval_text(lower: int, upper: int) -> str:
    """Return a window as PARTElang writes it; the distances are in milliseconds."""
    return f"[{duration_text(lower)}, {duration_text(upper)}]" if lower <= upper else "never"


def suppression_text(once: core.Suppression) -> str:
    """Return a suppression as PARTElang writes it."""
    keys = f"per ({', '.join(once.keys)}) " if once.keys else ""
    return f"once {keys}in {duration_text(once.milliseconds)}"


def timestamp_text(expression: core.TimestampExpression) -> str:
    """Return a timestamp expression as PARTElang writes it."""
    match expression:
        case core.TimestampOf(variable=variable):
            return f"{variable}.timestamp"
        case core.Aggregate(function=function, variable=variable):
            return f"{function}({variable}.timestamp)"
        case core.Shift(operand=operand, milliseconds=milliseconds):
            sign = "-" if milliseconds < 0 else "+"
            return f"{timestamp_text(operand)} {sign} {duration_text(abs(milliseconds))}"
        case core.Combination(function=function, operands=operands):
            return f"{function}({', '.join(timestamp_text(operand) for operand in operands)})"
