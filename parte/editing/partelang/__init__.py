"""PARTElang in editors: its colours, its names, its types, and the meaning of its words."""
