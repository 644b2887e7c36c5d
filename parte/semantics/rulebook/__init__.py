"""What the inference rules of all languages share: rulebooks, and figures read out of code."""
