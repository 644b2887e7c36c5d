"""Drawings of this language."""
