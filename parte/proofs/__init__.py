"""Machine-checked proofs of D chapter 8 and of the repairs, on the functions that the machine runs.

`parte.proofs.prove.prove` decides lemmas, `parte.proofs.partelang.catalogue` lists them, docs/proofs.md explains them.
"""

if __name__ == "proofs":
    raise ImportError(
        "import parte.proofs: the folder proofs at the top of a checkout is a link into the package parte"
    )
