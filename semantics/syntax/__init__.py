"""PARTElang: grammar, source tree, scoping and types, elaborated tree, printer, JSON (SPEC §2, D §4.2)."""
