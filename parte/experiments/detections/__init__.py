"""Experiment `detections`: what the import, the checks and the rules of PARTE give on public corpora."""
