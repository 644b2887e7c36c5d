"""The inference rules of the local evaluation language, one function for each; importing this registers them all."""

from parte.semantics.partelang.rules import alpha, collection, entry, join, negation, once, reaction, rudimentary

__all__ = ["alpha", "collection", "entry", "join", "negation", "once", "reaction", "rudimentary"]
