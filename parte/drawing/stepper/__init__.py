"""Step-by-step runs of a machine, each as a page of its own."""
