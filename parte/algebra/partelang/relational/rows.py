"""Conversion of the rows of a rule's query to matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from parte.algebra.partelang.relational.rules import RuleQuery
from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match, production_source
from parte.semantics.events.outcome import EmissionFailure


def matches_of(
    query: RuleQuery, rows: Iterable[Sequence[Value | None]]
) -> Iterator[tuple[Match, list[EmissionFailure]]]:
    """Yield the match of each row, and those of its emissions that failed."""
    rule, arity = query.rule, len(query.bindings)
    variables = [pattern.variable for pattern in rule.positive]
    for row in rows:
        bindings = tuple((variable, str(identity)) for variable, identity in zip(variables, row, strict=False))
        emits: list[Event] = []
        failures: list[EmissionFailure] = []
        start = arity
        for position, emission in enumerate(rule.emissions, start=1):
            names = [assignment.attribute for assignment in emission.assignments]
            identity, timestamp, *values = row[start : start + 2 + len(names)]
            start += 2 + len(names)
            attributes = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in zip(names, values, strict=True)
                if value is not None
            }
            if isinstance(timestamp, int) and len(attributes) == len(names):
                source = production_source(rule.name, position)
                emits.append(Event(str(identity), emission.template, timestamp, attributes, source))
            else:
                parts = zip(["timestamp", *names], [timestamp, *values], strict=True)
                lacking = tuple(name for name, value in parts if value is None)
                failures.append(EmissionFailure(rule.name, position, bindings, lacking))
        yield Match(rule.name, bindings, tuple(emits)), failures
