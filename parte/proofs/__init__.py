"""Machine-checked proofs of D chapter 8 and of the repairs, on the functions that the machine runs.

`parte.proofs.prove.prove` decides lemmas; `parte.proofs.partelang.catalogue` lists them; docs/proofs.md puts them together.
"""
