"""The theorem that Rocq checks, and which rules of the machine each statement is about."""
