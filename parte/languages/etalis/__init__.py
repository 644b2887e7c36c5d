"""ETALIS: everything that this language needs, in the same roles as PARTE itself."""
