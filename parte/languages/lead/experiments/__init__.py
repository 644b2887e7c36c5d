"""Experiment `lead`: the tables, example matches and counts of L, reproduced."""
