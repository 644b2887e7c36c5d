"""Queries on a schedule: the matches that no run sees, and those that a run reports though the whole trace has none."""
