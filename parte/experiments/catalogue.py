"""All experiments, in the order in which they are listed."""

from __future__ import annotations

from typing import Any

from parte.experiments.aggregation import AGGREGATION
from parte.experiments.detections.experiment import DETECTIONS
from parte.experiments.engines.experiment import ENGINES
from parte.experiments.experiment import EXPERIMENT, Experiment
from parte.experiments.reactivity import REACTIVITY
from parte.experiments.schedules import SCHEDULES
from parte.experiments.sizes import SIZES
from parte.experiments.variants import VARIANTS
from parte.experiments.windowed_spark.experiment import WINDOWED_SPARK
from parte.languages.registry import languages

# Each experiment has its own type of parameters; callers only pass the parameters of an experiment back to it.
EXPERIMENTS: tuple[Experiment[Any], ...] = (
    SIZES,
    AGGREGATION,
    WINDOWED_SPARK,
    SCHEDULES,
    REACTIVITY,
    VARIANTS,
    ENGINES,
    DETECTIONS,
    *(language[EXPERIMENT] for language in languages() if language.has(EXPERIMENT)),
)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
