"""Expressions of the rules' code in the notation of D §5.4, as plain text.

D's names stand for those that have one there; other names stay what they are, with hyphens. What every rule takes for
granted is left out: the node, the repairs, and what they are passed on with.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

Symbols = Mapping[str, str]
"""What stands for an expression, by its source."""

OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥", ast.In: "∈", ast.NotIn: "∉",
    ast.Is: "=", ast.IsNot: "≠", ast.And: " ∧ ", ast.Or: " ∨ ", ast.Add: "+", ast.Sub: "−", ast.Mult: "×",
}  # fmt: skip

NAMES: Symbols = {
    "expire_left": "expire↘", "expire_right": "expire↙", "expire_negated": "expire-negated↘",
    "has_room_left": "has-room-for↘", "has_room_right": "has-room-for↙",
    "matching_left": "matches↘", "matching_right": "matches↙", "left_entry": "entry↘", "right_entry": "entry↙",
    "NEGATIVE_INFINITY": "−∞", "POSITIVE_INFINITY": "+∞", "timestamp": "θ", "tuple": "", "list": "",
    "propagated_bound": "min", "entry_bound": "min", "batch_bound": "min", "_apply": "apply",
    "condition": "c", "generate_event": "gᵉ", "generate_bound": "gˡ", "highest": "max", "lowest": "min", "mean": "avg",
    "joined_bounds_after": "joined-bounds", "left_bounds_after": "left-bounds",
}  # fmt: skip
"""D's name for a function or an attribute of ours. The kernel's least of two or of many is D's min."""

SEQUENCES = ("matching_left", "matching_right")
"""Functions whose results are asked for being empty."""

IMPLICIT = ("site", "node", "repairs", "site.node", "site.repairs", "self")

CONSTRUCTORS: Symbols = {"BetaToken": "𝒯β", "AlphaToken": "𝒯α", "_token": "𝒯β", "PlainHistory": "history"}


class Notation:
    """Writes expressions as text; `symbols` replaces some of them as a whole."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    def of(self, node: ast.expr) -> str:
        """An expression."""
        source = ast.unparse(node)
        if source in self.symbols:
            return self.symbols[source]
        match node:
            case ast.Name(id=name):
                return NAMES.get(name, name.strip("_").replace("_", "-"))
            case ast.Constant(value=value):
                return "⊥" if value is None else str(value).lower()
            case ast.Attribute(value=value, attr=attribute):
                return self._attribute(value, attribute)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                return self._call(
                    function, [*arguments, *(keyword.value for keyword in keywords if keyword.arg != "strict")]
                )
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return self._sequence(parts)
            case ast.BoolOp(op=operator, values=values):
                return OPERATORS[type(operator)].join(map(self._inside, values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.denied(operand)
            case ast.UnaryOp(operand=operand):
                return f"−{self._inside(operand)}"
            case ast.BinOp(left=left, op=operator, right=right):
                joined = ast.unparse(left).endswith(".events")
                return f"{self._inside(left)} {'·' if joined else OPERATORS[type(operator)]} {self._inside(right)}"
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return f"{self._inside(left)} {OPERATORS[type(operator)]} {self._inside(right)}"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"{self.of(body)} if {self.holds(test)}, else {self.of(orelse)}"
            case ast.ListComp(elt=element, generators=[among]) | ast.GeneratorExp(elt=element, generators=[among]):
                return f"[{self.of(element)} | {self._among(among)}]"
            case ast.Lambda(args=parameters, body=body):
                return f"λ {', '.join(one.arg for one in parameters.args)}. {self.of(body)}"
            case ast.Subscript(value=value, slice=ast.Constant(value=0)):
                return f"first({self.of(value)})"
            case ast.Slice(lower=lower, upper=upper, step=None):
                return f"{self.of(lower) if lower else ''}:{self.of(upper) if upper else ''}"
            case ast.Subscript(value=value, slice=index):
                return f"{self.of(value)}[{self.of(index)}]"
            case ast.Starred(value=value):
                return self.of(value)
        raise ValueError(f"there is no notation for `{source}`: teach semantics.rules.notation this form")

    def holds(self, node: ast.expr) -> str:
        """An expression that is asked whether it holds, or has elements."""
        empty = _is_sequence(node)
        return f"{self.of(node)} ≠ ∅" if empty else self.of(node)

    def denied(self, node: ast.expr) -> str:
        """The opposite."""
        return f"{self.of(node)} = ∅" if _is_sequence(node) else f"¬{self._inside(node)}"

    def _inside(self, node: ast.expr) -> str:
        text = self.holds(node) if _is_sequence(node) else self.of(node)
        open_ended = isinstance(node, ast.BoolOp | ast.IfExp | ast.Compare | ast.Lambda)
        return f"({text})" if open_ended and ast.unparse(node) not in self.symbols else text

    def _attribute(self, value: ast.expr, attribute: str) -> str:
        name = NAMES.get(attribute, attribute.replace("_", "-"))
        return name if ast.unparse(value) in (*IMPLICIT, "kernel") else f"{self.of(value)}.{name}"

    def _sequence(self, parts: Sequence[ast.expr]) -> str:
        match parts:
            case [ast.Starred(value=whole), value, ast.Starred()] if isinstance(whole, ast.Subscript):
                # (*xs[:i], x, *xs[i + 1:]): xs with x at i.
                assert isinstance(whole.slice, ast.Slice)
                assert whole.slice.upper is not None
                return f"{self.of(whole.value)}[{self.of(whole.slice.upper)} ↦ {self.of(value)}]"
            case [ast.Starred(value=whole), value]:
                return f"{self._inside(whole)} · {self.of(value)}"
        return f"[{', '.join(map(self.of, parts))}]"

    def _among(self, among: ast.comprehension) -> str:
        conditions = [self.holds(condition) for condition in among.ifs]
        return ", ".join([f"{self.of(among.target)} ∈ {self.of(among.iter)}", *conditions])

    def _call(self, function: ast.expr, arguments: Sequence[ast.expr]) -> str:
        given = [self.of(argument) for argument in arguments if ast.unparse(argument) not in IMPLICIT]
        match function, arguments:
            case ast.Name(id="len"), _:
                return f"|{given[0]}|"
            case ast.Name(id="isinstance"), _:
                return f"{given[0]} is {given[1]}"
            case ast.Name(id="tuple" | "list"), _:
                return given[0]
            case ast.Name(id="map"), [ast.Name(id="add"), first, second]:
                return f"{self.of(first)} + {self.of(second)}"
            case ast.Name(id="conj"), _:
                return " ∧ ".join(map(self._inside, arguments))
            case ast.Name(id="neg"), [argument]:
                return self.denied(argument)
            case ast.Name(id="all" | "any" as name), [ast.GeneratorExp(elt=element, generators=[among])]:
                return f"({'∀' if name == 'all' else '∃'} {self._among(among)}: {self.of(element)})"
            case ast.Name(id=name), _ if name in CONSTRUCTORS:
                return f"{CONSTRUCTORS[name]}⟨{', '.join(given)}⟩"
            case ast.Attribute(value=owner, attr=method), _ if self._is_owner(ast.unparse(owner)):
                return self._method(self._inside(owner), method, given)
        return f"{self.of(function)}({', '.join(given)})"

    def _is_owner(self, source: str) -> bool:
        return source in self.symbols or source not in (*IMPLICIT, "kernel")

    @staticmethod
    def _method(owner: str, method: str, given: Sequence[str]) -> str:
        match method:
            case "stored":
                return f"{owner} · {given[0]}"
            case "without":
                return f"{owner} ∖ {given[0]}"
            case "peek":
                return f"head({', '.join([owner, *given])})"
        return f"{method.replace('_', '-')}({', '.join([owner, *given])})"


def _is_sequence(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in SEQUENCES
        case ast.Name(id=name):
            return name in ("expired", "results", "window")
    return False
