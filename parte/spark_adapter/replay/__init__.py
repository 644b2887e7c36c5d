"""Replay on DataFrames: traces in, one row a trace out.

from parte.spark_adapter.replay import replay
from parte.spark_adapter.replay.plan import Plan

results = replay(spark, traces, programs=programs, plan=Plan(models=("sound", "published")))
results.where("verdict != 'agree'").show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parte.spark_adapter.replay.frames import random_traces, replay, replay_random

__all__ = ["random_traces", "replay", "replay_random"]


def __getattr__(name: str) -> object:
    # Imported on access: workers and the command line import this package, and must start fast and without Spark.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from parte.spark_adapter.replay import frames

    return getattr(frames, name)
