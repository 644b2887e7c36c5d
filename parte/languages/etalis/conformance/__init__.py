"""The conformance kit's room for ETALIS."""
