"""What stands on the page of the defects of ETALIS."""

from __future__ import annotations

from parte.languages.etalis.conformance.defects import defects

NAME = "etalis"


def headings() -> list[str]:
    """Return the heading of each defect."""
    return [f"## {defect.number}. {defect.where}" for defect in defects()]
