"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

DECLARED = frozenset(Construct) - {
    Construct.NETWORKS,
    Construct.CLOCKS,
    Construct.ROUNDED_AGGREGATES,
    Construct.ALTERNATIVES,
    Construct.SUPPRESSION,
}
_ADAPTER = "parte.conformance.partelang.engines.polars.adapter:PolarsAdapter"

ENGINES: Engines = {
    "polars": Listed(
        adapted(_ADAPTER, declared=DECLARED),
        "polars",
        "polars",
        needed_by="conform polars",
    ),
}
