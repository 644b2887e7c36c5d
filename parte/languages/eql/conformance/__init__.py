"""EQL in the conformance kit."""
