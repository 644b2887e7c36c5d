"""The definition of ETALIS against all interpretations of tiny programs, and its readings (E §4)."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import pytest

from parte.conformance.fuzz.draw import Seeded
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.fixpoint import derived, interpretation, of_stream
from parte.languages.etalis.algebra.patterns import Effort
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.conformance.drawing import Shape, drawn_program
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream

INTERVALS = [(start, end) for start in range(3) for end in range(start, 3)]
Events = frozenset[IntervalEvent]


def interpretations(program: tree.Program, stream_events: Events) -> list[Events]:
    """All that have the events of the stream, over the times 0, 1, 2."""
    names = sorted({rule.head.name for rule in program.rules})
    possible = [IntervalEvent(name, (), *interval) for name in names for interval in INTERVALS]
    free = [event for event in possible if event not in stream_events]
    subsets = chain.from_iterable(combinations(free, size) for size in range(len(free) + 1))
    return [stream_events | frozenset(subset) for subset in subsets]


def is_model(program: tree.Program, events: Events, readings: Readings) -> bool:
    return set(derived(program, interpretation(events), readings, Effort())) <= events


def is_preferred(left: Events, right: Events) -> bool:
    """Whether for some q the events shorter than q are a proper subset."""
    for length in (1, 2, 3):
        short, long = ({event for event in events if event.end - event.start < length} for events in (left, right))
        if short < long:
            return True
    return False


SHAPE = Shape(rules=2, depth=1, arguments=False, moments=False)


@pytest.mark.parametrize("seed", range(40))
def test_there_is_one_model_to_which_none_is_preferred_and_it_is_the_fixpoint(seed: int) -> None:
    rng = Random(seed)
    program = drawn_program(Seeded(rng), SHAPE)
    names = sorted({rule.head.name for rule in program.rules})
    if len(names) > 1:
        program = tree.Program(tuple(rule for rule in program.rules if rule.head.name == names[0]))
    readings = Readings(negation=rng.choice(("pairs", "intervals")), during=rng.choice(("proper", "instants")))
    instants = [
        Instant(time, frozenset((name, ()) for name in "abcde" if rng.random() < 0.4 and name not in names))
        for time in range(3)
    ]
    stream_events = frozenset(of_stream(instants))
    models = [events for events in interpretations(program, stream_events) if is_model(program, events, readings)]
    minimal = [model for model in models if not any(is_preferred(rival, model) for rival in models)]
    assert [model - stream_events for model in minimal] == [frozenset(evaluate(program, instants, readings))]


def evaluated(text: str, names: str, **readings: str) -> list[tuple[str, object, object]]:
    program = parse(text)
    lines = [f'{{"template": "{word[0]}", "timestamp": {word[1:]}}}' for word in names.split()]
    events = evaluate(program, stream(program, lines), Readings(**readings) if readings else USUAL)
    return [(event.name, event.start, event.end) for event in events]


def test_a_length_is_read_in_two_ways() -> None:
    assert evaluated("e <- (a SEQ b).7.", "a0 b5") == [("e", 0, 5)]
    assert evaluated("e <- (a SEQ b).7.", "a0 b5", lasting="exactly") == []


def test_a_negation_is_read_in_two_ways() -> None:
    text = "i <- u SEQ v. e <- NOT(c).[i, b]."
    both = [("i", 1, 2), ("i", 1, 4)]
    assert evaluated(text, "u1 v2 c3 v4 b5") == [*both, ("e", 1, 5)]
    assert evaluated(text, "u1 v2 c3 v4 b5", negation="intervals") == both


def test_during_is_read_in_two_ways() -> None:
    text = "i <- u SEQ v. e <- a DURING i."
    assert evaluated(text, "u1 a2 v3") == [("i", 1, 3)]
    assert evaluated(text, "u1 a2 v3", during="instants") == [("e", 1, 3), ("i", 1, 3)]


def test_a_reading_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="expected within or exactly"):
        Readings(lasting="about")


def test_what_ends_at_an_instant_depends_on_what_came_up_to_then() -> None:
    """E, footnote 7."""
    for seed in range(60):
        rng = Random(seed)
        program = drawn_program(Seeded(rng), Shape(arguments=False))
        instants = [Instant(time, frozenset((name, ()) for name in "abcd" if rng.random() < 0.4)) for time in range(4)]
        whole, part = evaluate(program, instants), evaluate(program, instants[:3])
        assert [event for event in whole if event.end <= 2] == [event for event in part if event.end <= 2]
