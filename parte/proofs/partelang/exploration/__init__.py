"""All interleavings of the steps of a small machine: its results, its blocked states, its occupancy."""
