"""Patterns on texts as machines evaluate them: wildcards, regular expressions, networks, for every language."""
