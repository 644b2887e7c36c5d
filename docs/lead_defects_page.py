"""The page of the defects of L (`docs/lead-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.conformance.lead.defects import Defect, defects
from parte.semantics.lead.repairs import DESCRIPTIONS

_WORDS = """\
L is Al Bassit, Skhiri, Ammar, *LEAD: A Formal Specification For Event Processing* (DEBS 2019); the
numbers are those that the specification cites. `3: A=a0 l=[B=b1]` is a match that ends at 3. Without a
repair `sound` errs as L's net does; a reading is what L can also be taken to say (specification:
lead-readings). What L's formulas say as printed no model runs: it is stated beside what was meant."""


def lead_defects_page(notice: str) -> str:
    """The page; every example in it is run when it is made."""
    sections = (
        Section(each.number, each.section, each.text, () if each.elsewhere else tuple(_rows(each)), each.elsewhere)
        for each in defects()
    )
    return defects_page(notice, "LEAD", _WORDS, sections)


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    right, wrong = defect.found()
    yield "pattern", f"`{defect.pattern}`"
    yield "events", f"`{defect.trace}`"
    yield "matches", _matches(right)
    if defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", _matches(wrong)
    elif defect.stated:
        yield "as L prints it", defect.stated
    else:
        yield f"without `{defect.repair}`", _matches(wrong)
        yield "the repair", DESCRIPTIONS[defect.repair]


def _matches(found: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in found) or "none"
