"""What programs of the ETALIS Language for Events mean: E §4 clause by clause, with nothing of the machine."""
