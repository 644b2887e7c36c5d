"""CEL as CORE runs it: automata, a compact set of what may still match, and its enumeration (specification: cel)."""
