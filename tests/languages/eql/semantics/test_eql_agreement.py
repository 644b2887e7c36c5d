"""Definition, second definition and machine of EQL agree, under every reading, in any order that promises allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from parte.conformance.fuzz.draw import Seeded
from parte.languages.eql.algebra import sequences
from parte.languages.eql.algebra.conditions import truth
from parte.languages.eql.algebra.functions import FUNCTIONS
from parte.languages.eql.conformance.drawing import drawn_events
from parte.languages.eql.running import begin
from parte.languages.eql.semantics.conditions import compile_test
from parte.languages.eql.semantics.functions import COMPILED
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.functions import LONGEST_STRING, MOST_CHOICES
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import CHOICES, readings_of
from parte.languages.eql.semantics.text import TEXT
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.rulebook.running import Request
from tests.languages.eql.campaigns.eql import Eql

EACH = [{name: value} for name, values in CHOICES.items() for value in values[1:]]
DRAWN = 60


@pytest.mark.parametrize("reading", [{}, *EACH], ids=str)
def test_definitions_and_machine_agree(reading: Mapping[str, str]) -> None:
    for seed in range(DRAWN):
        drawn = Eql().draw(Random(seed))
        case = replace(drawn.case, readings={**drawn.case.readings, **reading})
        if "lists" in reading:
            case = replace(case, items=drawn_events(Seeded(Random(seed)), 12, lists=40))
        Eql().attack(replace(drawn, case=case), Counter())


def test_too_many_choices_from_lists_are_null() -> None:
    some, many = Event("some", "A", 0, {"k": tuple(range(100))}), Event("many", "A", 1, {"k": tuple(range(101))})
    readings = readings_of({"lists": "any"})
    for text in ("A where k + k == 1", "A where k == 1"):
        assert MOST_CHOICES == 100**2
        query = parse(text)
        assert isinstance(query, tree.Single)
        condition = query.event.condition
        truths = [
            (truth(condition, event, readings), compile_test(condition, readings)(event)) for event in (some, many)
        ]
        assert truths == [(True, True), (None, None) if "+" in text else (True, True)]


def test_an_absence_is_told_when_it_is_known_and_not_before() -> None:
    source = TEXT.parse("sequence with maxspan=5ms [A where true] ![B where true]")
    running = begin(source, Request("sound"))
    lines = trace_lines([Event("a", "A", 0, {}), Event("c", "C", 5, {}), Event("d", "C", 6, {})])
    assert [len(batch) for batch in running.feed(lines)] == [0, 0, 1]


def test_a_key_is_forgotten() -> None:
    source = TEXT.parse("sequence by k with maxspan=5ms [A where true] [B where true]")
    running = begin(source, Request("sound"))
    list(running.feed(trace_lines(Event(f"a{time}", "A", time, {"k": time}) for time in range(100))))
    assert running.stored()["keys"] == running.stored()["slots"] == 6


def test_a_sequence_of_one_event_keeps_no_keys() -> None:
    source = TEXT.parse("sequence by k with maxspan=5ms [A where true] ![B where true]")
    running = begin(source, Request("sound"))
    list(running.feed(trace_lines(Event(f"a{time}", "A", time, {"k": time}) for time in range(100))))
    assert running.stored()["keys"] == 0


def test_concat_has_an_end() -> None:
    text = "x" * LONGEST_STRING
    assert FUNCTIONS["concat"](False, text) == COMPILED["concat"](False)(text) == text
    assert FUNCTIONS["concat"](False, text, 1) is COMPILED["concat"](False)(text, 1) is None


def test_a_sample_has_too_many_tuples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequences, "MOST_TUPLES", 2)
    query = TEXT.parse("sample by k [A where true] [A where true] [A where true]").query
    events = [Event(f"a{time}", "A", time, {"k": 1}) for time in range(2)]
    with pytest.raises(sequences.TooManyTuples, match="shorter trace"):
        sequences.evaluate(query, events, readings_of({}))
