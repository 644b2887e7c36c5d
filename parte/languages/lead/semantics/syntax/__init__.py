"""The text of LEAD rules: grammar, tree, printer, diagnostics (specification: lead-text)."""
