"""The traces of D §7.4.1, and the windowed join without back-pressure that misses matches in them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.experiments.experiment import Scale
from parte.experiments.parameters import ParametersError
from parte.experiments.scenarios import scenario
from parte.experiments.windowed_spark import machines
from parte.experiments.windowed_spark.experiment import WINDOWED_SPARK, Parameters, printed
from parte.experiments.windowed_spark.generator import RATE, SOURCES, WINDOW, Shape, transfers, uncommon_route
from parte.experiments.windowed_spark.windowed_join import History, Token, viable_by_d, windowed_join
from parte.semantics.partelang.syntax.elaborate import parse

SHAPES = st.builds(Shape, st.integers(0, 12), st.integers(0, 40), st.sampled_from([0.3, 0.9]))


@given(SHAPES, st.integers(0, 9))
def test_a_trace_keeps_the_rate(shape: Shape, seed: int) -> None:
    trace = transfers(shape, seed)
    assert len(trace) == 4 * shape.groups + shape.unrelated
    assert all(count <= RATE for count in Counter(event.timestamp for event in trace).values())
    counts = Counter((event.timestamp, event.source) for event in trace)
    assert all(count <= RATE // len(SOURCES) for count in counts.values())
    assert [event.timestamp for event in trace] == sorted(event.timestamp for event in trace)


@settings(max_examples=20)
@given(SHAPES, st.integers(0, 9))
def test_the_frauds_are_what_the_rule_matches(shape: Shape, seed: int) -> None:
    program = parse(scenario("B diffusion", "ms"))
    outcome = run(program, transfers(shape, seed), {"uncommon_route": uncommon_route}, evaluator="indexed")
    orders = Counter(match.bindings[0][1] for match in outcome.matches)
    assert len(orders) == shape.frauds
    assert set(orders.values()) <= {6}


def left(account: str, position: int) -> Token:
    return Token(account, (position,), (0,), (300.0,))


def right(account: str, position: int, time: int = 1) -> Token:
    return Token(account, (position,), (time,), (100.0,))


def test_what_does_not_fit_into_the_left_history_is_not_found() -> None:
    lefts, rights = [left(f"m{n}", n) for n in range(10)], [right(f"m{n}", 10 + n) for n in range(10)]
    tokens = list(windowed_join(1, lefts, rights, History(4), History(4)))
    assert [token.account for token in tokens] == ["m6", "m7", "m8", "m9"]


def test_two_micro_batches_lose_less_than_one() -> None:
    lefts, rights = [left(f"m{n}", n) for n in range(8)], [right(f"m{n}", 10 + n) for n in range(8)]
    stored = History(4), History(4)
    tokens = [*windowed_join(1, lefts[:4], rights[:4], *stored), *windowed_join(1, lefts[4:], rights[4:], *stored)]
    assert len(tokens) == 8


@pytest.mark.parametrize(("time", "count"), [(-1, 0), (0, 1), (WINDOW, 1), (WINDOW + 1, 0)])
def test_the_window_is_closed(time: int, count: int) -> None:
    assert len(list(windowed_join(1, [left("m", 0)], [right("m", 1, time)], History(9), History(9)))) == count


def test_one_transfer_is_not_joined_twice() -> None:
    pair = Token("m", (0, 1), (0, 1), (300.0, 100.0))
    assert not list(windowed_join(2, [pair], [right("m", 1)], History(9), History(9)))
    (three,) = windowed_join(2, [pair], [right("m", 2)], History(9), History(9))
    assert three.ids == (0, 1, 2)


@pytest.mark.parametrize(("amount", "count"), [(69.0, 0), (70.0, 1), (130.0, 1), (131.0, 0)])
def test_the_amounts_add_up_give_or_take_a_tenth(amount: float, count: int) -> None:
    three = Token("m", (0, 1, 2), (0, 1, 1), (300.0, 100.0, 100.0))
    last = Token("m", (3,), (2,), (amount,))
    assert len(list(windowed_join(3, [three], [last], History(9), History(9)))) == count


def test_the_sizes_of_the_first_join_are_the_141_slots_of_the_dissertation() -> None:
    assert viable_by_d(1, RATE)[0] == (141, 141)
    assert viable_by_d(19, RATE)[0] == (19 * 141, 19 * 141)


def test_appendix_b_is_whole() -> None:
    rows = printed()
    assert len(rows) == 8 * 9 + 4 * 19
    for fractions in rows.values():
        assert list(fractions) == sorted(fractions)
        assert all(0 <= fraction <= 1 for fraction in fractions)


SMALL = Shape(10, 0)


def test_the_machines_tell_rules_from_sizes() -> None:
    rows = {machine: machines.measured(machine, SMALL, 1) for machine in machines.MACHINES}
    assert all(row["frauds"] == 6 and row["blocked"] is False for row in rows.values())
    counts = {machine: row["found"] for machine, row in rows.items()}
    assert counts[machines.AT_OWN] == counts[machines.SOUND_AT_D] == counts[machines.MENDED] == 6
    assert counts[machines.AT_D] == counts[machines.UNLIMITED] == 0
    assert rows[machines.MENDED]["repairs"] == "expire-by-lifetime"


def lines(**results: tuple[int, bool]) -> pd.DataFrame:
    """Rows of one run of six frauds for each machine; what is not given finds everything."""
    keys = ("at_own", "at_d", "sound_at_d", "unlimited", "mended")
    return pd.DataFrame(
        [
            {"engine": machine, "frauds": 6, "found": of, "blocked": blocked, "repairs": "expire-by-lifetime"}
            for key, machine in zip(keys, machines.MACHINES, strict=True)
            for of, blocked in [results.get(key, (6, False))]
        ]
    )


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (lines(at_d=(0, False), unlimited=(5, False)), "The rules are the cause, not the sizes"),
        (lines(at_d=(6, True), sound_at_d=(6, True)), "The sizes are the cause, not the rules"),
        (lines(at_d=(0, True), sound_at_d=(5, False), unlimited=(0, False)), "Both rules and sizes are a cause"),
        (lines(at_d=(0, True)), "Only rules and sizes together are the cause"),
    ],
)
def test_the_answer_says_which_is_the_cause(rows: pd.DataFrame, verdict: str) -> None:
    answer = " ".join(machines.answer(rows))
    assert verdict in answer
    assert "the rules that D prints do not" in answer
    assert "expire-by-lifetime in 1 of 1 runs (expire-by-lifetime is of defect 1" in answer


def test_the_table_has_a_column_for_each_machine() -> None:
    frame = lines(at_d=(1, True)).assign(groups=10, unrelated=0)
    (line,) = machines.table(frame).to_dict("records")
    assert [line[machine] for machine in machines.MACHINES] == ["6", "1, blocks", "6", "6", "6"]
    assert (line["frauds"], line["repairs"]) == (6, "expire-by-lifetime")
    (twice,) = machines.table(pd.concat([frame, frame])).to_dict("records")
    assert twice[machines.AT_D] == "2, blocks in 2 of 2"


def test_nothing_is_blamed_if_all_is_found() -> None:
    assert "cause" not in " ".join(machines.answer(lines()))


def spark(count: int, **changed: int) -> dict[str, object]:
    """A row of Spark that finds some of six frauds."""
    shape = {"groups": 10, "unrelated": 0, "factor": 1, "batches": 1, **changed}
    return {"engine": "spark", **shape, "frauds": 6, "candidates": 24, "found": count, "blocked": False}


SMALL_SIZE: Parameters = WINDOWED_SPARK.scales[Scale.SMALL]


def answer_to(*rows: dict[str, object], parameters: Parameters = SMALL_SIZE) -> str:
    of_machines = lines().assign(groups=10, unrelated=0, batches=0, factor=1)
    presentation = WINDOWED_SPARK.present(parameters, pd.concat([pd.DataFrame(rows), of_machines]))
    for plot in presentation.plots:
        plot.draw()
    return presentation.answer


def test_the_answer_is_that_of_the_rows() -> None:
    answer = answer_to(spark(6), spark(6, factor=2))
    assert "Spark misses frauds at D's sizes in 0 of 1 traces. Of 2 medians that D prints, 2 are met" in answer
    assert "in 1 of 2 traces. Of 1 medians that D prints, 0 are met" in answer_to(spark(2), spark(6))


def test_shapes_and_sizes_that_d_does_not_have_are_shown_too() -> None:
    answer = answer_to(spark(3, groups=20, factor=2), parameters=replace(SMALL_SIZE, groups=(20,), factors=(2,)))
    assert answer.startswith("D prints nothing of traces of these shapes. `sound`")
    with pytest.raises(ParametersError, match="batches: expected 1 among them"):
        WINDOWED_SPARK.units(replace(SMALL_SIZE, batches=(3,)))
