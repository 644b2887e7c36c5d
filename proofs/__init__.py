"""Machine-checked proofs of D chapter 8 and of the repairs, on the functions that the machine runs.

`proofs.prove.prove` decides lemmas; `proofs.catalogue` lists them; docs/proofs.md puts them together.
"""
