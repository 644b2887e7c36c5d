"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling

ENGINES: Engines = {
    "core2": Listed(
        calling("parte.languages.cel.conformance.engines.core2.adapter:core2"),
        "core2",
        look=calling("parte.languages.cel.conformance.engines.core2.adapter:installation"),
    ),
}
