"""The registry of functions that expressions may call: name, arity and type (specification: function-registry).

The built-in functions have no implementation here: the algebra and the machine each evaluate them with code of their
own, so that their agreement is evidence. A function that a user registers brings its implementation, which both call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from parte.semantics.events.types import Scalar


@dataclass(frozen=True, slots=True)
class Function:
    """A pure, total function in constant time over numbers.

    `result` says how the type follows: `"promoted"`: Float if any argument is a Float, else Integer, and the
    arguments are converted to it; `Scalar.FLOAT`: the arguments are converted to Float and the result is one.
    `implementation` gets the converted arguments and returns a value of the result type, or None for "no value";
    it must be None for the built-in functions.
    """

    name: str
    least_arguments: int
    most_arguments: int | None
    result: Literal["promoted"] | Scalar
    implementation: Callable[..., int | float | None] | None = None


BUILT_IN = (
    Function("min", 1, None, "promoted"),
    Function("max", 1, None, "promoted"),
    Function("avg", 1, None, Scalar.FLOAT),
    Function("sum", 1, None, "promoted"),
    Function("abs", 1, 1, "promoted"),
)

_registry: dict[str, Function] = {function.name: function for function in BUILT_IN}


def register(function: Function) -> None:
    """Add a function. ValueError if the name is taken or it has no implementation."""
    if function.name in _registry or function.name == "list":
        raise ValueError(f"there is a function called {function.name} already")
    if function.implementation is None:
        raise ValueError(f"function {function.name} needs an implementation")
    _registry[function.name] = function


def lookup(name: str) -> Function | None:
    """The function called `name`, if there is one."""
    return _registry.get(name)


def names() -> tuple[str, ...]:
    """The names of all functions, sorted."""
    return tuple(sorted(_registry))
