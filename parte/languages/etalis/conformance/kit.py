"""ETALIS in the conformance kit."""

from __future__ import annotations

from parte.conformance.kit import Example, Kit, kit_of
from parte.languages.etalis.conformance.engine import EtalisEngine
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.conformance.notation import NOTATION

KIT: Kit[Case] = kit_of(
    "parte.languages.etalis",
    EtalisEngine,
    notation=NOTATION,
    profiles=(
        *("core", "data", "intervals", "lasting", "moments", "negation", "recursion", "policies", "readings"),
        "rejects",
    ),
    example=Example(
        "e <- a SEQ b.\n",
        ({"template": "a", "timestamp": 1}, {"template": "b", "timestamp": 2}),
        {"event": "e", "arguments": [], "start": 1, "end": 2},
        "e <- a SEK b.\n",
    ),
)
