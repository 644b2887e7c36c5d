"""E's algorithms as printed, run in a small Prolog, with the repairs of their defects as flags
(docs/etalis-defects.md)."""
