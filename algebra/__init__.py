"""The event algebra: the denotational side of PARTE (SPEC §4, D ch. 4)."""
