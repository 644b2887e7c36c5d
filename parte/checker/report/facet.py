"""The interface between the checker and a language."""

from __future__ import annotations

from collections.abc import Callable

from parte.checker.report.contents import Report
from parte.languages.language import Facet

Check = Callable[[str, float], Report]
"""The function that decides the guarantees of the text of a program, with a time limit (seconds) for each question to
a solver. Raises ProgramError."""

CHECK: Facet[Check] = Facet("check", "checks before a run")
