"""LEAD: rules, and the prioritised coloured Petri nets that run them (specification: lead)."""
