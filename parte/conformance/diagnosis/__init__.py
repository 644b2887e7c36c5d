"""Diagnosis of an engine's failures: their common causes, and how an answer differs from the expected one."""
