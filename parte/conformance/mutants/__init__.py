"""Mutants of models: each has one error, to measure whether the suite of their language would notice it.

    mutant = mutants()[0]  # of a language, such as parte.conformance.partelang.mutants
    killing.kills(mutant, prepare(fixture))  # does this case distinguish the mutant from the model?
    mutant.engine()  # an `Engine` of this process: load a program, run a trace

The mutants with edits run in modules of their own (`parte.proofs.edited_modules`), which takes 0.1 s the first time.
"""

from parte.conformance.mutants.files import read_mutants
from parte.conformance.mutants.machines import MachineMutant, Original
from parte.conformance.mutants.mutant import Mutant
from parte.proofs.edited_modules import Modules, edited
from parte.proofs.mutation import Edit

__all__ = [
    "Edit",
    "MachineMutant",
    "Modules",
    "Mutant",
    "Original",
    "edited",
    "read_mutants",
]
