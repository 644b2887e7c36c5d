"""The meaning of a CEL query, clause by clause (specification: core-den-type, core-den-seq; T fig. 3.2)."""
