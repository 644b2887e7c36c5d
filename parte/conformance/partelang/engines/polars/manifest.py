"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted

ENGINES: Engines = {
    "polars": Listed(
        adapted("parte.conformance.partelang.engines.polars.adapter:PolarsAdapter"),
        "polars",
        "polars",
        needed_by="conform polars",
    ),
}
