"""The tests of a correlation rule: the outputs of other rules as events."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from parte.importers.imported import ImportedTest
from parte.importers.panther.programs import Names, names_of
from parte.importers.panther.reading import Correlation, Test
from parte.importers.yaml_documents import (
    Entries,
    Node,
    Scalar,
    Unreadable,
    entries_of,
    items_of,
    text_of,
)
from parte.semantics.events.event import Event
from parte.semantics.events.timestamps import to_timestamp
from parte.semantics.events.values import Unfit

MINUTE: Final = 60_000
MAX_EVENTS: Final = 10_000
"""Maximum number of signals in a test."""


def events_of(rule: Correlation, test: Test) -> ImportedTest:
    """Return a test with its signals as events, in the order of their times. Raise Unreadable."""
    names = names_of(rule)
    events: list[Event] = []
    members = {member.id: member for member in rule.members}
    for node in () if test.outputs is None else items_of(test.outputs, "RuleOutputs"):
        output = entries_of(node, "the output of a rule")
        for key, _ in output.entries:
            if key.text not in ("ID", "Matches"):
                raise Unreadable(key.place, f"the key {key.text[:80]!r} is not known")
        stated = output.get("ID")
        if stated is None:
            raise Unreadable(output.place, "ID is missing")
        member = members.get(text_of(stated, "ID"))
        if member is None:
            raise Unreadable(stated.place, f"no member has the ID {text_of(stated, 'ID')[:80]!r}")
        matches = output.get("Matches")
        if matches is not None:
            events += _signals(matches, member.rule, names)
    if len(events) > MAX_EVENTS:
        raise Unreadable(test.place, f"the test has more than {MAX_EVENTS:,} signals")
    events.sort(key=lambda event: event.timestamp)
    numbered = (replace(event, id=f"s{number}") for number, event in enumerate(events, 1))
    return ImportedTest(test.name, test.name, tuple(numbered), test.matches, test.place)


def _signals(node: Node, rule: str, names: Names) -> list[Event]:
    """Return the signals of a rule: for each value and time one, with the value in all fields that list both, so often
    as the field lists them that does so most often. Fields that no criterion names have no attribute."""
    counts: dict[tuple[str | None, int], dict[str, int]] = {}
    for field, values in _fields(node):
        known = field in names.fields[rule]
        for value, times in entries_of(values, "values with the times of their signals").entries:
            for time in items_of(times, "times"):
                listed = counts.setdefault((value.text if known else None, _moment(time)), {})
                listed[field] = listed.get(field, 0) + 1
    events: list[Event] = []
    for (shared, moment), fields in counts.items():
        for repetition in range(max(fields.values())):
            attributes = (
                {}
                if shared is None
                else {names.attributes[field]: shared for field, times in fields.items() if repetition < times}
            )
            events.append(Event("", names.templates[rule], moment, attributes, "s"))
    return events


def _fields(node: Node) -> list[tuple[str, Entries]]:
    return [
        (field.text, entries_of(values, "values with the times of their signals"))
        for field, values in entries_of(node, "fields with their values").entries
    ]


def _moment(node: Node) -> int:
    """Return a time in milliseconds: a number of minutes, or a date and a time."""
    if isinstance(node, Scalar) and node.plain and re.fullmatch(r"-?[0-9]{1,9}", node.text):
        return int(node.text) * MINUTE
    text = text_of(node, "a time: minutes, or a date and a time in ISO 8601")
    try:
        return to_timestamp(text)
    except Unfit as problem:
        raise Unreadable(node.place, str(problem)) from None
