"""Mutants that mistake a time window, at one end or at both (SPEC §4, D fig. 5.4)."""

from __future__ import annotations

from conformance.mutants.mutant import ALGEBRA, SOUND, Mutant
from conformance.mutants.worlds import Edit

JOINED = ("JOIN-RIGHT", "JOIN-LEFT")
COMPARED = (*JOINED, "NOT-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH")

WINDOWS = (
    Mutant(
        "sound/window-opens-one-late",
        SOUND,
        COMPARED,
        ("SPEC 4", "5.4.6"),
        "windows that are open at their beginning: an event at exactly the lower bound is outside",
        (Edit("semantics.kernel:in_window", "opens <= timestamp", "opens < timestamp"),),
    ),
    Mutant(
        "algebra/window-closes-one-early",
        ALGEBRA,
        COMPARED,
        ("SPEC 4", "4.4.2"),
        "windows that are open at their end: an event at exactly the upper bound is outside",
        (
            Edit(
                "algebra.evaluate:holds",
                "lower <= bound[subject].timestamp - bound[reference].timestamp <= upper",
                "lower <= bound[subject].timestamp - bound[reference].timestamp < upper",
            ),
        ),
    ),
)
