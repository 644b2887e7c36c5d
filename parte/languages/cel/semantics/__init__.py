"""The machine of CEL: automata, a compact set of partial matches, and its enumeration (specification: cel)."""
