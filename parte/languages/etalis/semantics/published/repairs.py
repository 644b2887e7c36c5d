"""The named repairs of E's algorithms, one for each defect of them that can be had apart (docs/etalis-defects.md).

All are on in `ALL`, none in `NONE`, which is E to the letter.
"""

from __future__ import annotations

DESCRIPTIONS: dict[str, str] = {
    "unique": "what happens twice over one interval happens once (defect 10)",
    "one-name": "a goal is looked up by the name under which it is inserted (defect 11)",
    "calls-rules": "for_each calls the rules of an event, not the event itself (defect 12)",
    "goes-on": "for_each goes on after a rule that fails (defect 12)",
    "every-solution": "for_each takes every solution of a rule, if no goal is used up (defect 12)",
    "only-retract-goes": "without retract, a sequence still has its order (defect 13)",
    "goals-always": "a goal is inserted though the other event was there, if it has not been used up (defect 14)",
    "bound-times": "what inserts a goal of PAR compares no times that are unbound (defect 15)",
    "proper-overlap": "intervals overlap from the later start to the earlier end (defect 16)",
    "retract-last": "a goal of PAR is used up after the test, not before (defect 17)",
    "absent-inside": "the times of what is absent are compared inside the negation (defect 18)",
    "instants-too": "relations hold of instants, too, as in fig. 2: (12)-(15) without validTimeInterval (defect 19)",
    "numeric": "times are compared as numbers, not in the standard order of terms (defect 20)",
    "both-sides": "EQUALS, MEETS and FINISHES look both ways (defect 21)",
    "whole-language": "numbers happen when they are due; OR, WHERE, (P).q and a lone event have rules (defect 22)",
    "update-inserts": "a rule that is added inserts goals of its own first event (defect 23)",
    "loops-for-all": "an event without rules succeeds (defect 24)",
    "absent-apart": "what is absent is no goal of other rules (defect 33)",
}
"""What each repair does, in the order of the defects."""

ALL = frozenset(DESCRIPTIONS)
NONE: frozenset[str] = frozenset()
RUNNING = frozenset({"one-name", "calls-rules", "bound-times", "absent-inside", "whole-language", "loops-for-all"})
"""Those without which nothing is found, a run has no end or throws, or there are no clauses: the model `published` has
them, in favour of E."""


def checked(repairs: frozenset[str]) -> frozenset[str]:
    """Repairs that exist. ValueError if one does not."""
    unknown = repairs - ALL
    if unknown:
        raise ValueError(f"expected repairs among {', '.join(DESCRIPTIONS)}, found {', '.join(sorted(unknown))}")
    return repairs
