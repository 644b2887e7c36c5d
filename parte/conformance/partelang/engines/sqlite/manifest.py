"""The engine of this folder."""

from __future__ import annotations

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.partelang.engines.adapters import adapted

ENGINES: Engines = {
    "sqlite": Listed(adapted("parte.conformance.partelang.engines.sqlite.adapter:SqliteAdapter"), "sqlite", "sqlite3"),
}
