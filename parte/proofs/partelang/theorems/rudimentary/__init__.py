"""The lemmas about the rudimentary model (D §5.2)."""
