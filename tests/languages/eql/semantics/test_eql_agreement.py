"""Definition, second definition and machine of EQL agree, under every reading, in any order that promises allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.eql.algebra import sequences
from parte.languages.eql.algebra.functions import FUNCTIONS
from parte.languages.eql.conformance.generation import GENERATION
from parte.languages.eql.running import begin, evaluate
from parte.languages.eql.semantics.functions import COMPILED
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.functions import LONGEST_STRING
from parte.languages.eql.semantics.syntax.readings import CHOICES, readings_of
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.languages.eql.semantics.text import TEXT
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.trace import trace_lines
from parte.semantics.rulebook.running import Request
from tests.languages.eql import greedy

EACH = [{name: value} for name, values in CHOICES.items() for value in values[1:]]
DRAWN = 60


def delayed(items: Sequence[TraceItem], disorder: int, rng: Random) -> list[TraceItem]:
    """Return the items as they may come if each is delayed by less than the disorder."""
    return sorted(items, key=lambda item: item.timestamp + rng.random() * disorder)


def promised(items: Sequence[TraceItem], rng: Random) -> list[TraceItem]:
    """Return the items with progress lines of each source and template before and among them."""
    pairs = sorted({(item.source, item.template) for item in items})
    lines: list[TraceItem] = [Progress(source, template, -(10**6)) for source, template in pairs]
    for index, item in enumerate(items):
        lines.append(item)
        if rng.random() < 0.6:
            pair = rng.choice(pairs)
            left = [later.timestamp for later in items[index + 1 :] if (later.source, later.template) == pair]
            lines.append(Progress(*pair, min(left, default=2 * 10**12)))
    return lines


@pytest.mark.parametrize("reading", [{}, *EACH], ids=str)
def test_definitions_and_machine_agree(reading: Mapping[str, str]) -> None:
    for seed in range(DRAWN):
        rng = Random(seed)
        case = GENERATION.drawn(seeded(seed))
        options = {**case.options, **reading}
        readings = readings_of(options)
        items, disorder = list[TraceItem](case.items), 0
        if readings.order == "time":
            disorder = rng.choice((0, 1, 5))
            items = delayed(items, disorder, rng)
            if rng.random() < 0.5:
                items, disorder = promised(items, rng), 0
        lines, source = list(trace_lines(items)), TEXT.parse(case.text)
        assert source.query == case.program
        expected = evaluate(source, lines, Request("definition", options, disorder))
        whole = evaluate(source, lines, Request("sound", options, disorder))
        running = begin(source, Request("sound", options, disorder))
        fed = [result for batch in (*running.feed(lines), *running.end()) for result in batch]
        assert TEXT.match_lines(whole) == TEXT.match_lines(fed) == TEXT.match_lines(expected), (seed, options)
        if isinstance(case.program, tree.Sequence) and readings.missing == "chain":
            spanned = case.program.maxspan is not None
            events = ordered(items, Stream(readings, "", disorder, spanned=spanned))
            results = greedy.results(case.program, events, readings)
            for pipe in case.program.pipes:
                head = pipe.end is tree.End.HEAD
                results = results[: pipe.count] if head else results[-pipe.count :]
            assert results == expected, (seed, options)


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
