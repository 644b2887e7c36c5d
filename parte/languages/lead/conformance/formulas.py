"""The results of L's formulas as printed, beside those that are meant (`formulas.toml`), on small streams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.printed import Lines, as_printed, read, written
from parte.languages.lead.conformance.shown import SHOWN
from parte.semantics.events.records import read_records

FILE = Path(__file__).with_name("formulas.toml")


@dataclass(frozen=True, slots=True)
class Row:
    """A formula on a small stream: its matches as `printed`, each with its instants, and as `meant`.

    `demonstration` names an entry of `SHOWN`, for a formula that no pattern can show.
    """

    formula: str
    printed: Lines
    meant: Lines
    pattern: str = ""
    trace: str = ""
    demonstration: str = ""

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.demonstration):
            raise ValueError(f"{self.formula}: a pattern and a trace, or an entry of SHOWN")
        if self.demonstration and self.demonstration not in SHOWN:
            raise ValueError(f"{self.formula}: expected one of {', '.join(SHOWN)}, found {self.demonstration}")

    def results(self) -> tuple[Lines, Lines]:
        """Return the results, as printed and as meant."""
        if self.demonstration:
            return SHOWN[self.demonstration]()
        rule, events = read(self.pattern, self.trace)
        return as_printed(rule, events), written(evaluate(rule, events))


@cache
def rows() -> tuple[Row, ...]:
    """Return all rows, in the order of the formulas."""
    return tuple(read_records(FILE, "row", Row))
