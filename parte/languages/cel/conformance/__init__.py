"""CEL and CORE in the conformance kit."""
