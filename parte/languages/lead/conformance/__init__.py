"""LEAD in the conformance kit."""
