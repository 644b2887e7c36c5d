"""The page of the defects of T (`docs/cel-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.languages.cel.conformance.defects import Defect, defects
from parte.languages.cel.semantics.repairs import DESCRIPTIONS

_WORDS = """\
T is A. Abella, *Distributed Complex Event Recognition* (2022); the numbers are those that the specification
cites. `1, 0` says that of two processes the first prints one result. Without a repair `sound` errs as T
does; a reading is what T can also be taken to say (specification: cel-readings). Where T as printed cannot
run, `sound` runs with its code changed to that."""


def cel_defects_page(notice: str) -> str:
    """The page; every example in it is run when it is made."""
    sections = (Section(each.number, each.section, each.text, tuple(_rows(each))) for each in defects())
    return defects_page(notice, "CEL and CORE", _WORDS, sections)


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    right, wrong = (", ".join(f"{count:,}" for count in counts) or "it stops" for counts in defect.found())
    yield "query", f"`{defect.text_of_query}`"
    yield "events", f"`{defect.trace}`"
    yield defect.measure, right
    also = f" and `{defect.with_repair}`" if defect.with_repair else ""
    if defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", wrong
    elif defect.other:
        yield f"of `{defect.other}`", wrong
    elif defect.stated:
        yield "as T says, or is read", wrong
    elif defect.edits:
        yield f"with the code of T{also.replace(' and', ', without')}", wrong
        for edit in defect.edits:
            yield f"`{edit.place}`", f"`{_line(edit.after)}` in place of `{_line(edit.before)}`"
    else:
        yield f"without `{defect.repair}`{also}", wrong
        yield "the repair", DESCRIPTIONS[defect.repair]


def _line(text: str) -> str:
    return " ".join(text.split())
