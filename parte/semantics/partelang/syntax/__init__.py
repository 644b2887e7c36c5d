"""PARTElang: grammar, source tree, scoping and types, elaborated tree, printer, JSON (D §4.2, specification: syntax)"""

from parte.semantics.partelang.syntax.elaborate import elaborate, parse
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity

__all__ = ["Diagnostic", "ProgramError", "Severity", "elaborate", "parse", "parse_source"]
