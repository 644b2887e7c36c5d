"""What the checker asks of a language."""

from __future__ import annotations

from collections.abc import Callable

from parte.checker.report.contents import Report
from parte.languages.language import Facet

Check = Callable[[str, float], Report]
"""Decides what the text of a program guarantees, with so many seconds for one question to a solver. Raises
ProgramError."""

CHECK: Facet[Check] = Facet("check", "checks before a run")
