"""The meaning of programs of the ETALIS Language for Events: E §4 clause by clause, without any part of the machine."""
