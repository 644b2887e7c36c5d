"""The functions of level 2 that SQL cannot say exactly: engines call the definition's own, under a name of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from parte.algebra.matching.addresses import is_in_network
from parte.algebra.matching.position_sets import is_match
from parte.algebra.partelang.clocks import reading
from parte.semantics.events.event import Value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of a value and of a constant String, in this order; it may have no value."""

    parameter: Scalar
    result: Scalar
    implementation: Callable[..., Value | None]

    def __call__(self, value: Value | None, constant: str | None) -> Value | None:
        """Return the value for the arguments of an engine, where None is no value."""
        return None if value is None or constant is None else self.implementation(value, constant)


_FUNCTIONS: Final = {
    "matches": PythonFunction(Scalar.STRING, Scalar.BOOLEAN, is_match),
    "in_network": PythonFunction(Scalar.STRING, Scalar.BOOLEAN, is_in_network),
    "time_of_day": PythonFunction(Scalar.INTEGER, Scalar.INTEGER, partial(reading, "time_of_day")),
    "weekday": PythonFunction(Scalar.INTEGER, Scalar.INTEGER, partial(reading, "weekday")),
    "date": PythonFunction(Scalar.INTEGER, Scalar.STRING, partial(reading, "date")),
}
PYTHON_FUNCTIONS: Final[Mapping[str, PythonFunction]] = {f"parte_{name}": row for name, row in _FUNCTIONS.items()}
"""The functions by their names in SQL."""


def sql_name(expression: core.Expression) -> str | None:
    """Return the name in SQL of the Python function that an expression calls; None if it calls none."""
    if isinstance(expression, core.PatternTest | core.ClockReading) and expression.function in _FUNCTIONS:
        return f"parte_{expression.function}"
    return None


def python_functions_of(program: core.Program) -> list[str]:
    """Return the names in SQL of the Python functions that a program calls, sorted."""
    conditions = [c for rule in program.rules for pattern in rule.patterns for c in pattern.conditions]
    values = [a.value for rule in program.rules for emission in rule.emissions for a in emission.assignments]
    called = {sql_name(part) for whole in (*conditions, *values) for part in core.EXPRESSIONS.within(whole)}
    return sorted(name for name in called if name is not None)
