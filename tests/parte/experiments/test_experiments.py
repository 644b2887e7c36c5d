"""The experiments give what is recorded, and their pages say what their rows show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scale
from parte.experiments.page import PAGE
from parte.experiments.parameters import read_parameters
from parte.experiments.running import presented
from parte.experiments.store import PARAMETERS, Store
from parte.languages.registry import missing
from tests.parte.experiments.recording import FOLDER, recorded_rows, small_rows
from tests.sampling import WHOLE

DOCS = Path(__file__).parents[3] / "docs" / "experiments"
NAMES = [experiment.name for experiment in EXPERIMENTS]


LONG = ("windowed-spark",)


@pytest.mark.parametrize("name", [pytest.param(name, marks=WHOLE if name in LONG else ()) for name in NAMES])
def test_an_experiment_gives_what_is_recorded(name: str) -> None:
    assert small_rows(name) == recorded_rows(name), f"python -m tests.parte.experiments.recording {name}"


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=NAMES)
def test_a_page_says_what_its_rows_show(experiment: object) -> None:
    (chosen,) = (candidate for candidate in EXPERIMENTS if candidate is experiment)
    folder = DOCS / chosen.name
    parameters = read_parameters(folder / PARAMETERS, chosen.scales[Scale.DEFAULT])
    measured = Store(folder).measured()
    # The folders of a reader are not here; their units are those that were measured.
    units = list(map(json.loads, measured)) if chosen.inputs else chosen.units(parameters)
    result = presented(chosen, parameters, units, measured)
    assert result.markdown == (folder / PAGE).read_text(encoding="utf-8"), (
        f"parte experiment {chosen.name} --out docs/experiments writes the page anew from the rows beside it"
    )
    for plot in result.presentation.plots:
        for kind in (".svg", ".png"):
            assert (folder / plot.name).with_suffix(kind).stat().st_size > 0


def test_nothing_is_recorded_of_what_is_gone() -> None:
    recorded = {path.stem for path in FOLDER.iterdir()}
    assert {path.name for path in DOCS.iterdir()} == recorded
    assert recorded >= set(NAMES)
    assert recorded == set(NAMES) or missing()  # of a language that was deleted what was recorded stays
