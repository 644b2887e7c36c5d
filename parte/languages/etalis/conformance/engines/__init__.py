"""Foreign engines for ETALIS."""
