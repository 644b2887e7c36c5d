"""Experiment `etalis`: what E draws, lists and measures that comes out again."""
