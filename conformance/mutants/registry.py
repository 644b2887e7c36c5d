"""All mutants, family by family."""

from __future__ import annotations

from conformance.mutants.defects import OF_DEFECTS
from conformance.mutants.mutant import Mutant
from conformance.mutants.windows import WINDOWS

MUTANTS: tuple[Mutant, ...] = (*OF_DEFECTS, *WINDOWS)
"""Every mutant, in the order in which they are reported."""


def mutant_named(name: str) -> Mutant:
    """The mutant of a name; KeyError if there is none."""
    for mutant in MUTANTS:
        if mutant.name == name:
            return mutant
    raise KeyError(name)
