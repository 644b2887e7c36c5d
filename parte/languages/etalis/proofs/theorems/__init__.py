"""The lemmas about ETALIS, a module for each part of the machine."""
