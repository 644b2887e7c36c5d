"""The reasons why programs have no translation (`codes.toml`)."""

from __future__ import annotations

from parte.semantics.source.diagnostics import Codes

CODES = Codes(__package__)
"""All codes by their names."""
