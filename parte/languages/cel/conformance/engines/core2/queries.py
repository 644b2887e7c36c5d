"""Queries and traces as CORE2 reads them.

Its grammar has neither contiguous forms nor PROJ, links, NONE or more than two attributes to partition by; every event
of a type has the same attributes, and numbers are binary64. Only attributes that a query names are declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from parte.conformance.engines.foreign import Inexpressible
from parte.languages.cel.semantics.refinement import types_of
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.lexis import KEYWORDS
from parte.semantics.events.event import Event, Value

STREAM = "S"
POSITION = "parte_position"
"""An attribute that every event has: CORE2 cannot read an event without attributes."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_TEXT = re.compile(r"\w+( \w+)*", re.ASCII)
_DECIMAL = re.compile(r"\d+(\.\d+)?")
_WORDS = KEYWORDS | frozenset(
    (
        *("DECLARE", "EVENT", "STREAM", "DISTINCT", "UNLESS", "LIKE", "IN"),
        *("EVENTS", "HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"),
        *("INT", "STRING", "DOUBLE", "LONG", "BOOLEAN"),
    )
)
_GREATEST = 2**53
_NUMBER, _STRING, _BOOLEAN = "double", "string", "boolean"
_STRATEGIES = {tree.Strategy.ALL: "", tree.Strategy.NXT: "NEXT "}


@dataclass(frozen=True, slots=True)
class Asked:
    """The declarations, the query and the events, each as the text of a file."""

    declarations: str
    query: str
    events: str


def files_for(query: tree.Query, text: str, events: Sequence[Event]) -> Asked:
    """Return the files for a query, whose text is given, on a stream. Raise Inexpressible if CORE2 cannot read them."""
    types = {node.name for node in tree.within(query.formula) if isinstance(node, tree.EventType)}
    kinds = _kinds(query, types, events)
    if not events:
        raise Inexpressible("an empty stream: CORE2 ends before it has started")
    names = sorted(types | {event.template for event in events})
    declared = {name: {POSITION: _NUMBER} | kinds.get(name, {}) for name in map(_name, names)}
    lines = [
        f"DECLARE EVENT {name}({', '.join(f'{attribute} {kind}' for attribute, kind in attributes.items())})"
        for name, attributes in declared.items()
    ]
    lines.append(f"DECLARE STREAM {STREAM}({', '.join(names)})")
    lines_of_events = "".join(
        _event(position, event, declared[event.template]) for position, event in enumerate(events)
    )
    return Asked("".join(f"{line}\n" for line in lines), text, lines_of_events)


def _event(position: int, event: Event, attributes: Mapping[str, str]) -> str:
    values: dict[str, Value] = {POSITION: position} | dict(event.attributes)
    return f"{event.template}({', '.join(f'{name}={_value(values[name])}' for name in attributes)})\n"


def _value(value: Value) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            if _TEXT.fullmatch(value) is None:
                raise Inexpressible("a string with characters that its reader of events takes for its own")
            return value
        case int() if abs(value) > _GREATEST:
            raise Inexpressible("an integer beyond 2^53: its numbers are binary64")
        case int() | float():
            return repr(float(value))
        case tuple():
            raise Inexpressible("a list: its attributes hold none")
        case _:
            assert_never(value)


def _kinds(query: tree.Query, types: Iterable[str], events: Sequence[Event]) -> dict[str, dict[str, str]]:
    """Return the attributes that the query needs of each type, with the CORE2 types of their values."""
    needed = {name: set(query.attributes) for name in types}
    of_variable = types_of(query.formula)
    for node in tree.within(query.formula):
        if isinstance(node, tree.Holds):
            for type_name in of_variable.get(node.variable, ()):
                needed[type_name].update(
                    part.name for part in tree.within(node.predicate) if isinstance(part, tree.Attribute)
                )
    by_type: dict[str, dict[str, str]] = {}
    for name, attributes in needed.items():
        for attribute in sorted(attributes):
            value_kinds = {_kind(event.attributes.get(attribute)) for event in events if event.template == name}
            if len(value_kinds) > 1:
                raise Inexpressible(
                    "values of several kinds, or none, in one attribute: those of a type are of one kind"
                )
            by_type.setdefault(name, {})[_name(attribute)] = value_kinds.pop() if value_kinds else _NUMBER
    return by_type


def _kind(value: Value | None) -> str:
    match value:
        case None:
            raise Inexpressible("an event without an attribute that the query names: CORE2 has no NULL")
        case bool():
            return _BOOLEAN
        case str():
            return _STRING
        case int() | float():
            return _NUMBER
        case tuple():
            raise Inexpressible("a list: its attributes hold none")
        case _:
            assert_never(value)


# --- Queries ----------------------------------------------------------------------------------------------------------


def query_text(query: tree.Query) -> str:
    """Return a query in the language of CORE2. Raise Inexpressible if the language lacks something that it needs."""
    if query.streams:
        raise Inexpressible("FROM: CORE2 reads each stream in a thread of its own, and keeps no order among several")
    if query.selected == ():
        raise Inexpressible("SELECT NONE: its grammar has no such thing")
    bound = tree.bound_in(query.formula)
    if query.selected is not None and not bound.issuperset(query.selected):
        raise Inexpressible("a name that nothing binds: CORE2 rejects it")
    strategy = _STRATEGIES.get(query.strategy, f"{query.strategy.value} ")
    selected = "*" if query.selected is None else ", ".join(map(_name, query.selected))
    parts = [f"SELECT {strategy}{selected}", f"FROM {STREAM}", f"WHERE {_formula(query.formula)}"]
    if len(query.attributes) > 2:
        raise Inexpressible("more than two attributes to partition by")
    if query.attributes:
        parts.append(f"PARTITION BY {', '.join(f'[{_name(attribute)}]' for attribute in query.attributes)}")
    match query.window:
        case tree.TimeWindow():
            raise Inexpressible("a window of time: events that CORE2 reads from a file have the time of reading")
        case tree.EventWindow(events=length):
            # It keeps what spans this number of events, both ends counted.
            parts.append(f"WITHIN {length + 1} EVENTS")
    # Without the clause, CORE2 consumes.
    parts.append(f"CONSUME BY {query.consumption.value}")
    return " ".join(parts)


def _name(name: str) -> str:
    if name.upper() in _WORDS or _NAME.fullmatch(name) is None:
        raise Inexpressible("a name that is a word of CORE2, or none of its names")
    return name


def _formula(node: tree.Formula) -> str:
    match node:
        case tree.EventType(name=name):
            return _name(name)
        case tree.Named(operand=operand, variable=variable):
            return f"({_formula(operand)} AS {_name(variable)})"
        case tree.Filtered(operand=operand, condition=condition):
            if not tree.bound_in(operand).issuperset(_variables(condition)):
                raise Inexpressible("a name that nothing binds: CORE2 rejects it")
            return f"({_formula(operand)} FILTER {_condition(condition)})"
        case tree.Or(parts=parts):
            return f"({' OR '.join(map(_formula, parts))})"
        case tree.Sequence(parts=parts, contiguous=False):
            return f"({' ; '.join(map(_formula, parts))})"
        case tree.Iteration(operand=operand, contiguous=False):
            return f"({_formula(operand)})+"
        case tree.Projection():
            raise Inexpressible("PROJ: its grammar has no such thing")
        case tree.Sequence() | tree.Iteration():
            raise Inexpressible("`:` or `:+`: its grammar has no such thing")
        case _:
            assert_never(node)


def _variables(condition: tree.Condition) -> Iterator[str]:
    return (node.variable for node in tree.within(condition) if isinstance(node, tree.Holds))


def _condition(node: tree.Condition) -> str:
    match node:
        case tree.Holds(variable=variable, predicate=predicate):
            return f"{_name(variable)}[{_predicate(predicate)}]"
        case tree.Both(parts=parts):
            return f"({' AND '.join(map(_condition, parts))})"
        case tree.Either(parts=parts):
            return f"({' OR '.join(map(_condition, parts))})"
        case tree.Link():
            raise Inexpressible("a link: its grammar has no such thing")


def _predicate(node: tree.Predicate) -> str:
    match node:
        case tree.Comparison(left=left, operator=operator, right=right):
            return f"({_operand(left, operator)} {operator.value} {_operand(right, operator)})"
        case tree.Not(operand=operand):
            return f"(NOT {_predicate(operand)})"
        case tree.Every(parts=parts):
            return f"({' AND '.join(map(_predicate, parts))})"
        case tree.Some(parts=parts):
            return f"({' OR '.join(map(_predicate, parts))})"


def _operand(node: tree.Operand, operator: tree.Operator) -> str:
    if isinstance(node, tree.Attribute):
        return _name(node.name)
    match node.value:
        case bool():
            raise Inexpressible("a Boolean in a predicate: its grammar has no such thing")
        case str() as value:
            if operator not in (tree.Operator.EQUAL, tree.Operator.NOT_EQUAL) or _TEXT.fullmatch(value) is None:
                raise Inexpressible("a string that is compared by order, or with characters that are no letters")
            return f"'{value}'"
        case int() | float() as value:
            digits = repr(abs(value))
            if abs(value) > _GREATEST or _DECIMAL.fullmatch(digits) is None:
                raise Inexpressible("a number beyond 2^53, or one that needs an exponent")
            return f"-{digits}" if value < 0 else digits
