"""Experiment `engines`: who agrees with the reference, and how fast each is on the same traces."""
