"""What a relational engine says when it cannot run a program. It never answers wrongly instead."""

from __future__ import annotations


class Unsupported(ValueError):
    """A program that means something, but that this engine cannot be asked (specification: relational-evaluator)."""
