"""Read premises and conclusion of an inference rule from the source of its function.

The function of a rule is a straight line: definitions, guards that return early, one result. This module parses the
function and evaluates it in part for the settings of a model: it decides conditions that depend on settings, replaces
names that only abbreviate, and inlines private helpers that are one expression. The rest is drawn
(`parte.semantics.rulebook.figures`), so that a changed rule is a changed figure. A statement of another form is an
error; it is not left out. `Conventions` describe the style of a system's code.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType

from parte.semantics.rulebook.folding import Folder, negation

SourceOf = Callable[[FunctionType], str]


@cache
def source(function: FunctionType) -> str:
    """Return the source of a function."""
    return inspect.getsource(function)


@dataclass(frozen=True, slots=True)
class Conventions:
    """Conventions of a system's rules, by the names in their code.

    `switches` are the expressions whose attributes the settings of a model decide, and `always` the attributes that are
    true in every rule. `abbreviated` are the calls and the lookups, by the function or attribute, whose result gets no
    name of its own. `refusals` are the functions whose result means that the rule waits or does not apply; None, False
    and a constant of the module mean the same. Figures name the private helpers `named` instead of inlining them. They
    leave out statements that only record or report: those that begin as the function's entry in `observed` says.
    """

    switches: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    abbreviated: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    observed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Unreadable(ValueError):
    """A rule's function has a statement that cannot be shown as a premise or a conclusion."""

    def __init__(self, function: FunctionType, statement: ast.AST) -> None:
        super().__init__(
            f"{function.__module__}.{function.__qualname__} cannot be shown as an inference rule: expected a "
            f"definition, a guard or a result, found `{ast.unparse(statement)}`; write it as one of these, or teach "
            "parte.semantics.rulebook.reading the new form"
        )


@dataclass(frozen=True, slots=True)
class Definition:
    """A premise that defines a name."""

    target: ast.expr
    value: ast.expr


@dataclass(frozen=True, slots=True)
class Implication:
    """A guard that applies only under a condition."""

    condition: ast.expr
    guard: ast.expr


Premise = Definition | Implication | ast.expr


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a function: premises in order; results, each with its condition; changes of state.

    `unpacked` are names of the only element of a sequence, with that sequence: figures have their own symbols for them.
    """

    premises: tuple[Premise, ...]
    results: tuple[tuple[ast.expr | None, ast.expr], ...]
    changes: tuple[ast.stmt, ...]
    unpacked: tuple[tuple[str, ast.expr], ...] = ()


def read(function: FunctionType, settings: object, conventions: Conventions, source_of: SourceOf = source) -> Reading:
    """Return premises and conclusion of a rule, or the cases of an auxiliary function.

    Raise Unreadable for a statement of another form.
    """
    reader = _Reader(function, settings, conventions, source_of, {})
    reader.block(_parsed(function, source_of).body)
    return Reading(tuple(reader.premises), tuple(reader.results), tuple(reader.changes), tuple(reader.unpacked))


def _parsed(function: FunctionType, source_of: SourceOf) -> ast.FunctionDef:
    (parsed,) = ast.parse(textwrap.dedent(source_of(function))).body
    assert isinstance(parsed, ast.FunctionDef)
    return parsed


class _Reader:
    """Walks through the statements of a function. `known` maps names to the expressions that replace them."""

    def __init__(
        self,
        function: FunctionType,
        settings: object,
        conventions: Conventions,
        source_of: SourceOf,
        known: Mapping[str, ast.expr],
    ) -> None:
        self.function = function
        self.settings = settings
        self.conventions = conventions
        self.source_of = source_of
        self.known = dict(known)
        self.premises: list[Premise] = []
        self.results: list[tuple[ast.expr | None, ast.expr]] = []
        self.changes: list[ast.stmt] = []
        self.unpacked: list[tuple[str, ast.expr]] = []

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Read statements; return whether the function ends in them."""
        return any(not self._observed(statement) and self._statement(statement) for statement in statements)

    def _observed(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return True  # the docstring
        observed = self.conventions.observed.get(self.function.__name__, ())
        return ast.unparse(statement).removeprefix("if ").startswith(observed)

    def _statement(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Attribute()]) | ast.For() | ast.Expr(value=ast.Call()):
                self.changes.append(self._folder().statement(statement))
                return False
            case ast.Assign(targets=[target], value=value):
                self._assign(target, value)
                return False
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value)
                return False
            case ast.If(test=test, body=body, orelse=orelse):
                return self._if(self.fold(test), body, orelse)
            case ast.Return(value=ast.expr() as value):
                self._return(value, None)
                return True
        raise Unreadable(self.function, statement)

    # --- Definitions ------------------------------------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for part, part_value in zip(targets, values, strict=True):
                    self._assign(part, part_value)
                return
            case ast.Tuple(elts=[only]), ast.Attribute():
                # `(event,) = token.payload`: the only event of a right token; the notation has a name for it.
                assert isinstance(only, ast.Name)
                self.known.pop(only.id, None)
                self.unpacked.append((only.id, value))
                return
        folded = self.fold(value)
        if isinstance(target, ast.Name):
            self.known.pop(target.id, None)
            if self._abbreviates(folded):
                self.known[target.id] = folded
                return
        self.premises.append(Definition(target, folded))

    # --- Guards and results -----------------------------------------------------------------------------------------

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> bool:
        if isinstance(test, ast.Constant):
            return self.block(body if test.value else orelse)
        if orelse:
            raise Unreadable(self.function, ast.If(test, list(body), list(orelse)))
        match body:
            case [ast.Return(value=value)]:
                if self._gives_up(value):
                    self._guard(negation(test))
                elif value is not None:
                    self._return(value, test)
                return False
        inner = self._reader(self.function, self.known)
        inner.block(body)
        if inner.results or inner.changes:
            raise Unreadable(self.function, ast.If(test, list(body), []))
        for premise in inner.premises:
            if isinstance(premise, Definition):
                self.premises.append(premise)
            else:
                assert isinstance(premise, ast.expr)
                self.premises.append(Implication(test, premise))
        return False

    def _guard(self, condition: ast.expr) -> None:
        """Add a premise: each part of a conjunction, or an implication for a negated conjunction."""
        match condition:
            case ast.BoolOp(op=ast.And(), values=values):
                for value in values:
                    self._guard(value)
            case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp(op=ast.And(), values=[*premises, last])):
                premise = premises[0] if len(premises) == 1 else ast.BoolOp(ast.And(), premises)
                self.premises.append(Implication(premise, negation(last)))
            case _:
                self.premises.append(condition)

    def _gives_up(self, value: ast.expr | None) -> bool:
        """Return whether a result means that a premise failed: None, False, a constant, or a refusal."""
        match value:
            case ast.Constant(value=None | False):
                return True
            case ast.Name(id=name):
                return name.isupper()
            case ast.Call(func=ast.Name(id=name)):
                return name in self.conventions.refusals
        return False

    def _return(self, value: ast.expr, condition: ast.expr | None) -> None:
        match value:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name.startswith("_"):
                self._continue(name, arguments, keywords)
                return
        folded = self.fold(value)
        match folded:
            case ast.IfExp(test=test, body=body, orelse=rest) if self._gives_up(body):
                self._guard(negation(test))
                folded = rest
            case ast.Constant(value=True) if self.changes:
                return
        self.results.append((condition, folded))

    def _continue(self, name: str, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> None:
        """Read on in a helper: the rule ends in a call of it."""
        function = self.helper(name)
        assert function is not None
        parsed = _parsed(function, self.source_of)
        reader = self._reader(function, self.bound(parsed, arguments, keywords))
        reader.block(parsed.body)
        self.premises += reader.premises
        self.results += reader.results
        self.unpacked += reader.unpacked

    # --- Expressions ------------------------------------------------------------------------------------------------

    def _reader(self, function: FunctionType, known: Mapping[str, ast.expr]) -> _Reader:
        return _Reader(function, self.settings, self.conventions, self.source_of, known)

    def _folder(self) -> Folder:
        return Folder(self.known, self._decided, self.inlined)

    def _decided(self, attribute: ast.Attribute) -> bool | None:
        if ast.unparse(attribute.value) in self.conventions.switches:
            return bool(getattr(self.settings, attribute.attr))
        return True if ast.unparse(attribute) in self.conventions.always else None

    def fold(self, expression: ast.expr) -> ast.expr:
        """Return the expression with every decidable part decided."""
        copied = ast.parse(ast.unparse(expression), mode="eval").body
        folded = self._folder().visit(copied)
        assert isinstance(folded, ast.expr)
        return folded

    def helper(self, name: str) -> FunctionType | None:
        """Return the function of that name in the module of the rule; None if there is none."""
        function = self.function.__globals__.get(name)
        return function if isinstance(function, FunctionType) else None

    def bound(
        self, parsed: ast.FunctionDef, arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> dict[str, ast.expr]:
        """Return the arguments of a call by the parameters of the helper."""
        names = [parameter.arg for parameter in parsed.args.args]
        passed = {name: self.fold(argument) for name, argument in zip(names, arguments, strict=True)}
        return passed | {keyword.arg: self.fold(keyword.value) for keyword in keywords if keyword.arg is not None}

    def inlined(self, name: str, arguments: Sequence[ast.expr]) -> ast.expr | None:
        """Return the expression that a private helper consists of; None if it is more than one expression."""
        function = self.helper(name)
        if function is None or name in self.conventions.named or not name.startswith("_"):
            return None
        parsed = _parsed(function, self.source_of)
        reader = self._reader(function, self.bound(parsed, arguments, ()))
        reader.block(parsed.body)
        match reader.premises, reader.results:
            case [], [(None, result)]:
                return result
        return None

    def _abbreviates(self, value: ast.expr) -> bool:
        """Return whether a definition only gives a second name to something known."""
        match value:
            case ast.Name() | ast.Attribute() | ast.Constant():
                return True
            case ast.Tuple(elts=parts):
                return all(map(self._abbreviates, parts))
            case ast.Call(func=ast.Name(id=name)) | ast.Subscript(value=ast.Attribute(attr=name)):
                return name in self.conventions.abbreviated
        return False
