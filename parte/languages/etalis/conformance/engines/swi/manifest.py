"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed, calling

ENGINES: Engines = {
    "etalis-swi": Listed(
        calling("parte.languages.etalis.conformance.engines.swi.adapter:engine"),
        "etalis-swi",
        look=calling("parte.languages.etalis.conformance.engines.swi.adapter:installation"),
    ),
}
