"""Inference rules as figures, read from the code: premises above a line, the conclusion below it.

This module has the parts that the figures of all systems share. Each system defines the two sides of the arrow in a
conclusion, and the notation of the names in its code.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TypeVar

from parte.semantics.rulebook.notation import Notation
from parte.semantics.rulebook.reading import Definition, Implication, Premise, Reading

ReadingOf = Callable[[FunctionType], Reading]


@dataclass(frozen=True, slots=True)
class Figure:
    """An inference rule: the lines above the rule of the figure, and those below it."""

    premises: tuple[str, ...]
    conclusion: tuple[str, ...]

    def render(self) -> str:
        """Return the figure as text."""
        lines = [*self.premises, *self.conclusion]
        rule = "─" * max(map(_width, lines))
        return "\n".join([*self.premises, rule, *self.conclusion])


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """A function that rules use: its head, and its cases, a line each."""

    name: str
    head: str
    lines: tuple[str, ...]


def of_function(function: Callable[..., object]) -> Figure:
    """Return the figure of a rule that is an algorithm: the statements above the line, the result below it.

    The statements are not premises; their text is that of the code without comments.
    """
    (parsed,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(parsed, ast.FunctionDef)
    body = parsed.body[1:] if ast.get_docstring(parsed) is not None else parsed.body
    head = f"{parsed.name}({', '.join(inspect.signature(function).parameters)})"
    match body[-1]:
        case ast.Return(value=ast.expr() as value):
            body, result = body[:-1], ast.unparse(value)
            conclusion = f"{head} = {result}"
        case _:
            conclusion = head
    return Figure(tuple(line for statement in body for line in ast.unparse(statement).splitlines()), (conclusion,))


def _width(text: str) -> int:
    """Return the number of columns: combining overlines take none."""
    return sum(character != "\u0305" for character in text)


_Shown = TypeVar("_Shown")


def grouped(models: Iterable[str], figures_of: Callable[[str], Iterable[_Shown]]) -> list[tuple[list[str], _Shown]]:
    """Return the distinct items of `shown(model)` over all models, each with the models in which it occurs."""
    groups: list[tuple[list[str], _Shown]] = []
    for model in models:
        for item in figures_of(model):
            same = [names for names, known in groups if known == item]
            if same:
                same[0].append(model)
            else:
                groups.append(([model], item))
    return groups


def premises(notation: Notation, stated: Sequence[Premise]) -> Iterator[str]:
    """Return the premises of a rule, a line each."""
    for premise in stated:
        match premise:
            case Definition(ast.Tuple(elts=targets), value) if ast.unparse(ast.Tuple(targets)) not in notation.symbols:
                yield f"⟨{', '.join(map(notation.of, targets))}⟩ = {notation.of(value)}"
            case Definition(target, value):
                yield f"{notation.of(target)} = {notation.of(value)}"
            case Implication(condition, guard):
                yield f"{notation.holds(condition)} ⇒ {notation.holds(guard)}"
            case ast.expr():
                yield notation.holds(premise)


def changes(notation: Notation, reading: Reading) -> Iterator[str]:
    """Return the changes that a rule makes to a state of queues and values, a line for each change."""
    for statement in reading.changes:
        yield from _change(notation, statement)


def _change(notation: Notation, statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="pop" | "popleft"), args=slots)):
            arguments = ", ".join(map(notation.of, [box, *slots]))
            yield f"{notation.of(box)} := tail({arguments})"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="extend"), args=[tokens])):
            yield f"{notation.of(box)} := {notation.of(box)} ⋄ {notation.of(tokens)}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="append"), args=[item])):
            yield f"{notation.of(box)} := {notation.of(box)} · {notation.of(item)}"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=box, attr="put"), args=[edge, token])):
            yield f"{notation.of(box)} := {notation.of(box)} · ⟨{notation.of(edge)}.side, {notation.of(token)}⟩"
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Attribute(value=old), keywords=[keyword])):
            yield f"{notation.of(target)} := {notation.of(old)}[{keyword.arg} ↦ {notation.of(keyword.value)}]"
        case ast.Assign(targets=[target], value=value):
            yield f"{notation.of(target)} := {notation.of(value)}"
        case ast.For(target=target, iter=among, body=body):
            yield f"for each {notation.of(target)} ∈ {notation.of(among)}:"
            for part in body:
                yield from _change(notation, part)
        case ast.If(test=test, body=body, orelse=[]):
            changes = [change for part in body for change in _change(notation, part)]
            yield f"if {notation.holds(test)}: {', '.join(changes)}"
        case _:
            raise ValueError(
                f"there is no notation for `{ast.unparse(statement)}`: teach parte.semantics.rulebook.figures it"
            )


# --- Auxiliary functions ---------------------------------------------------------------------------------------------


def used(
    rules: Iterable[Reading], functions: Sequence[FunctionType], modules: Sequence[str], reading_of: ReadingOf
) -> dict[FunctionType, Reading]:
    """Return those of the functions that rules use, directly or not, in order, with their readings.

    Rules may call them as attributes of `modules`.
    """
    readings: dict[FunctionType, Reading] = {}
    pending = list(rules)
    while pending:
        mentioned = list(_mentioned(pending.pop(), modules))
        for function in functions:
            own = (function.__name__, "." in function.__qualname__)
            if function not in readings and own in mentioned:
                readings[function] = reading_of(function)
                pending.append(readings[function])
    return {function: readings[function] for function in functions if function in readings}


def _mentioned(reading: Reading, modules: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Return the names that may name functions, each with whether it is a method."""
    parts: list[ast.AST] = [*reading.changes, *(value for result in reading.results for value in result if value)]
    for premise in reading.premises:
        match premise:
            case Definition(value=value):
                parts.append(value)
            case Implication(condition, guard):
                parts += [condition, guard]
            case ast.expr():
                parts.append(premise)
    for node in (node for part in parts for node in ast.walk(part)):
        match node:
            case ast.Attribute(value=owner, attr=name):
                yield name, ast.unparse(owner) not in modules
            case ast.Name(id=name):
                yield name, False


def auxiliary(notation: Notation, function: FunctionType, reading: Reading) -> Auxiliary:
    """Return a function that rules use: its cases, then the definitions of its names."""
    implicit = set(notation.vocabulary.implicit) - {"self"}
    parameters = [name for name in inspect.signature(function).parameters if name not in implicit]
    head = ", ".join(notation.of(ast.Name(name)) for name in parameters)
    lines = []
    for condition, value in reading.results:
        case = "" if condition is None else f" if {notation.holds(condition)}"
        lines.append(f"= {notation.of(value)}{case}")
    where = [*premises(notation, reading.premises), *(_loop(notation, part) for part in reading.changes)]
    name = notation.of(ast.Name(function.__name__))
    return Auxiliary(function.__name__, f"{name}({head})", (*lines, *(f"where {text}" for text in where)))


def _loop(notation: Notation, statement: ast.stmt) -> str:
    head, *body = _change(notation, statement)
    return f"{head.replace('for each', 'for')} {'; '.join(body)}"
