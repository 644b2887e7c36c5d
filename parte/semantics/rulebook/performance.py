"""Evaluate a figure: the values of a rule's premises and conclusion, as they are read for the figure.

A reading (`parte.semantics.rulebook.reading`) holds the very expressions that a figure writes. This module interprets
them for given arguments, one after the other, without calling the function from which they were read: if both give the
same result, the figure shows the code that runs. The expressions are those of the project's own code; the interpreter
supports only the forms that the notation can write (`parte.semantics.rulebook.notation`).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from parte.semantics.rulebook.notation import OPERATORS
from parte.semantics.rulebook.reading import Definition, Implication, Premise, Reading

Scope = ChainMap[str, object]

_BUILTINS: dict[str, object] = {
    name: getattr(builtins, name)
    for name in ("all", "any", "isinstance", "len", "list", "map", "max", "min", "range", "reversed", "tuple", "zip")
}
_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_,
    ast.IsNot: operator.is_not, ast.In: lambda part, whole: part in whole,
    ast.NotIn: lambda part, whole: part not in whole, ast.FloorDiv: operator.floordiv,
}  # fmt: skip


class Unperformable(ValueError):
    """The interpreter does not support an expression, or a name is not defined."""


@dataclass(frozen=True, slots=True)
class Line:
    """A premise, whether it holds, and the definitions up to it."""

    premise: Premise
    holds: bool
    scope: Scope


@dataclass(frozen=True, slots=True)
class Performance:
    """The evaluation of a reading: premises up to the first that fails; the result, if all hold and there is one.

    Changes of state are not carried out.
    """

    lines: tuple[Line, ...]
    result: object

    @property
    def holds(self) -> bool:
        """True if the rule applies."""
        return all(line.holds for line in self.lines)


class Performer:
    """Evaluates readings. Functions with an entry in `readings` are evaluated too; other functions are called."""

    def __init__(self, readings: Mapping[FunctionType, Reading]) -> None:
        self.readings = readings

    def perform(self, function: FunctionType, reading: Reading, arguments: Mapping[str, object]) -> Performance:
        """Evaluate the reading of a function for arguments. Raise Unperformable for an unsupported form."""
        defined: dict[str, object] = dict(arguments)
        scope: Scope = ChainMap(defined, function.__globals__, _BUILTINS)
        for name, sequence in reading.unpacked:
            (defined[name],) = _several(self.value(sequence, scope))
        lines = []
        for premise in reading.premises:
            lines.append(Line(premise, self._holds(premise, scope, defined), ChainMap(dict(defined), *scope.maps[1:])))
            if not lines[-1].holds:
                return Performance(tuple(lines), None)
        for condition, value in reading.results:
            if condition is None or self.value(condition, scope):
                return Performance(tuple(lines), self.value(value, scope))
        if reading.changes:
            return Performance(tuple(lines), None)
        raise Unperformable(f"{function.__qualname__} has no result for these arguments")

    def _holds(self, premise: Premise, scope: Scope, defined: dict[str, object]) -> bool:
        match premise:
            case Definition(target, value):
                defined.update(_bound(target, self.value(value, scope)))
                return True
            case Implication(condition, guard):
                return not self.value(condition, scope) or bool(self.value(guard, scope))
            case ast.expr():
                return bool(self.value(premise, scope))

    def _called(self, function: FunctionType, *arguments: object, **named: object) -> object:
        bound = inspect.signature(function).bind(*arguments, **named)
        bound.apply_defaults()
        return self.perform(function, self.readings[function], bound.arguments).result

    def _performed(self, value: object) -> object:
        """Return the replacement for a function or method with a reading; any other value is returned as it is."""
        if isinstance(value, FunctionType) and value in self.readings:
            return partial(self._called, value)
        if isinstance(value, MethodType) and value.__func__ in self.readings:
            assert isinstance(value.__func__, FunctionType)
            return partial(self._called, value.__func__, value.__self__)
        return value

    # --- Expressions ------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, scope: Scope) -> object:
        """Return the value of an expression."""
        result: object
        match node:
            case ast.Name(id=name):
                if name not in scope:
                    raise Unperformable(f"nothing is called {name}")
                return self._performed(scope[name])
            case ast.Constant(value=constant):
                return constant
            case ast.Attribute(value=owner, attr=attribute):
                result = getattr(self.value(owner, scope), attribute)
                return self._performed(result)
            case ast.Call(func=called, args=arguments, keywords=keywords):
                function = self.value(called, scope)
                assert callable(function)
                named = {str(keyword.arg): self.value(keyword.value, scope) for keyword in keywords}
                result = function(*self._spread(arguments, scope), **named)
                return result
            case ast.Tuple(elts=parts):
                return tuple(self._spread(parts, scope))
            case ast.List(elts=parts):
                return list(self._spread(parts, scope))
            case ast.BoolOp(op=ast.And(), values=values):
                return all(self.value(value, scope) for value in values)
            case ast.BoolOp(values=values):
                return any(self.value(value, scope) for value in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand, scope)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return operator.neg(self._any(operand, scope))
            case ast.BinOp(left=left, op=sign, right=right) | ast.Compare(left=left, ops=[sign], comparators=[right]):
                if type(sign) in _OPERATORS:
                    return _OPERATORS[type(sign)](self.value(left, scope), self.value(right, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test, scope) else orelse, scope)
            case ast.ListComp(elt=element, generators=[among]) | ast.GeneratorExp(elt=element, generators=[among]):
                return [self.value(element, inner) for inner in self._among(among, scope)]
            case ast.Lambda(args=ast.arguments(args=[parameter]), body=body):
                return lambda argument: self.value(body, scope.new_child({parameter.arg: argument}))
            case ast.Subscript(value=whole, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                least, most = (None if end is None else self.value(end, scope) for end in (lower, upper))
                return operator.getitem(self._any(whole, scope), slice(least, most))
            case ast.Subscript(value=whole, slice=index):
                return operator.getitem(self._any(whole, scope), self.value(index, scope))
        raise Unperformable(f"`{ast.unparse(node)}` is of no form that figures have")

    def _any(self, node: ast.expr, scope: Scope) -> Any:
        return self.value(node, scope)

    def _spread(self, parts: Iterable[ast.expr], scope: Scope) -> Iterator[object]:
        for part in parts:
            if isinstance(part, ast.Starred):
                yield from _several(self.value(part.value, scope))
            else:
                yield self.value(part, scope)

    def _among(self, among: ast.comprehension, scope: Scope) -> Iterator[Scope]:
        for element in _several(self.value(among.iter, scope)):
            inner = scope.new_child(dict(_bound(among.target, element)))
            if all(self.value(condition, inner) for condition in among.ifs):
                yield inner

    # --- Text -------------------------------------------------------------------------------------------------------

    def filled(self, line: Line, tell: Callable[[object], str]) -> str:
        """Return a premise with values in place of expressions: the defined value, or the compared values."""
        match line.premise:
            case Definition(target, _):
                return tell(self._defined(target, line.scope))
            case Implication(condition, guard):
                text = self._filled(condition, line.scope, tell)
                return (
                    f"{text} ⇒ {self._filled(guard, line.scope, tell)}" if self.value(condition, line.scope) else text
                )
            case ast.expr() as guard:
                return self._filled(guard, line.scope, tell)

    def _defined(self, target: ast.expr, scope: Scope) -> object:
        if isinstance(target, ast.Tuple):
            return tuple(self._defined(part, scope) for part in target.elts)
        return self.value(target, scope)

    def _filled(self, node: ast.expr, scope: Scope, tell: Callable[[object], str]) -> str:
        match node:
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                return f"{tell(self.value(left, scope))} {OPERATORS[type(sign)]} {tell(self.value(right, scope))}"
            case ast.BoolOp(op=sign, values=values):
                return OPERATORS[type(sign)].join(f"({self._filled(value, scope, tell)})" for value in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                value = self.value(operand, scope)
                return f"¬{tell(value)}" if isinstance(value, bool) else tell(value)
        return tell(self.value(node, scope))


def _several(value: object) -> Iterable[object]:
    assert isinstance(value, Iterable)
    return value


def _bound(target: ast.expr, value: object) -> Iterator[tuple[str, object]]:
    match target:
        case ast.Name(id=name):
            yield name, value
        case ast.Tuple(elts=parts):
            for part, element in zip(parts, _several(value), strict=True):
                yield from _bound(part, element)
        case _:
            raise Unperformable(f"`{ast.unparse(target)}` is no name that figures give")
