"""The defects of T, each with its counterexample (`defects.toml`), and what it shows when it is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from parte.algebra.cel.queries import evaluate
from parte.algebra.cel.readings import Readings
from parte.conformance.casefiles.events import read_trace as read_short
from parte.semantics.cel.machine import Machine
from parte.semantics.cel.repairs import DESCRIPTIONS, SOUND, Repairs
from parte.semantics.cel.syntax.parser import parse
from parte.semantics.cel.syntax.tree import Query
from parte.semantics.events.event import Event
from parte.semantics.events.records import read_records

FILE = Path(__file__).with_name("defects.toml")


@dataclass(frozen=True, slots=True)
class Defect:
    """What is wrong or open in a section of T, and a query on a trace that shows it.

    It shows without a `repair` of the machine, or with another choice for a `reading` of the definition. `right` and
    `wrong` are how many results each process prints. `elsewhere` says where it is shown otherwise. With `definition`,
    what is right is what the definition says, for the machine does not take the query.
    """

    number: int
    section: str
    text: str
    query: str = ""
    trace: str = ""
    select: str = "*"
    strategy: str = "ALL"
    repair: str = ""
    with_repair: str = ""
    reading: str = ""
    choice: str = ""
    right: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    definition: bool = False
    elsewhere: str = ""

    def __post_init__(self) -> None:
        if bool(self.right) == bool(self.elsewhere):
            raise ValueError(f"defect {self.number}: either numbers of results, or where else it is shown")
        if self.right and not (self.repair in DESCRIPTIONS or self.reading):
            raise ValueError(f"defect {self.number}: a repair or a reading that shows it")

    @property
    def text_of_query(self) -> str:
        """The whole query."""
        strategy = "" if self.strategy == "ALL" else f"{self.strategy} "
        return f"SELECT {strategy}{self.select} WHERE {self.query}"

    def found(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the processes print, as it is right and as it is wrong."""
        query, events = parse(self.text_of_query), _events(self.trace)
        if self.reading:
            other = Readings(**{self.reading: self.choice})
            return (len(evaluate(query, events)),), (len(evaluate(query, events, other)),)
        off = {name.replace("-", "_"): False for name in (self.repair, self.with_repair) if name}
        wrong = _printed(query, events, len(self.right), replace(SOUND, **off))
        if self.definition:
            return (len(evaluate(query, events)),), wrong
        return _printed(query, events, len(self.right), SOUND), wrong


def _printed(query: Query, events: list[Event], processes: int, repairs: Repairs) -> tuple[int, ...]:
    """How many different results each process prints."""
    return tuple(len(set(Machine(query, repairs, processes, index).run(events))) for index in range(processes))


def _events(trace: str) -> list[Event]:
    """`A:1@5 B`: types, with v and a time where they are said."""
    words = []
    for position, word in enumerate(trace.split()):
        name, _, time = word.partition("@")
        kind, _, value = name.partition(":")
        words.append(f"{kind.lower()}{position}@{time or position}{f'(v={value})' if value else ''}")
    records = read_short([" ".join(words)], {})
    return [
        Event(each["id"], each["template"], each["timestamp"], each.get("attributes", {}), each["source"])
        for each in records
    ]


@cache
def defects() -> tuple[Defect, ...]:
    """All of them, by number."""
    return tuple(read_records(FILE, "defect", Defect))
