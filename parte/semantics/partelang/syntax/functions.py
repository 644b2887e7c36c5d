"""The functions that expressions may call: name, arity and type (specification: function-registry).

`BUILT_IN` is the only table of built-in functions. A row has the syntax of a function. Each reader of programs has its
own table of implementations (`implementations.Implementations`): the algebra and the machine evaluate functions with
separate code, so that their agreement is evidence, and SQL, the solver and the engines of the kit are optional. A new
function needs a row here, its clause in the specification, and an entry for each reader that supports it; the other
readers reject it by name. A function that a user registers has its own implementation, which both evaluators call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from parte.semantics.events.types import Scalar


@dataclass(frozen=True, slots=True)
class Function:
    """A pure, total function over numbers, in constant time; or one over Strings, in time linear in their length.

    `result` determines the type: `"promoted"`: Float if any argument is a Float, else Integer, and the arguments are
    converted to it; `Scalar.FLOAT`: the arguments are converted to Float and the result is one. `implementation` gets
    the converted arguments and returns a value of the result type, or None for "no value"; it must be None for the
    built-in functions. `clause` is the clause of the specification that defines a built-in function; editors show it.
    `parameter` is the type of all arguments, if they are no numbers. `level` is the level of the language that has the
    function. `patterned`: all arguments but the first are constants that describe texts. `of_clocks`: the first
    argument is a variable, the second a time zone. `of_timestamps`: `at` may combine any number of timestamps by it,
    so it must be non-decreasing in each of them.
    """

    name: str
    least_arguments: int
    most_arguments: int | None
    result: Literal["promoted"] | Scalar
    implementation: Callable[..., int | float | None] | None = None
    clause: str = ""
    parameter: Scalar | None = None
    level: int = 1
    patterned: bool = False
    of_clocks: bool = False
    of_timestamps: bool = False


AGGREGATES: Final = ("exists", "count", "sum", "avg", "min", "max", "first", "last")
"""The names of the aggregates of sets, which are no functions; some of them name a function too."""

LONGEST_STRING: Final = 65_536
"""The most code points of a String that `concat` makes."""

_of_strings = partial(Function, parameter=Scalar.STRING, level=2, clause="function-strings")
_of_clocks = partial(Function, level=2, clause="function-clocks", of_clocks=True)

BUILT_IN: Final = {
    function.name: function
    for function in (
        Function("min", 1, None, "promoted", clause="function-min-max", of_timestamps=True),
        Function("max", 1, None, "promoted", clause="function-min-max", of_timestamps=True),
        Function("avg", 1, None, Scalar.FLOAT, clause="function-avg", of_timestamps=True),
        Function("sum", 1, None, "promoted", clause="function-sum"),
        Function("abs", 1, 1, "promoted", clause="function-abs"),
        _of_strings("starts_with", 2, 2, Scalar.BOOLEAN),
        _of_strings("ends_with", 2, 2, Scalar.BOOLEAN),
        _of_strings("contains", 2, 2, Scalar.BOOLEAN),
        _of_strings("length", 1, 1, Scalar.INTEGER),
        _of_strings("concat", 1, None, Scalar.STRING),
        _of_strings("lower", 1, 1, Scalar.STRING),
        _of_strings("upper", 1, 1, Scalar.STRING),
        _of_strings("like", 2, 2, Scalar.BOOLEAN, clause="function-like", patterned=True),
        _of_strings("matches", 2, 2, Scalar.BOOLEAN, clause="function-matches", patterned=True),
        _of_strings("in_network", 2, None, Scalar.BOOLEAN, clause="function-in-network", patterned=True),
        _of_clocks("time_of_day", 1, 2, Scalar.INTEGER),
        _of_clocks("weekday", 1, 2, Scalar.INTEGER),
        _of_clocks("date", 1, 2, Scalar.STRING),
    )
}
"""The built-in functions, by name."""

_registered: Final[dict[str, Function]] = {}


def register(function: Function) -> None:
    """Add a function. Raise ValueError if the name is taken or it has no implementation."""
    if lookup(function.name) is not None or function.name == "list":
        raise ValueError(f"there is a function called {function.name} already")
    if function.implementation is None:
        raise ValueError(f"function {function.name} needs an implementation")
    _registered[function.name] = function


def lookup(name: str) -> Function | None:
    """Return the function called `name`, or None."""
    return BUILT_IN.get(name) or _registered.get(name)


def names(level: int = 2) -> tuple[str, ...]:
    """Return the names of all functions of a level, sorted."""
    return tuple(sorted(name for name, row in (BUILT_IN | _registered).items() if row.level <= level))


def of_clocks() -> tuple[str, ...]:
    """Return the functions that read a clock at the timestamp of an event."""
    return tuple(name for name, function in BUILT_IN.items() if function.of_clocks)


def of_timestamps() -> tuple[str, ...]:
    """Return the functions by which `at` may combine timestamps."""
    return tuple(name for name, function in BUILT_IN.items() if function.of_timestamps)
