"""The page of the defects of E (`docs/etalis-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.languages.etalis.conformance.defects import Defect, defects
from parte.languages.etalis.semantics.published.repairs import Repairs


def defects_of_source() -> str:
    """Return the page; it runs every example."""
    sections = (Section(each.number, each.where, each.text, tuple(_rows(each))) for each in defects())
    return defects_page(sections)


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    yield "rules", f"`{defect.rules}`"
    yield "stream", f"`{defect.stream}`"
    yield f"{_under(defect.policy)}", f"`{defect.sound()}`"
    if defect.repair:
        yield f"without `{defect.repair}`", f"`{defect.shown()}`"
        yield "the repair", str(Repairs.declared()[defect.repair])
    elif defect.printed_policy:
        yield f"E's clauses under `{defect.printed_policy}`", f"`{defect.shown()}`"
    elif defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", f"`{defect.shown()}`"
    elif defect.way:
        yield defect.way, f"`{defect.shown()}`"
    elif defect.other:
        yield f"of `{defect.other}`", f"`{defect.shown()}`"
    else:
        yield "as E says", defect.stated


def _under(policy: str) -> str:
    return "right" if policy == "unrestricted" else f"right, under `{policy}`"
