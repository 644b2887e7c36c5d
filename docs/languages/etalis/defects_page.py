"""The page of the defects of E (`docs/etalis-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.languages.etalis.conformance.defects import Defect, defects
from parte.languages.etalis.semantics.published.repairs import Repairs


def sections() -> Iterator[Section]:
    """Yield the defects, each with its example, which is run."""
    yield from (Section(defect.number, defect.where, defect.text, tuple(_rows(defect))) for defect in defects())


def defects_of_source() -> str:
    """Return the page; it runs every example."""
    return defects_page(sections())


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    yield "rules", f"`{defect.rules}`"
    yield "stream", f"`{defect.stream}`"
    yield f"{_under(defect.policy)}", f"`{defect.sound()}`"
    if defect.repair:
        yield f"without `{defect.repair}`", f"`{defect.printed_result()}`"
        yield "the repair", str(Repairs.declared()[defect.repair])
    elif defect.printed_policy:
        yield f"E's clauses under `{defect.printed_policy}`", f"`{defect.printed_result()}`"
    elif defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", f"`{defect.printed_result()}`"
    elif defect.way:
        yield defect.way, f"`{defect.printed_result()}`"
    elif defect.other_rules:
        yield f"of `{defect.other_rules}`", f"`{defect.printed_result()}`"
    else:
        yield "as E says", defect.stated


def _under(policy: str) -> str:
    return "right" if policy == "unrestricted" else f"right, under `{policy}`"
