"""The registry of diagnostic codes (`codes.toml`): stable names, titles, severities and explanations."""

from __future__ import annotations

import tomllib
from importlib import resources

from parte.semantics.source.diagnostics import Code, Severity

_TABLE = tomllib.loads(resources.files(__package__).joinpath("codes.toml").read_text(encoding="utf-8"))

CODES = {
    name: Code(name, given["title"], given["explanation"], Severity(given.get("severity", Severity.ERROR)))
    for name, given in _TABLE.items()
}
"""All codes by their names."""
