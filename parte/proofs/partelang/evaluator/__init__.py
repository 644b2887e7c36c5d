"""The evaluator that Rocq proves equal to the definition, as an extracted program (docs/theorem.md)."""
