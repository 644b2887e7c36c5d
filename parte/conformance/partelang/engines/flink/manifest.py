"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted

_ADAPTER = "parte.conformance.partelang.engines.flink.adapter:FlinkAdapter"
_CENTURY_21 = 1_000_000_000_000
"""The shift of the time of `flink-moved`, in ms: timestamp 0 falls into the year 2001."""

ENGINES: Engines = {
    "flink": Listed(adapted(_ADAPTER), "flink", "pyflink", needed_by="conform flink, match-recognize"),
    "flink-moved": Listed(adapted(_ADAPTER, moved=_CENTURY_21), "flink", "pyflink"),
    "match-recognize": Listed(
        adapted("parte.conformance.partelang.engines.flink.adapter:recognizing"), "flink", "pyflink"
    ),
}
