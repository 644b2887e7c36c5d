"""The page of the defects of T (`docs/cel-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from parte.conformance.cel.defects import Defect, defects
from parte.semantics.cel.repairs import DESCRIPTIONS


def cel_defects_page(notice: str) -> str:
    """The page; every example in it is run when it is made."""
    return "\n".join(_lines(notice)) + "\n"


def _lines(notice: str) -> Iterator[str]:
    yield from (notice, "", "# What is wrong or open in the source of CEL and CORE", "")
    yield "T is A. Abella, *Distributed Complex Event Recognition* (2022); the numbers are those that the specification"
    yield "cites. `1, 0` says that of two processes the first prints one result. Without a repair `sound` errs as T"
    yield "does; a reading is what T can also be taken to say (specification: cel-readings). Where T as printed cannot"
    yield "run, `sound` runs with its code changed to that."
    for defect in defects():
        yield from ("", f"## {defect.number}. {defect.section}", "", f"{defect.text[0].upper()}{defect.text[1:]}.")
        yield from _example(defect)


def _example(defect: Defect) -> Iterator[str]:
    right, wrong = (", ".join(f"{count:,}" for count in counts) or "it stops" for counts in defect.found())
    yield from ("", "| | |", "|---|---|")
    yield f"| query | `{defect.text_of_query}` |"
    yield f"| events | `{defect.trace}` |"
    yield f"| {defect.measure} | {right} |"
    also = f" and `{defect.with_repair}`" if defect.with_repair else ""
    if defect.reading:
        yield f"| read with `{defect.reading}` {defect.choice} | {wrong} |"
    elif defect.other:
        yield f"| of `{defect.other}` | {wrong} |"
    elif defect.stated:
        yield f"| as T says, or is read | {wrong} |"
    elif defect.edits:
        yield f"| with the code of T{also.replace(' and', ', without')} | {wrong} |"
        for edit in defect.edits:
            yield f"| `{edit.place}` | `{_line(edit.after)}` in place of `{_line(edit.before)}` |"
    else:
        yield f"| without `{defect.repair}`{also} | {wrong} |"
        yield f"| the repair | {DESCRIPTIONS[defect.repair]} |"


def _line(text: str) -> str:
    return " ".join(text.split())
