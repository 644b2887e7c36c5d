"""The registry of diagnostic codes (`codes.toml`): stable names, titles, severities and explanations."""

from __future__ import annotations

from parte.semantics.source.diagnostics import Codes

CODES = Codes(__package__)
"""All codes by their names."""
