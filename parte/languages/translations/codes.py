"""The reasons why programs have no translation (`codes.toml`)."""

from __future__ import annotations

from parte.semantics.source.diagnostics import read_codes

CODES = read_codes(__package__)
"""All codes by their names."""
