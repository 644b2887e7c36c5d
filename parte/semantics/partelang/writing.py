"""Text of functions, and the expressions of a program in it.

A text is a small subset of Python: assignments, `if`, `for`, comparisons, and calls of functions of this project. It
consists of words of this project only. Whatever comes from a program, such as a distance, the name of an attribute or a
constant, is in `Written.constants`, the arguments of the function `make` that the text defines; so nodes that differ
only in these share one text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Final, Protocol, cast

from parte.semantics.events.domain import Predicates
from parte.semantics.partelang.expressions import GREATEST_INTEGER, LEAST_INTEGER, NoValue
from parte.semantics.partelang.syntax import core

TEXTS: Final = 1_024
"""The most compiled texts that are stored."""

Function = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a function, and the values of its constants by their names."""

    text: str
    constants: Mapping[str, object]

    def function(self, **others: object) -> Function:
        """Return the function, with more constants."""
        return _compiled(self.text)(**self.constants, **others)


class _Make(Protocol):
    def __call__(self, **constants: object) -> Function: ...


@lru_cache(TEXTS)
def _compiled(text: str) -> _Make:
    """Return the function that a text defines. The text is trusted: `staging` wrote it, from its own words."""
    names: dict[str, object] = {}
    exec(compile(text, "<staged>", "exec"), {"__builtins__": {"float": float, "max": max, "min": min}}, names)
    return cast(_Make, names["make"])


def indented(depth: int, lines: Iterable[str]) -> list[str]:
    """Return lines that are indented so often."""
    return ["    " * depth + line for line in lines]


class NotWritten(Exception):
    """An expression for which there is no text: its closure is called."""


@dataclass(slots=True)
class Text:
    """The constants of a function, and the variables of a program that its expressions may read.

    `names` are those of the attributes of the events of variables; `read` are those that an expression reads. `calls`
    are variables with the values of predicates, for a text that `remembers` them.
    """

    names: dict[str, str] = field(default_factory=dict)
    remembers: bool = False
    constants: dict[str, object] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    calls: dict[Hashable, str] = field(default_factory=dict)
    checked: int = 0

    def constant(self, value: object) -> str:
        """Return the name of a constant."""
        name = f"constant_{len(self.constants)}"
        self.constants[name] = value
        return name

    def guarded(self, condition: str, lines: Sequence[str]) -> list[str]:
        """Write lines that are executed if a condition holds; one without a value fails."""
        if not condition:
            return [*lines]
        if not self.checked:
            return [f"if {condition}:", *indented(1, lines)]
        writing = ["try:", f"    holds = {condition}", "except NoValue:", "    holds = False"]
        return [*writing, "if holds:", *indented(1, lines)]

    def conjunction(self, parts: Iterable[core.Expression], predicates: Predicates, closure: object, call: str) -> str:
        """Write a condition; if a part of it has no text, the call of its closure."""
        self.checked = 0
        try:
            return " and ".join([self.expression(part, predicates) for part in parts])
        except NotWritten:
            self.checked = 0
            return f"{self.constant(closure)}({call})"

    def expression(self, expression: core.Expression, predicates: Predicates) -> str:
        """Write an expression, with the operators of `expressions`. Raise NotWritten if it is not a simple one."""

        def recur(part: core.Expression) -> str:
            return self.expression(part, predicates)

        match expression:
            case core.Constant(value=value):
                return self.constant(value)
            case core.AttributeOf(variable=variable, attribute=attribute, optional=False):
                self.read.add(name := self.names[variable])
                return f"{name}[{self.constant(attribute)}]"
            case core.ToFloat(operand=operand):
                return f"float({recur(operand)})"
            case core.Comparison(operator=sign, left=left, right=right):
                return f"({recur(left)} {_SIGNS[sign]} {recur(right)})"
            case core.Arithmetic(operator=sign, left=left, right=right) if sign in ("+", "-", "*"):
                return self._checked(f"{recur(left)} {sign} {recur(right)}", expression.type)
            case core.PredicateCall(predicate=predicate, arguments=arguments):
                call = f"{self.constant(predicates[predicate])}({', '.join(map(recur, arguments))})"
                if not self.remembers:
                    return call
                alike = core.likeness(expression, dict.fromkeys(self.names, ""))
                name = self.calls.setdefault(alike, f"call_{len(self.calls)}")
                return f"({name} if {name} is not None else ({name} := {call}))"
            case _:
                raise NotWritten

    def _checked(self, calculation: str, type_: core.Type) -> str:
        """Write a calculation that has no value beyond 64 bit, or beyond the finite Floats."""
        self.constants |= {"NoValue": NoValue, "no_value": _no_value}
        self.checked += 1
        result = f"result_{self.checked}"
        floating = type_ is core.Scalar.FLOAT
        least, sign, greatest = (-inf, "<", inf) if floating else (LEAST_INTEGER, "<=", GREATEST_INTEGER)
        limits = f"{self.constant(least)} {sign} ({result} := {calculation}) {sign} {self.constant(greatest)}"
        return f"({result} if {limits} else no_value())"

    def written(self, signature: str, lines: Iterable[str], others: Iterable[str], steps: int = 1) -> Written:
        """Return the function with a signature, lines and `others`, the arguments of `function`."""
        head = [f"def make({', '.join([*self.constants, 'run', *others])}):", f"    def {signature}:"]
        body = indented(2, [f"run.steps += {steps}", *lines])
        return Written("\n".join([*head, *body, f"    return {signature.partition('(')[0]}", ""]), self.constants)


def _no_value() -> None:
    raise NoValue


_SIGNS: Final = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
