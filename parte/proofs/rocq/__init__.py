"""The theorem that Rocq checks, and the rules of the machine to which each statement refers."""
