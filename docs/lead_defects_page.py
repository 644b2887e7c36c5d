"""The page of the defects of L (`docs/lead-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from parte.conformance.lead.defects import Defect, defects
from parte.semantics.lead.repairs import DESCRIPTIONS


def lead_defects_page(notice: str) -> str:
    """The page; every example in it is run when it is made."""
    return "\n".join(_lines(notice)) + "\n"


def _lines(notice: str) -> Iterator[str]:
    yield from (notice, "", "# What is wrong or open in the source of LEAD", "")
    yield "L is Al Bassit, Skhiri, Ammar, *LEAD: A Formal Specification For Event Processing* (DEBS 2019); the"
    yield "numbers are those that the specification cites. `3: A=a0 l=[B=b1]` is a match that ends at 3. Without a"
    yield "repair `sound` errs as L's net does; a reading is what L can also be taken to say (specification:"
    yield "lead-readings). What L's formulas say as printed no model runs: it is stated beside what was meant."
    for defect in defects():
        yield from ("", f"## {defect.number}. {defect.section}", "", f"{defect.text[0].upper()}{defect.text[1:]}.")
        yield from _example(defect)


def _example(defect: Defect) -> Iterator[str]:
    yield ""
    if defect.elsewhere:
        yield f"Shown elsewhere: {defect.elsewhere}."
        return
    right, wrong = defect.found()
    yield from ("| | |", "|---|---|")
    yield f"| pattern | `{defect.pattern}` |"
    yield f"| events | `{defect.trace}` |"
    yield f"| matches | {_matches(right)} |"
    if defect.reading:
        yield f"| read with `{defect.reading}` {defect.choice} | {_matches(wrong)} |"
    elif defect.stated:
        yield f"| as L prints it | {defect.stated} |"
    else:
        yield f"| without `{defect.repair}` | {_matches(wrong)} |"
        yield f"| the repair | {DESCRIPTIONS[defect.repair]} |"


def _matches(found: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in found) or "none"
