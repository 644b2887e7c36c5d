"""Certificates: proofs that a solver wrote down, checked by code that trusts no solver.

cvc5 writes its refutation of a problem as a text in its format CPC: what it assumes, and steps that each name a rule,
premises and arguments. `check` reads the problem and that text and follows every step. Nothing of it knows the language
or the lemmas that the problem comes from, or uses a solver.
"""
