"""The common parts of every front end: spans, diagnostics, the scanner, limits."""
