"""The common parts of the inference rules of all languages: rulebooks, and figures read out of code."""
