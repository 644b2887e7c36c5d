"""The parts of a program and a trace that every harness reads in the same form: tables, emissions, events."""

from __future__ import annotations

from typing import Any

from parte.conformance.engines.foreign import Inexpressible, plain
from parte.semantics.events.domain import DomainTable
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct
from parte.semantics.partelang.syntax.implementations import Implementations
from parte.semantics.partelang.syntax.json_form import expression_to_json, timestamp_to_json

Json = Any


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(f"the function {function}, which the harnesses in Java do not have")


DECLARED = frozenset(
    {Construct.CONNECTIVES, Construct.PRESENCE, Construct.OPTIONAL, Construct.STRINGS, Construct.TIMES}
)
"""The constructs of level 2 that the harnesses have."""

FUNCTIONS: Implementations[None] = Implementations(
    {
        **dict.fromkeys(("min", "max", "avg", "sum", "abs")),
        **dict.fromkeys(("starts_with", "ends_with", "contains", "length", "concat", "lower", "upper")),
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[None] = Implementations(
    dict.fromkeys(("min", "max", "avg")), _inexpressible, of_timestamps=True
)
"""The functions of the harnesses in Java, in `Arithmetic.java` and `Strings.java`."""


def described_event(event: Event) -> Json:
    """Return an event of a trace."""
    attributes = {name: plain(value) for name, value in event.attributes.items()}
    return {"template": event.template, "timestamp": event.timestamp, "attributes": attributes}


def table(name: str, relation: object) -> Json:
    """Return a domain table. Inexpressible if it is none."""
    if not isinstance(relation, DomainTable):
        raise Inexpressible(f"predicate {name} is a Python function, which Java cannot call")
    return {"rows": [list(row) for row in sorted(relation.rows, key=repr)], "means": relation.member_means}


def described_emission(emission: core.Emission) -> Json:
    """Return an emission."""
    for item in emission.assignments:
        check(item.value)
    for at in core.TIMESTAMP_EXPRESSIONS.within(emission.at):
        if isinstance(at, core.Combination):
            TIMESTAMP_FUNCTIONS[at.function]
    return {
        "template": emission.template,
        "at": timestamp_to_json(emission.at),
        "assignments": [
            {"attribute": item.attribute, "value": expression_to_json(item.value), "optional": item.optional}
            for item in emission.assignments
        ],
    }


def check(expression: core.Expression) -> None:
    """Raise Inexpressible for functions that the harnesses lack, such as those that users registered."""
    for part in core.EXPRESSIONS.within(expression):
        if isinstance(part, core.FunctionCall):
            FUNCTIONS[part.function]
