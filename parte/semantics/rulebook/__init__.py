"""Rulebooks, and figures read out of code, for the inference rules of all languages."""
