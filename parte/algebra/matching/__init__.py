"""Patterns on texts as definitions evaluate them, without the code of `parte.semantics.matching`."""
