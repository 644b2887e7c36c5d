"""The inference rules of the local evaluation language, one function for each; importing this registers them all."""

from parte.semantics.partelang.rules import alpha, entry, join, negation, reaction, rudimentary

__all__ = ["alpha", "entry", "join", "negation", "reaction", "rudimentary"]
