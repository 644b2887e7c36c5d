"""The page of the defects of L (`docs/lead-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from docs.defect_pages import Section, defects_page
from parte.languages.lead.conformance.defects import Defect, defects
from parte.languages.lead.conformance.formulas import rows
from parte.languages.lead.semantics.repairs import Repairs

_PRINTED = """\
Each of L's formulas on small streams, as printed and as meant (specification: lead-printed). A formula that is
read more than once has a row for each. The formulas for policies are put on top of the printed ones below them."""


def sections() -> Iterator[Section]:
    """Yield the defects, each with its example, which is run."""
    yield from (
        Section(
            defect.number,
            defect.section,
            defect.text,
            () if defect.elsewhere else tuple(_rows(defect)),
            defect.elsewhere,
        )
        for defect in defects()
    )


def defects_of_source() -> str:
    """Return the page; it runs every example."""
    return "\n".join((defects_page(sections()), *_printed())) + "\n"


def _printed() -> Iterator[str]:
    """Return the table of printed and intended matches, formula by formula."""
    yield from ("## Printed against meant", "", _PRINTED, "")
    yield from ("| formula | pattern | events | as printed | as meant |", "|---|---|---|---|---|")
    for row in rows():
        printed, meant = row.results()
        cells = (f"`{row.pattern}`", f"`{row.trace}`") if row.pattern else ("", "")
        yield f"| {row.formula} | {' | '.join(cells)} | {_matches(printed)} | {_matches(meant)} |"


def _rows(defect: Defect) -> Iterator[tuple[str, str]]:
    right, wrong = defect.results()
    if defect.pattern:
        yield "pattern", f"`{defect.pattern}`"
        yield "events", f"`{defect.trace}`"
    yield "matches" if defect.pattern else "as meant", _matches(right)
    if defect.reading:
        yield f"read with `{defect.reading}` {defect.choice}", _matches(wrong)
    elif defect.other_pattern:
        yield f"of `{defect.other_pattern}`", _matches(wrong)
    elif defect.printed or defect.demonstration:
        yield "as L prints it", _matches(wrong)
    else:
        yield f"without `{defect.repair}`", _matches(wrong)
        yield "the repair", str(Repairs.declared()[defect.repair])


def _matches(matches: tuple[str, ...]) -> str:
    return ", ".join(f"`{match}`" for match in matches) or "none"
