"""Partial evaluation of expressions in rules' code: replace names, decide known conditions, and simplify."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

Inlined = Callable[[str, Sequence[ast.expr]], ast.expr | None]
"""Returns the expression that a call of a helper with arguments equals; None if it is not one expression."""

Decided = Callable[[ast.Attribute], bool | None]
"""Returns the truth value of an attribute; None if it is not known."""

_OPPOSITE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip


def negation(condition: ast.expr) -> ast.expr:
    """Return the negated condition, in the simplest form."""
    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(left=left, ops=[operator], comparators=others):
            return ast.Compare(left, [_OPPOSITE[type(operator)]()], others)
        case ast.BoolOp(op=ast.Or(), values=values):
            return ast.BoolOp(ast.And(), [negation(value) for value in values])
        case _:
            return ast.UnaryOp(ast.Not(), condition)


class Folder(ast.NodeTransformer):
    """Replaces names, decides known conditions, and drops the parts that then have no effect."""

    def __init__(self, known: Mapping[str, ast.expr], decided: Decided, inlined: Inlined) -> None:
        self.known = known
        self.decided = decided
        self.inlined = inlined

    def statement(self, statement: ast.stmt) -> ast.stmt:
        """Return a statement that changes state, with its expressions folded."""
        folded = self.visit(ast.parse(ast.unparse(statement)).body[0])
        assert isinstance(folded, ast.stmt)
        return folded

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        decision = self.decided(node)
        if decision is not None:
            return ast.Constant(decision)
        self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        deciding = isinstance(node.op, ast.Or)
        left = []
        for value in node.values:
            folded = self.visit(value)
            if isinstance(folded, ast.Constant) and folded.value is deciding:
                return folded
            if not isinstance(folded, ast.Constant):
                left.append(folded)
        if not left:
            return ast.Constant(not deciding)
        return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not) and isinstance(operand, ast.Constant):
            return ast.Constant(not operand.value)
        return negation(operand) if isinstance(node.op, ast.Not) else ast.UnaryOp(node.op, operand)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            chosen: ast.expr = self.visit(node.body if test.value else node.orelse)
            return chosen
        return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Is() | ast.IsNot() as same], [ast.Constant(value=bool(affirmed))]):
                return left if isinstance(same, ast.Is) is affirmed else negation(left)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments) if name not in self.known:
                inlined = self.inlined(name, arguments)
                if inlined is not None:
                    return inlined
        self.generic_visit(node)
        return node
