"""An engine climbs from small traces to large ones, and stops where the budget ends."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from parte.experiments.engines import climbing
from parte.experiments.engines.climbing import AGREES, CHEAPER, DIFFERS, Climb, climbed, expected_seconds, truth
from parte.experiments.engines.experiment import ENGINES, MATRIX, SPEED, Parameters
from parte.experiments.engines.speed import serve
from parte.experiments.experiment import Row, Scale
from parte.experiments.scenarios import SCENARIOS

A, B, C = SCENARIOS


def climb(*transfers: int, engine: str = "indexed", budget: float = 300) -> Climb:
    return Climb(engine, A, transfers, 10, 1, budget)


def test_what_a_larger_trace_would_take_at_least() -> None:
    assert expected_seconds({}, 10) == 0
    assert expected_seconds({1_000: 9.0}, 10_000) == 0  # all of it may be the same for any trace
    assert expected_seconds({1_000: 2.0, 10_000: 3.0}, 100_000) == pytest.approx(3.0 + 10.0 / CHEAPER)
    assert expected_seconds({1_000: 2.0, 10_000: 1.0}, 100_000) == pytest.approx(1.0)


def test_an_engine_climbs_until_one_size_is_not_worth_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []

    def measured(_: Climb, __: object, count: int) -> Row:
        counts.append(count)
        return {"transfers": count, "status": AGREES, "seconds": (count / 10_000) ** 2 * 25}

    monkeypatch.setattr(climbing, "_measured", measured)
    rows = climbed(climb(1_000, 10_000, 100_000, 1_000_000, budget=30))
    assert counts == [1_000, 10_000]
    assert rows[2:] == [{"transfers": 100_000, "status": "not tried: 10,000 took 25.0 s"}]


def test_matches_are_compared_with_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    true = truth(A, 200, 10, 1)
    assert true
    monkeypatch.setattr(climbing, "truth", lambda *_: (*true[1:], "another"))
    (row,) = climbed(climb(200, 400))
    assert row["status"] == DIFFERS
    assert (row["matches"], row["missing"], row["spurious"]) == (len(true), 1, 1)


def test_an_engine_that_is_too_slow_is_stopped_and_one_that_is_missing_says_so() -> None:
    assert climbed(climb(20_000, 40_000, budget=0)) == [{"transfers": 20_000, "status": "not within 0 s"}]
    (row,) = climbed(climb(300, engine="no-such-engine"))
    assert row == {"transfers": 300, "status": "failed: KeyError: 'no-such-engine'"}


def test_the_process_says_what_it_does() -> None:
    request = {"engine": "indexed", "scenario": C, "per_account": 10, "seed": 1}
    replies = io.StringIO()
    serve([json.dumps(request), "100", "200"], replies)
    ready, first, matches, second, more = map(json.loads, replies.getvalue().splitlines())
    assert (ready, first, second) == ({"ready": True}, {"prepared": 100}, {"prepared": 200})
    assert sorted(matches["matches"]) == list(truth(C, 100, 10, 1))
    assert sorted(more["matches"]) == list(truth(C, 200, 10, 1))


def test_the_table_shows_the_largest_trace_and_what_is_beyond() -> None:
    def line(engine: str, transfers: int, status: str = AGREES, seconds: float | None = None) -> Row:
        matches = None if seconds is None else 7
        unit = {"part": SPEED, "engine": engine, "scenario": A}
        return {**unit, "transfers": transfers, "status": status, "matches": matches, "seconds": seconds}

    rows: list[Row] = [
        {"part": MATRIX, "engine": "x", "scenario": "", "profile": "core", "verdict": "pass", "cases": 3},
        line("x", 1_000, seconds=1.0),
        line("x", 10_000, seconds=4.0),
        line("y", 1_000, seconds=2.0),
        line("y", 10_000, "not within 30 s"),
        line("z", 1_000, "failed: no"),
    ]
    parameters = Parameters(engines=("x", "y", "z"), transfers=(1_000, 10_000))
    presentation = ENGINES.present(parameters, pd.DataFrame(rows))
    table = presentation.tables[1].frame.to_dict("records")
    assert [(row["engine"], row["transfers/s"], row["beyond"]) for row in table if row["transfers"] > 0] == [
        ("x", 2_500, pytest.approx(float("nan"), nan_ok=True)),
        ("y", 500, "10,000: not within 30 s"),
    ]
    assert table[2]["beyond"] == "1,000: failed: no"
    assert (
        "A pass-through, transfers a second over 10,000 transfers: x 2,500, y 500 (of 1,000); "
        "without an agreeing result: z." in presentation.answer
    )
    assert [plot.draw().axes[0].texts[0].get_text() for plot in presentation.plots] == ["1,000"]


def test_nothing_that_agrees_is_a_table_too() -> None:
    row = {"part": SPEED, "engine": "x", "scenario": A, "transfers": 10, "status": "failed: no"}
    presentation = ENGINES.present(Parameters(engines=("x",)), pd.DataFrame([row]))
    assert presentation.tables[1].frame["beyond"].tolist() == ["10: failed: no"]


def test_the_default_size_is_that_of_the_question() -> None:
    parameters = ENGINES.scales[Scale.DEFAULT]
    assert parameters.transfers[-1] == 100_000
    assert {"sound", "indexed", "duckdb", "spark", "clips", "flink"} <= set(parameters.engines)
