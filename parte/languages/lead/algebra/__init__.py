"""LEAD: the definition, by the formulas of L (specification: lead)."""
