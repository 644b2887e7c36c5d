"""The page of the defects of T (`docs/cel-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.languages.cel.conformance.defects import Defect, defects
from parte.languages.cel.semantics.repairs import Repairs


def sections() -> Iterator[Section]:
    """Yield the defects, each with its example, which is run."""
    yield from (Section(defect.number, defect.section, defect.text, tuple(_rows(defect))) for defect in defects())


def defects_of_source() -> str:
    """Return the page; it runs every example."""
    return defects_page(sections())


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    right, wrong = (", ".join(f"{count:,}" for count in counts) or "it stops" for counts in defect.counts())
    yield "query", f"`{defect.text_of_query}`"
    yield "events", f"`{defect.trace}`"
    yield defect.measure, right
    also = f" and `{defect.with_repair}`" if defect.with_repair else ""
    if defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", wrong
    elif defect.compared_with:
        yield f"of `{defect.compared_with}`", wrong
    elif defect.stated:
        yield "as T says, or is read", wrong
    elif defect.edits:
        yield f"with the code of T{also.replace(' and', ', without')}", wrong
        for edit in defect.edits:
            yield f"`{edit.place}`", f"`{_line(edit.after)}` in place of `{_line(edit.before)}`"
    else:
        yield f"without `{defect.repair}`{also}", wrong
        yield "the repair", str(Repairs.declared()[defect.repair])


def _line(text: str) -> str:
    return " ".join(text.split())
