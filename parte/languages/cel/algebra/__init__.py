"""What a CEL query means, clause by clause (specification: core-den-type, core-den-seq; T fig. 3.2)."""
