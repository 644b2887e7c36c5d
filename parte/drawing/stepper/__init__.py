"""Runs of a machine step by step, as a page of their own."""
