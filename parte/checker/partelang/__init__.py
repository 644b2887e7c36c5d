"""The checks of PARTElang: its guarantees, sizes for a deployment, relations between rules."""
