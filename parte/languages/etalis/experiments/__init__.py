"""Experiment `etalis`: the figures, lists and measurements of E that can be reproduced."""
