"""Stratification terminates (D def. 3, §8.6.3 iii): an event descends the network at most once per stratum."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before
from parte.proofs.symbolic import Claims, Run
from parte.semantics.partelang import kernel
from parte.semantics.partelang.syntax import core, parse

_PROGRAM = """
template A { k: Integer }
template B { k: Integer }
template E { k: Integer }
rule R where a: A, b: B when b in a [0 ms, 1 ms] then emit E at a.timestamp with { k = a.k }
"""


@cache
def _parsed() -> core.Program:
    return parse(_PROGRAM)


def reaction_climbs(run: Run) -> Claims:
    """For arbitrary strata that respect definition 3; `depth` counts the reactions that led to an event."""
    of_a, of_b, of_e = (run.integer(f"stratum of {name}") for name in "ABE")
    depth = run.integer("reactions so far")
    program = replace(_parsed(), strata=(("A", of_a), ("B", of_b), ("E", of_e)))
    stratum = program.stratum(program.rules[0])
    run.assume(before(of_a, of_e), before(of_b, of_e), at_most(depth, of_a))
    return (
        ("a rule is evaluated when all that it reacts to is complete", at_most(of_a, stratum)),
        ("of every template", at_most(of_b, stratum)),
        ("what it emits is of a higher stratum", before(stratum, of_e)),
        ("the stratum still bounds the number of reactions", at_most(kernel.shifted(depth, 1), of_e)),
    )


LEMMAS = (
    Lemma(
        "stratification-climbs",
        "Every reaction leads to a higher stratum: an event sets off at most as many in a row as there are strata.",
        "8.6.3 iii, def. 3",
        ("PARTE/PROD", "PARTE/ENTRY"),
        "2 templates per rule; the step of an induction over reactions",
        reaction_climbs,
        Mutant("lowest-stratum", "parte.semantics.partelang.syntax.core:Program.stratum", "return max(", "return min("),
        HOLDS,
    ),
)
