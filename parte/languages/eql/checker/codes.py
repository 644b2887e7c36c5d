"""The guarantees that the checker decides of queries, and the codes of its findings (`checks.toml`; eql-checks)."""

from __future__ import annotations

from parte.checker.report.collecting import read_checks

GUARANTEES, CODES = read_checks(__package__)
