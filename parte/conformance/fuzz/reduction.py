"""Making a divergent case small: edits that each leave something out or make it plainer, as long as the case diverges.

The tree and the trace are edited themselves, not what was drawn for them: so a case of any origin can be reduced, and
few attempts are needed, each of which costs a timeout if the engine hangs. An edit that gives no valid program and
trace is passed over; none is accepted that does not lighten the case, so the reduction ends.
"""

from __future__ import annotations

from collections.abc import Callable

from parte.conformance.fuzz.cases import C, Edit, Generation, shown
from parte.conformance.fuzz.shrinking import edits, lighter


def reduced(
    generation: Generation[C], case: C, diverges: Callable[[C], bool], going_on: Callable[[], bool] = lambda: True
) -> C:
    """The lightest case found that still diverges; `going_on` may end the search at any time.

    All edits are tried again until none helps.
    """
    tried: set[str] = set()

    def first(edit: Edit[C]) -> C | None:
        for candidate in lighter(generation, case, edit):
            if not going_on():
                return None
            text = shown(candidate)
            if text not in tried:
                tried.add(text)
                if diverges(candidate):
                    return candidate
        return None

    helped = True
    while helped:
        helped = False
        for edit in edits(generation):
            while (found := first(edit)) is not None:
                case, helped = found, True
    plain = generation.renamed(case)
    return plain if going_on() and diverges(plain) else case
