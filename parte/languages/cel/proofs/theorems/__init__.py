"""The lemmas about CEL, a module for each part of the machine."""
