"""What every front end needs: spans, diagnostics, the scanner, limits."""
