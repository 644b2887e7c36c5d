"""What the source leaves open is read in several ways, each by its name; small examples tell them apart."""

from __future__ import annotations

import pytest

from parte.languages.cel.algebra import denotation
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import CHOICES, Readings
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event


def stream(text: str) -> list[Event]:
    """`A B:1` is an A without attributes, then a B with v = id = 1."""
    events = []
    for position, word in enumerate(text.split()):
        name, _, value = word.partition(":")
        attributes = {"v": int(value), "id": int(value)} if value else {}
        events.append(Event(f"e{position}", name, position, attributes))
    return events


def results(query: str, events: str, **readings: str) -> list[tuple[int, int, tuple[int, ...]]]:
    complex_events = evaluate(parse(f"SELECT {query}"), stream(events), Readings(**readings))
    return [(complex_event.start, complex_event.end, complex_event.positions) for complex_event in complex_events]


EXAMPLES = [
    ("* WHERE A; A", "A", "sequence", {"after": 0, "meets": 1}),
    ("* WHERE A; B", "A B", "sequence", {"after": 1, "meets": 0}),
    ("* WHERE A; A PARTITION BY id WITHIN 1 EVENTS", "A:0 A:1 A:0", "windows", {"stream": 0, "substream": 1}),
    ("* WHERE A; A PARTITION BY id", "A A", "nulls", {"none": 0, "one": 1}),
    ("MAX * WHERE T+; H+", "T H T H", "rivals", {"all": 2, "end": 3, "interval": 4}),
    ("MAX * WHERE A+", "A A", "rivals", {"all": 1, "end": 2, "interval": 3}),
    ("MAX A, C WHERE (A; B; C) OR (A; A; C)", "A B A C", "projection", {"before": 1, "after": 2}),
]


@pytest.mark.parametrize(("query", "events", "reading", "counts"), EXAMPLES)
def test_readings_are_told_apart(query: str, events: str, reading: str, counts: dict[str, int]) -> None:
    assert set(counts) == set(CHOICES[reading])
    assert {choice: len(results(query, events, **{reading: choice})) for choice in counts} == counts


def test_a_strategy_before_the_window_loses_what_a_rival_outside_excludes() -> None:
    """Defect 9."""
    query, events = "MAX * WHERE A+ WITHIN 0 EVENTS", "A A"
    assert results(query, events, rivals="all") == []
    assert len(results(query, events, rivals="all", selection="after")) == 2


def test_a_reading_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="expected interval, end, all, found 'each'"):
        Readings(rivals="each")


def test_the_definition_stops_before_it_takes_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(denotation, "MAX_VALUATIONS", 1_000)
    with pytest.raises(denotation.TooManyValuations, match="more than 1000 valuations"):
        denotation.denote(parse("SELECT * WHERE A+").formula, stream("A " * 20))
