"""CEL in the conformance kit."""

from __future__ import annotations

from parte.conformance.kit import Example, Kit, kit_of
from parte.languages.cel.conformance.engine import CelEngine
from parte.languages.cel.conformance.generation import Case
from parte.languages.cel.conformance.notation import NOTATION

KIT: Kit[Case] = kit_of(
    "parte.languages.cel",
    CelEngine,
    notation=NOTATION,
    profiles=(
        "core",
        "conditions",
        "projection",
        "contiguous",
        "windows",
        "streams",
        "partition",
        "strategies",
        "consumption",
        "links",
        "shares",
        "rejects",
    ),
    example=Example(
        "SELECT * WHERE A; B\n",
        tuple({"id": name.lower(), "template": name, "timestamp": 0} for name in "ACB"),
        {"start": 0, "end": 2, "events": ["a", "b"]},
        "SELECT * WHERE A; ; B\n",
    ),
)
