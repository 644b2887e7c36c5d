"""Fixtures, generators, the engine protocol and its runner (SPEC §7)."""
