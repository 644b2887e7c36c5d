"""Engines in this process, and serving them to others through the protocol."""
