"""ETALIS in the conformance kit."""
