"""Making a divergent case small: edits that each leave something out or make it plainer, as long as the case diverges.

The tree and the trace are edited themselves, not what was drawn for them: so a case of any origin can be reduced, the
result does not depend on the version of hypothesis, and few attempts are needed, each of which costs a timeout if the
engine hangs. An edit that gives no valid program and trace is passed over; none is accepted that does not lighten the
case, so the reduction ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from parte.conformance.fuzz.cases import C, Generation, Weight, shown


def reduced(
    generation: Generation[C], case: C, diverges: Callable[[C], bool], going_on: Callable[[], bool] = lambda: True
) -> C:
    """The lightest case found that still diverges; `going_on` may end the search at any time.

    All edits are tried again until none helps.
    """
    tried: set[str] = set()

    def first(candidates: Iterator[C], limit: Weight) -> C | None:
        for candidate in candidates:
            if not going_on():
                return None
            if generation.weight(candidate) >= limit or (text := shown(candidate)) in tried:
                continue
            tried.add(text)
            if diverges(candidate):
                return candidate
        return None

    helped = True
    while helped:
        helped = False
        for edit in generation.edits:
            while (lighter := first(edit(case), generation.weight(case))) is not None:
                case, helped = lighter, True
    plain = generation.renamed(case)
    return plain if going_on() and diverges(plain) else case
