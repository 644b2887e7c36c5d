"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

_ADAPTER = "parte.conformance.partelang.engines.flink.adapter:FlinkAdapter"
_CENTURY_21 = 1_000_000_000_000
"""The shift of the time of `flink-moved`, in ms: timestamp 0 falls into the year 2001."""

IN_EXPRESSIONS = frozenset(
    {
        Construct.CONNECTIVES,
        Construct.PRESENCE,
        Construct.OPTIONAL,
        Construct.STRINGS,
        Construct.REGULAR,
        Construct.TIMES,
        Construct.CLOCKS,
    }
)
RECOGNIZED = IN_EXPRESSIONS | {Construct.ALTERNATIVES, Construct.SELECTIONS}
"""The constructs of level 2 that MATCH_RECOGNIZE gets. It has no rows before the first one, nor sets."""
JOINED = RECOGNIZED | {Construct.EVER, Construct.SETS}
"""The constructs of level 2 that joins get."""

ENGINES: Engines = {
    "flink": Listed(adapted(_ADAPTER, declared=JOINED), "flink", "pyflink", needed_by="conform flink, match-recognize"),
    "flink-moved": Listed(adapted(_ADAPTER, declared=JOINED, moved=_CENTURY_21), "flink", "pyflink"),
    "match-recognize": Listed(
        adapted("parte.conformance.partelang.engines.flink.adapter:recognizing", declared=RECOGNIZED),
        "flink",
        "pyflink",
    ),
}
