"""Experiment `core`: the figures and tables of T that come out again."""
