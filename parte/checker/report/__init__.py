"""Reports of a checker, for people and as JSON."""
