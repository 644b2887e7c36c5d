"""The engines of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted

ENGINES: Engines = {
    "clips": Listed(
        adapted("parte.conformance.partelang.engines.clips.adapter:ClipsAdapter"),
        "clips",
        "clips",
        needed_by="conform clips",
    ),
    "clips-eager": Listed(
        adapted("parte.conformance.partelang.engines.clips.adapter:ClipsAdapter", eager=True), "clips", "clips"
    ),
}
