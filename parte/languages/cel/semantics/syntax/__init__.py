"""The text of CEL queries: grammar, tree, printer, diagnostics (specification: cel-text)."""
