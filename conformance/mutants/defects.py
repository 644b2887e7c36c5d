"""The twelve defects of the published rules as mutants: `sound` without one repair each (SPEC §5)."""

from __future__ import annotations

from conformance.defects import DEFECTS
from conformance.mutants.mutant import SOUND, Mutant, Space

_RULES = {
    "expire-by-lifetime": ("JOIN-RIGHT-BOTTOM", "JOIN-RIGHT", "NOT-RIGHT-BOTTOM", "NOT-RIGHT"),
    "join-before-expiry": ("JOIN-LEFT", "JOIN-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
    "window-per-event": ("JOIN-RIGHT", "NOT-RIGHT"),
    "exhaustive-expiry": ("NOT-RIGHT-BOTTOM", "NOT-RIGHT"),
    "negate-in-window": ("NOT-RIGHT",),
    "store-only-live": ("NOT-LEFT-NOMATCH", "JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-LEFT-MATCH"),
    "bound-per-token": ("JOIN-LEFT", "JOIN-RIGHT", "NOT-RIGHT", "NOT-RIGHT-BOTTOM"),
    "report-silence": ("ALPHA-NOMATCHCONSTRAINT", "JOIN-LEFT", "JOIN-RIGHT", "NOT-LEFT-MATCH", "NOT-LEFT-NOMATCH"),
    "slot-per-side": ("PROC", "PROP"),
    "bound-on-last-token": ("NOT-RIGHT-BOTTOM", "NOT-RIGHT"),
    "merge-by-promise": ("ENTRY", "ENTRY-BOTTOM"),
    "retention-sizes": ("JOIN-LEFT", "JOIN-RIGHT", "NOT-LEFT-NOMATCH", "NOT-RIGHT"),
}
"""The rules in which each repair is, the one that the defect is told of first."""


MEASURED = frozenset({"report-silence", "slot-per-side", "bound-on-last-token", "merge-by-promise", "retention-sizes"})
"""The repairs without which only a machine of limited room errs."""

OF_DEFECTS = tuple(
    Mutant(
        f"sound/without-{defect.repair}",
        SOUND,
        _RULES[defect.repair],
        ("SPEC 5", f"defect {defect.number}"),
        f"defect {defect.number}: {defect.title[0].lower()}{defect.title[1:]}",
        without=(defect.repair, *defect.less),
        space=Space.MEASURED if defect.repair in MEASURED else Space.UNBOUNDED,
    )
    for defect in DEFECTS
)
