"""Conversion of the rows of a rule's query to matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from parte.algebra.partelang.relational.rules import RuleQuery
from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match, production_source
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission


def matches_of(
    query: RuleQuery, rows: Iterable[Sequence[Value | None]]
) -> Iterator[tuple[Match, list[EmissionFailure]]]:
    """Yield the match of each row, and those of its emissions that failed."""
    rule, arity = query.rule, len(query.bindings)
    variables, name = [pattern.variable for pattern in rule.positive], rule.reported
    emissions = [
        (
            position,
            emission.template,
            production_source(name, position),
            [assignment.attribute for assignment in emission.assignments],
            [assignment.attribute for assignment in emission.assignments if not assignment.optional],
        )
        for position, emission in enumerate(rule.emissions, start=1)
    ]
    for row in rows:
        bindings = tuple((variable, str(identity)) for variable, identity in zip(variables, row, strict=False))
        emits: list[Event] = []
        failures: list[EmissionFailure] = []
        start = arity
        for position, template, source, names, needed in emissions:
            identity, timestamp, *values = row[start : start + 2 + len(names)]
            start += 2 + len(names)
            attributes = {
                attribute: tuple(value) if isinstance(value, list) else value
                for attribute, value in zip(names, values, strict=True)
                if value is not None
            }
            lacking = tuple([attribute for attribute in needed if attribute not in attributes])
            if isinstance(timestamp, int) and not lacking:
                emits.append(Event(str(identity), template, timestamp, attributes, source))
            else:
                lacking = ("timestamp", *lacking) if timestamp is None else lacking
                failures.append(EmissionFailure(name, position, bindings, lacking))
        yield Match(name, bindings, tuple(emits)), failures


def without_suppressed(
    match: Match, suppressed: Mapping[str, Mapping[str, str]]
) -> tuple[Match, list[SuppressedEmission]]:
    """Return a match without its suppressed events, and these.

    `suppressed` has, by the source of events and by their ids, the id of the event that passed.
    """
    lost = [event for event in match.emits if event.id in suppressed.get(event.source, ())]
    emissions = [
        SuppressedEmission(
            match.rule,
            int(event.source.rpartition("#")[2]),
            match.bindings,
            event.id,
            suppressed[event.source][event.id],
        )
        for event in lost
    ]
    return replace(match, emits=tuple(event for event in match.emits if event not in lost)), emissions
