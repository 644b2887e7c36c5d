"""The experiment on reactivity: what its page says is computed from its rows."""

from __future__ import annotations

import re

import pandas as pd

import parte
from parte.experiments.experiment import Scale
from parte.experiments.reactivity import LENGTH, PROGRAMS, RATE, REACTIVITY, WARMED_UP, WINDOW

LONG, SHORT = 4_000, 20


def line(program: str, sweep: str, steps: float, *, events: int = LONG, period: int = 16, window: int = 64) -> object:
    return {
        "program": program,
        "sweep": sweep,
        "events": events,
        "period": period,
        "window": window,
        "steps per event": steps,
        "in the long run, at most": 10.0,
        "steps of the costliest event": steps,
        "worst case of one event": 40.0,
        "µs per event": 2 * steps,
    }


def answer(*lines: object) -> str:
    return REACTIVITY.present(REACTIVITY.scales[Scale.SMALL], pd.DataFrame(lines)).answer


LENGTHS = [line("pair", LENGTH, 5.0), line("pair", LENGTH, 5.0, events=2 * LONG)]


def test_growth_is_that_of_the_rows() -> None:
    text = answer(
        *LENGTHS,
        *(line("pair", RATE, steps, period=period) for steps, period in ((2.0, 32), (6.0, 8))),
        *(line("negation", RATE, 3.0, period=period) for period in (8, 32)),
        *(line("pair", WINDOW, steps, window=window) for steps, window in ((2.0, 32), (9.0, 128))),
    )
    assert "does not grow with the trace: in traces 2 times as long" in text
    assert "If events come 4 times as often, the steps of an event are multiplied by: pair 3, negation 1;" in text
    assert "If windows are 4 times as long, the steps of an event are multiplied by: pair 4.5;" in text
    assert "No run exceeds" in text


def test_a_run_that_exceeds_the_bound_is_told_but_a_short_trace_is_not_compared() -> None:
    assert "**Some run exceeds**" in answer(*LENGTHS, line("pair", RATE, 11.0))
    short = answer(*LENGTHS, line("pair", RATE, 11.0, events=SHORT, window=256))
    assert "No run exceeds" in short
    assert f"1 run that is shorter than {WARMED_UP} windows is not compared" in short


def test_traces_of_one_event_are_no_long_run() -> None:
    parameters = {"lengths": [1, 2], "periods": [16], "windows": [64], "length": 3}
    result = parte.experiment("reactivity", scale="small", parameters=parameters)
    assert set(result.rows["program"]) == set(PROGRAMS)
    assert "so none is compared" in result.presentation.answer
    assert not re.search("exceeds|times as often|windows are", result.presentation.answer)
