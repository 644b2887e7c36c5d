"""The formulas of L as printed: what they give on small streams, and where they say what is meant."""

from __future__ import annotations

from random import Random

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.lead.algebra.published.denotation import Unprinted, published
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.formulas import Row, rows
from parte.languages.lead.conformance.generation import drawn_case
from parte.languages.lead.conformance.printed import read, written
from parte.languages.lead.semantics.syntax.streams import occurrences

PRINTED = ["(3), (4)", *(f"({number})" for number in range(6, 19))]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.formula} {row.pattern} {row.trace}")
def test_a_formula_gives_what_the_page_says(row: Row) -> None:
    assert row.results() == (row.printed, row.meant)


def test_every_formula_has_a_row_and_those_that_err_one_that_shows_it() -> None:
    assert list(dict.fromkeys(row.formula for row in rows())) == PRINTED
    assert {row.formula for row in rows() if row.printed != row.meant} == set(PRINTED)


@pytest.mark.parametrize(
    "pattern", ["all(A)", "all(A and B)", "all(A -> B)", "all(A -> B -> C)", "all((A and B) -> C)"]
)
def test_of_different_streams_what_is_printed_is_meant(pattern: str) -> None:
    for seed in range(8):
        rng = Random(seed)
        times = sorted(rng.randrange(4) for _ in range(6))
        trace = " ".join(f"{rng.choice('abc')}{number}@{time}" for number, time in enumerate(times))
        rule, events = read(pattern, trace)
        answers, _ = published(rule, events)
        meant = evaluate(rule, events)
        assert dict(answers) == {m.bindings: frozenset({m.end}) for m in meant}, trace
        assert len(written(meant)) == len(answers)


def test_whatever_is_drawn_has_an_answer_or_none_is_printed() -> None:
    answered = 0
    for seed in range(60):
        case = drawn_case(seeded(seed), Shape(depth=2, events=4))
        try:
            answers, interval = published(case.program, occurrences(case.program, case.items))
        except Unprinted:
            continue
        answered += 1
        assert all(interval.first <= min(at) <= max(at) <= interval.last for at in answers.values())
    assert answered > 20


def test_what_has_no_formula_is_said() -> None:
    with pytest.raises(Unprinted, match="Pick"):
        published(*read("max(collect(A) terminate (count() >= 1), count())", "a0@0"))
    with pytest.raises(Unprinted, match="instants"):
        published(*read("A within 1 days", "a0@0"))
    with pytest.raises(Unprinted, match="items"):
        published(*read("collect(A) within 2 ms", " ".join(f"a{number}@0" for number in range(13))))
    assert published(read("A", "a0@0")[0], [])[0] == {}
