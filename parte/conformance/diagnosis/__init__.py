"""What the failures of an engine have in common, and where an answer parts from the expected one."""
