"""All interleavings of the steps of a small machine: what it can find, where it can block, how full it gets ."""
