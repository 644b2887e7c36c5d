"""PARTElang: grammar, source tree, scoping and types, elaborated tree, printer, JSON (SPEC §2, D §4.2)."""

from semantics.syntax.diagnostics import Diagnostic, ProgramError, Severity
from semantics.syntax.elaborate import elaborate, parse
from semantics.syntax.parser import parse_source

__all__ = ["Diagnostic", "ProgramError", "Severity", "elaborate", "parse", "parse_source"]
