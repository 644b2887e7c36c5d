"""All mutants, family by family."""

from __future__ import annotations

from conformance.mutants.bounds import BOUNDS
from conformance.mutants.defects import OF_DEFECTS
from conformance.mutants.emission import EMISSION
from conformance.mutants.expiry import EXPIRY
from conformance.mutants.matching import MATCHING
from conformance.mutants.mutant import Mutant
from conformance.mutants.negation import NEGATION
from conformance.mutants.values import VALUES
from conformance.mutants.windows import WINDOWS

MUTANTS: tuple[Mutant, ...] = (*OF_DEFECTS, *WINDOWS, *EXPIRY, *NEGATION, *BOUNDS, *MATCHING, *EMISSION, *VALUES)
"""Every mutant, in the order in which they are reported."""


def mutant_named(name: str) -> Mutant:
    """The mutant of a name; KeyError if there is none."""
    for mutant in MUTANTS:
        if mutant.name == name:
            return mutant
    raise KeyError(name)
