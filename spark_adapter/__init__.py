"""The reference on Spark: many traces in parallel, one program over a huge log, and a live stream."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_adapter.replay_frames import random_traces, replay, replay_random
    from spark_adapter.session import session

__all__ = ["random_traces", "replay", "replay_random", "session"]

_HOMES = {
    "random_traces": "spark_adapter.replay_frames",
    "replay": "spark_adapter.replay_frames",
    "replay_random": "spark_adapter.replay_frames",
}


def __getattr__(name: str) -> object:
    # Imported when asked for: the command line knows this package, and must start fast and without Spark.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
