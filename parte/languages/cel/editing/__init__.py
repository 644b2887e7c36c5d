"""CEL in editors: its colours, its names, and the clauses of its words."""
