"""The page of the defects of E (`docs/etalis-defects.md`)."""

from __future__ import annotations

from collections.abc import Iterator

from parte.conformance.etalis.defects import Defect, defects
from parte.semantics.etalis.published.repairs import DESCRIPTIONS


def etalis_defects_page(notice: str) -> str:
    """The page; every example in it is run when it is made."""
    return "\n".join(_lines(notice)) + "\n"


def _lines(notice: str) -> Iterator[str]:
    yield from (notice, "", "# What is wrong or open in the source of ETALIS", "")
    yield "E is Anicic, Fodor, Stühmer, Rudolph, Stojanovic, *ETALIS: A Rule-based System for Complex Event Processing*"
    yield "(EDBT 2010); the numbers are those that the specification cites. `–` is no event. Machine and definition"
    yield "derive what is right. E's clauses are run as the Prolog that they are, with all repairs but the one that is"
    yield "named; a reading is what E can also be taken to say (specification: etalis-readings)."
    for defect in defects():
        yield from ("", f"## {defect.number}. {defect.where}", "", f"{defect.text[0].upper()}{defect.text[1:]}.")
        yield from _example(defect)


def _example(defect: Defect) -> Iterator[str]:
    yield from ("", "| | |", "|---|---|")
    yield f"| rules | `{defect.rules}` |"
    yield f"| stream | `{defect.stream}` |"
    yield f"| {_under(defect.policy)} | `{defect.sound()}` |"
    if defect.repair:
        yield f"| without `{defect.repair}` | `{defect.shown()}` |"
        yield f"| the repair | {DESCRIPTIONS[defect.repair]} |"
    elif defect.printed_policy:
        yield f"| E's clauses under `{defect.printed_policy}` | `{defect.shown()}` |"
    elif defect.reading:
        yield f"| read with `{defect.reading}` {defect.choice} | `{defect.shown()}` |"
    elif defect.other:
        yield f"| of `{defect.other}` | `{defect.shown()}` |"
    else:
        yield f"| as E says | {defect.stated} |"


def _under(policy: str) -> str:
    return "right" if policy == "unrestricted" else f"right, under `{policy}`"
