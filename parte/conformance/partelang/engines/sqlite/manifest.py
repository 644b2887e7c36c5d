"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted
from parte.semantics.partelang.syntax.constructs import Construct

DECLARED = frozenset(
    {
        Construct.CONNECTIVES,
        Construct.PRESENCE,
        Construct.OPTIONAL,
        Construct.STRINGS,
        Construct.TIMES,
        Construct.EVER,
        Construct.SELECTIONS,
        Construct.SETS,
    }
)
_ADAPTER = "parte.conformance.partelang.engines.sqlite.adapter:SqliteAdapter"

ENGINES: Engines = {
    "sqlite": Listed(adapted(_ADAPTER, declared=DECLARED), "sqlite", "sqlite3"),
}
