"""Experiment `lead`: the tables, example matches and counts of L that come out again."""
