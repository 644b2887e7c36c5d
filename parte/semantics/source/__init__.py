"""Spans, diagnostics, the scanner and the limits, shared by the front ends of all languages."""
