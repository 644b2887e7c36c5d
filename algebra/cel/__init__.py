"""What a CEL query means: sets of valuations, clause by clause (specification: core-den-type, core-den-seq; T fig. 3.2)."""
