"""Certificates: proofs by a solver, checked by code that does not depend on a solver.

cvc5 writes its refutation of a problem as a text in its format CPC: assumptions, and steps that each name a rule,
premises and arguments. `check` reads the problem and that text and checks every step. The checker is independent of
languages, lemmas and solvers.
"""
