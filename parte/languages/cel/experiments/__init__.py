"""Experiment `core`: the figures and tables of T that can be reproduced."""
