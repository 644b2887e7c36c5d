"""Foreign engines for CEL."""
