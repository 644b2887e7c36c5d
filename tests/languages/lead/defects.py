"""What stands on the page of the defects of LEAD."""

from __future__ import annotations

from parte.languages.lead.conformance.defects import defects

NAME = "lead"


def headings() -> list[str]:
    """Return the heading of each defect."""
    return [f"## {defect.number}. {defect.section}" for defect in defects()]
