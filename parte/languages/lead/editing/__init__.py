"""LEAD in editors: its colours, its names, and the meaning of its words."""
