"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling
from parte.conformance.partelang.engines.adapters import adapted

ENGINES: Engines = {
    "siddhi": Listed(
        adapted("parte.conformance.partelang.engines.siddhi.adapter:SiddhiAdapter"),
        "siddhi",
        look=calling("parte.conformance.partelang.engines.siddhi.jdk:installation"),
    ),
}
