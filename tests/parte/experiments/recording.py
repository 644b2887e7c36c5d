"""What the experiments gave at their small size: `python -m tests.parte.experiments.recording` records it anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from parte.experiments.catalogue import EXPERIMENTS
from parte.experiments.experiment import Scalar, Scale
from parte.experiments.parameters import with_values
from parte.experiments.running import run_experiment

FOLDER = Path(__file__).parent / "recorded"
CORPORA = Path(__file__).parent / "corpora"
"""Small corpora of our own, for experiments that read folders."""

Line = dict[str, Scalar]


def small_rows(name: str) -> list[Line]:
    """The rows of an experiment at its small size, without what is measured by the clock."""
    (experiment,) = (experiment for experiment in EXPERIMENTS if experiment.name == name)
    folders = {name: str(CORPORA / name) for name in experiment.inputs}
    parameters = with_values(experiment.scales[Scale.SMALL], folders, "corpora")
    rows = run_experiment(experiment, parameters, jobs=1).rows
    lines: list[Line] = json.loads(rows.drop(columns=sorted(experiment.clocked)).to_json(orient="records"))
    return lines


def recorded_rows(name: str) -> list[Line]:
    """The rows that were recorded."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    for name in sys.argv[1:] or [experiment.name for experiment in EXPERIMENTS]:
        text = "".join(json.dumps(row) + "\n" for row in small_rows(name))
        (FOLDER / f"{name}.jsonl").write_text(text, encoding="utf-8")
