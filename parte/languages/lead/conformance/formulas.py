"""What L's formulas give as printed, beside what is meant (`formulas.toml`): small streams for each formula."""

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
    """A formula on a small stream: the matches that it has as `printed`, each with its instants, and as `meant`.

    `shown` is what shows a formula that no pattern can: an entry of `SHOWN`.
    """

    formula: str
    printed: Lines
    meant: Lines
    pattern: str = ""
    trace: str = ""
    shown: str = ""

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.shown):
            raise ValueError(f"{self.formula}: a pattern and a trace, or an entry of SHOWN")
        if self.shown and self.shown not in SHOWN:
            raise ValueError(f"{self.formula}: expected one of {', '.join(SHOWN)}, found {self.shown}")

    def found(self) -> tuple[Lines, Lines]:
        """What is found, as printed and as meant."""
        if self.shown:
            return SHOWN[self.shown]()
        rule, events = read(self.pattern, self.trace)
        return as_printed(rule, events), written(evaluate(rule, events))


@cache
def rows() -> tuple[Row, ...]:
    """All of them, in the order of the formulas."""
    return tuple(read_records(FILE, "row", Row))
