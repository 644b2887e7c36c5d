"""What a CEL query means: sets of valuations, clause by clause (specification: cel-meaning; T fig. 3.2)."""
