"""The defects of L, each with its smallest counterexample (`defects.toml`), and what it shows when it is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from parte.algebra.lead.readings import CHOICES, Readings
from parte.algebra.lead.rules import evaluate
from parte.conformance.casefiles.events import read_trace as read_short
from parte.conformance.lead.notation import write_answers
from parte.semantics.events.event import Event
from parte.semantics.events.records import read_records
from parte.semantics.events.trace import read_trace, trace_lines
from parte.semantics.lead.machine import Machine
from parte.semantics.lead.repairs import DESCRIPTIONS, SOUND
from parte.semantics.lead.syntax.matches import Match, match_to_json
from parte.semantics.lead.syntax.parser import parse
from parte.semantics.lead.syntax.streams import occurrences

FILE = Path(__file__).with_name("defects.toml")


@dataclass(frozen=True, slots=True)
class Defect:
    """What is wrong or open in a part of L, and a pattern on a trace that shows it: the definition finds `right`.

    What is wrong is what `sound` finds without a `repair`, or what the definition finds with another `choice` for a
    `reading`, or it is `stated`: what the formula or the net says as printed, which no model runs. What no trace can
    show says `elsewhere` where it is shown.
    """

    number: int
    section: str
    text: str
    pattern: str = ""
    trace: str = ""
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    repair: str = ""
    reading: str = ""
    choice: str = ""
    stated: str = ""
    elsewhere: str = ""

    def __post_init__(self) -> None:
        shown = [bool(each) for each in (self.repair, self.reading, self.stated, self.elsewhere)]
        if shown.count(True) != 1:
            raise ValueError(f"defect {self.number}: either a repair, a reading, what is stated, or where it is shown")
        if self.repair and self.repair not in DESCRIPTIONS:
            raise ValueError(f"defect {self.number}: no repair is called {self.repair}")
        if self.reading and self.choice not in CHOICES.get(self.reading, ()):
            raise ValueError(f"defect {self.number}: no such reading")
        if bool(self.pattern) == bool(self.elsewhere):
            raise ValueError(f"defect {self.number}: a pattern and a trace, unless it is shown elsewhere")

    def found(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is found, as it is right and as it is wrong; what is only stated is found nowhere."""
        rule = parse(f"FROM A, B, C MATCH {self.pattern}")
        records = read_short([self.trace], {})
        items = [Event(each["id"], each["template"], each["timestamp"], each.get("attributes", {})) for each in records]
        events = occurrences(rule, read_trace(trace_lines(items)))
        right = _written(evaluate(rule, events))
        if self.repair:
            off = {self.repair.replace("-", "_"): False}
            return right, _written(Machine(rule, replace(SOUND, **off)).run(events))
        if self.reading:
            return right, _written(evaluate(rule, events, Readings(**{self.reading: self.choice})))
        return right, ()


def _written(matches: list[Match]) -> tuple[str, ...]:
    """Matches in the notation of case files."""
    return tuple(write_answers((tuple(match_to_json("rule", match) for match in matches), ())))


@cache
def defects() -> tuple[Defect, ...]:
    """All of them, by number."""
    return tuple(read_records(FILE, "defect", Defect))
