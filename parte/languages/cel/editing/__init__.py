"""CEL in editors: its colours, its names, and what its words mean."""
