"""E's algorithms as they are printed, run as the Prolog that they are in, with the repairs of their defects as flags
(docs/etalis-defects.md)."""
