"""The defects of L, each with its smallest counterexample and its results (`defects.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.printed import Lines, as_printed, read, written
from parte.languages.lead.conformance.shown import SHOWN
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.repairs import SOUND
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.readings import CHOICES, Readings
from parte.languages.lead.semantics.syntax.tree import Rule
from parte.semantics.events.records import read_records

FILE = Path(__file__).with_name("defects.toml")


@dataclass(frozen=True, slots=True)
class Defect:
    """A wrong or open part of L, and a pattern on a trace that shows it: the definition finds `right`.

    The wrong result is that of `sound` without a `repair`, or that of the definition with another `choice` for a
    `reading`, or of an `other_pattern`, or that of L's formulas as `printed`. If no pattern shows the defect,
    `demonstration` names another calculation, or `elsewhere` names the place that does.
    """

    number: int
    section: str
    text: str
    pattern: str = ""
    trace: str = ""
    right: Lines = ()
    wrong: Lines = ()
    repair: str = ""
    reading: str = ""
    choice: str = ""
    other_pattern: str = ""
    printed: bool = False
    demonstration: str = ""
    elsewhere: str = ""

    def __post_init__(self) -> None:
        ways = (self.repair, self.reading, self.other_pattern, self.printed, self.demonstration, self.elsewhere)
        if [bool(way) for way in ways].count(True) != 1:
            raise ValueError(
                f"defect {self.number}: one of repair, reading, other_pattern, printed, demonstration, elsewhere"
            )
        if self.repair and self.repair not in SOUND.repairs:
            raise ValueError(f"defect {self.number}: no repair is called {self.repair}")
        if self.reading and self.choice not in CHOICES.get(self.reading, ()):
            raise ValueError(f"defect {self.number}: no such reading")
        if self.demonstration and self.demonstration not in SHOWN:
            raise ValueError(f"defect {self.number}: expected one of {', '.join(SHOWN)}, found {self.demonstration}")
        if bool(self.pattern) == bool(self.demonstration or self.elsewhere):
            raise ValueError(f"defect {self.number}: a pattern and a trace, unless it is shown otherwise")

    def results(self) -> tuple[Lines, Lines]:
        """Return the right and the wrong result."""
        if self.demonstration:
            wrong, right = SHOWN[self.demonstration]()
            return right, wrong
        rule, events = read(self.pattern, self.trace)
        return written(evaluate(rule, events)), self._wrong(rule, events)

    def _wrong(self, rule: Rule, events: list[Occurrence]) -> Lines:
        if self.repair:
            return written(Machine(rule, SOUND.without(self.repair)).run(events))
        if self.reading:
            return written(evaluate(rule, events, Readings(**{self.reading: self.choice})))
        if self.other_pattern:
            return written(evaluate(*read(self.other_pattern, self.trace)))
        return as_printed(rule, events)


@cache
def defects() -> tuple[Defect, ...]:
    """Return all defects, by number."""
    return tuple(read_records(FILE, "defect", Defect))
