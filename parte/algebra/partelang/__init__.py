"""The event algebra of PARTElang: its patterns, two evaluators, and the compiler to SQL."""
