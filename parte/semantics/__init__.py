"""The operational side of PARTE: PARTElang, its events, and the Featherweight PARTE machine (D ch. 5)."""
