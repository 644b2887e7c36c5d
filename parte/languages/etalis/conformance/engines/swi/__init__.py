"""The ETALIS of its authors on SWI-Prolog, as an engine of the kit: `model:etalis-swi`."""
