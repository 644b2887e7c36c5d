"""Experiment `engines`: the engines that agree with the reference, and the speed of each on the same traces."""
