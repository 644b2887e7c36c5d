"""The definition of EQL: what a query means over a whole trace."""
