"""EQL in the conformance kit."""

from __future__ import annotations

from parte.conformance.kit import Example, Kit, kit_of
from parte.languages.eql.conformance.engine import EqlEngine
from parte.languages.eql.conformance.generation import Case
from parte.languages.eql.conformance.notation import NOTATION

KIT: Kit[Case] = kit_of(
    "parte.languages.eql",
    EqlEngine,
    notation=NOTATION,
    profiles=(
        "core",
        "conditions",
        "keys",
        "windows",
        "until",
        "missing",
        "samples",
        "pipes",
        "readings",
        "rejects",
    ),
    example=Example(
        "sequence with maxspan=1m [A where true] [B where true]\n",
        tuple({"id": name.lower(), "template": name, "timestamp": 0} for name in "ACB"),
        {"keys": [], "events": ["a", "b"]},
        "sequence with maxspan=1m [A where true] [B where]\n",
    ),
    published=None,
)
