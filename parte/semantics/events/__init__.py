"""Events, traces, promises, domain tables and matches: plain data and its reading (docs/specification/events.md)."""
