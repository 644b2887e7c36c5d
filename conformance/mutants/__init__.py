"""Mutants of `sound` and of the algebra: models that err in one way each, to measure whether the suite would notice.

    mutant = MUTANTS[0]
    kills(mutant, prepare(fixture))  # is this mutant told from the model by this case?
    mutant.engine()  # an `Engine` of this process: load a program, run a trace

The mutants with edits run in modules of their own (`conformance.mutants.worlds`), the first time in some 0.1 s.
"""

from conformance.mutants.killing import Outcome, judge, kills, outcomes
from conformance.mutants.mutant import ALGEBRA, SOUND, Mutant, Space
from conformance.mutants.registry import MUTANTS, mutant_named
from conformance.mutants.worlds import Edit

__all__ = [
    "ALGEBRA",
    "MUTANTS",
    "SOUND",
    "Edit",
    "Mutant",
    "Outcome",
    "Space",
    "judge",
    "kills",
    "mutant_named",
    "outcomes",
]
