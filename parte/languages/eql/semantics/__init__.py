"""The machine of EQL: how a query runs, event by event."""
