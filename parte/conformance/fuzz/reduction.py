"""Shrinking a divergent case: each edit leaves something out or makes it plainer, as long as the case diverges.

Edits change the tree and the trace themselves, not the choices that they were drawn from: so a case of any origin can
be reduced, in few attempts, each of which costs a timeout if the engine hangs. Edits with an invalid program or trace
are skipped; none is accepted that does not make the case lighter, so the reduction ends.
"""

from __future__ import annotations

from collections.abc import Callable

from parte.conformance.fuzz.cases import C, Edit, Generation, case_text
from parte.conformance.fuzz.shrinking import edits, lighter


def reduced(
    generation: Generation[C], case: C, diverges: Callable[[C], bool], going_on: Callable[[], bool] = lambda: True
) -> C:
    """Return the lightest case that still diverges; `going_on` may end the search at any time.

    All edits are tried again until none helps.
    """
    tried: set[str] = set()

    def first(edit: Edit[C]) -> C | None:
        for candidate in lighter(generation, case, edit):
            if not going_on():
                return None
            text = case_text(candidate)
            if text not in tried:
                tried.add(text)
                if diverges(candidate):
                    return candidate
        return None

    helped = True
    while helped:
        helped = False
        for edit in edits(generation):
            while (reduction := first(edit)) is not None:
                case, helped = reduction, True
    plain = generation.renamed(case)
    return plain if going_on() and diverges(plain) else case
