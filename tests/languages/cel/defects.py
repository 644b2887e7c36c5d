"""What stands on the page of the defects of CEL."""

from __future__ import annotations

from parte.languages.cel.conformance.defects import defects

NAME = "cel"


def headings() -> list[str]:
    """Return the heading of each defect."""
    return [f"## {defect.number}. {defect.section}" for defect in defects()]
