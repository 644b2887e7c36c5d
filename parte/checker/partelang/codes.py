"""The guarantees that the checker decides, and the stable codes of its findings (`checks.toml`)."""

from __future__ import annotations

from parte.checker.report.collecting import read_checks

GUARANTEES, CODES = read_checks(__package__)

OF_SETS = ("effective-sets", "effective-having", "reachable-counts")
"""The guarantees that a rule without sets does not have."""

OF_ALTERNATIVES = ("effective-alternatives",)
"""The guarantees that only a rule has that has two alternatives of one template."""
