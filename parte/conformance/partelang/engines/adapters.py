"""The interface of adapters of foreign engines for PARTElang, and the engine of the kit that an adapter becomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from parte.conformance.engines.foreign import ForeignEngine, Inexpressible, Reading
from parte.conformance.engines.registry import calling
from parte.conformance.partelang.engines.declared import with_level_2
from parte.conformance.partelang.engines.reading import Loaded, read_program
from parte.conformance.protocol import Engine, Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import LEVEL_1, Construct, construct_of, lacking, undeclared

Json = Any


class Adapter(Protocol):
    """A translation of programs and traces for a foreign engine."""

    @property
    def greeting(self) -> Greeting:
        """The name of the engine, with the installed version."""
        ...

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Return a function from arrivals, in their order, to matches as JSON. Both raise Inexpressible and
        EngineFailure."""
        ...


def behind(adapter: Adapter, declared: Collection[Construct] = LEVEL_1) -> Engine:
    """Return the foreign engine behind an adapter, which gets no program with another construct of level 2 than those
    declared."""
    greeting = with_level_2(adapter.greeting, declared)

    def compiled(read: Loaded) -> Callable[[Sequence[Arrival]], list[Json]]:
        for construct, _ in undeclared(read.program, declared):
            raise Inexpressible(lacking(construct, greeting.name))
        return adapter.compile(read.program, read.predicates)

    return ForeignEngine(
        greeting, Reading(read_program, lambda loaded, trace: loaded.scenario(trace).arrivals), compiled
    )


def adapted(place: str, *, declared: Collection[Construct] = LEVEL_1, **arguments: object) -> Callable[[], Engine]:
    """Return a function that creates the engine behind the adapter that `module:name` creates."""
    make = calling(place, **arguments)
    return lambda: behind(make(), declared)


def unreached(node: core.Expression) -> AssertionError:
    """Return the error of an adapter whose declaration has a construct that it does not translate."""
    return AssertionError(f"{construct_of(node)} is declared, and {type(node).__name__} has no translation")


def has_value(expression: core.Expression) -> bool:
    """Return whether an expression has a value for every event: a constant, or an attribute that no event lacks."""
    match expression:
        case core.Constant() | core.TimestampOf() | core.TimeConstant():
            return True
        case core.AttributeOf(optional=optional):
            return not optional
        case core.ToFloat(operand=operand):
            return has_value(operand)
    return False


def demand_exact_presence(operand: core.Expression) -> None:
    """Raise Inexpressible if `is present` depends on arithmetic, which no engine has exactly as PARTE has it."""
    for part in core.EXPRESSIONS.within(operand):
        if isinstance(part, core.Arithmetic | core.Negation) or (
            isinstance(part, core.FunctionCall) and construct_of(part) is None
        ):
            raise Inexpressible(
                f"{Construct.PRESENCE.value} after arithmetic, which has a value of its own beyond 64 bit"
            )
