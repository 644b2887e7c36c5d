"""PARTElang in editors: its colours, its names, its types, and what its words mean."""
