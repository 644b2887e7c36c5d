"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted

ENGINES: Engines = {
    "durable": Listed(
        adapted("parte.conformance.partelang.engines.durable.adapter:DurableAdapter"),
        "durable",
        "durable",
        needed_by="conform durable",
    ),
}
