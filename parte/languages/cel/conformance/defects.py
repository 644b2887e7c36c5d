"""The defects of T, each with its counterexample (`defects.toml`), and what it shows when it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.casefiles.events import read_trace as read_short
from parte.conformance.mutants import Edit, edited
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.conformance.counting import MEASURES, Counts, results
from parte.languages.cel.conformance.mutants import MODULES
from parte.languages.cel.semantics.repairs import SOUND
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.tree import Query
from parte.semantics.events.event import Event
from parte.semantics.events.records import read_records

FILE = Path(__file__).with_name("defects.toml")


@dataclass(frozen=True, slots=True)
class Defect:
    """What is wrong or open in a section of T, and a query on a trace that shows it: what `measure` counts in a run of
    `sound` is `right`, and not `wrong`.

    What is wrong is counted without a `repair` (and without `with_repair`, where it would hide it); or with another
    `choice` for a `reading` of the definition; or of another query, `other`, which T means or another reader reads; or
    of a machine with `edits`, which does what T says where no model does, as it cannot run so; what stops counts
    nothing, and `wrong` is empty. Otherwise it is only `stated`. With `definition`, what is right is what the
    definition says, for the machine does not take the query.
    """

    number: int
    section: str
    text: str
    query: str
    trace: str
    right: tuple[int, ...]
    select: str = "*"
    strategy: str = "ALL"
    measure: str = "results"
    repair: str = ""
    with_repair: str = ""
    reading: str = ""
    choice: str = ""
    other: str = ""
    edits: tuple[Edit, ...] = ()
    stated: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    definition: bool = False

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"defect {self.number}: measures are {', '.join(MEASURES)}, not {self.measure}")
        if [self.repair in SOUND.repairs, *map(bool, (self.reading, self.other, self.edits, self.stated))].count(
            True
        ) != 1:
            raise ValueError(
                f"defect {self.number}: either a repair, a reading, another query, edits or what is stated"
            )
        if self.stated and self.wrong:
            raise ValueError(f"defect {self.number}: what is stated is wrong, and not counted")

    @property
    def text_of_query(self) -> str:
        """The whole query."""
        return self._text(self.query)

    def _text(self, where: str) -> str:
        strategy = "" if self.strategy == "ALL" else f"{self.strategy} "
        return f"SELECT {strategy}{self.select} WHERE {where}"

    @property
    def read(self) -> tuple[Query, list[Event]]:
        """The query, and the events of the trace."""
        return parse(self.text_of_query), _events(self.trace)

    def found(self) -> tuple[Counts, Counts]:
        """What is counted, as it is right and as it is wrong."""
        return self._right(*self.read), self._wrong(*self.read)

    @property
    def other_query(self) -> Query:
        """The other query."""
        return parse(self._text(self.other))

    def _right(self, query: Query, events: list[Event]) -> Counts:
        if self.definition or self.reading:
            return (len(evaluate(query, events)),)
        return MEASURES[self.measure](query, events, SOUND, len(self.right))

    def _wrong(self, query: Query, events: list[Event]) -> Counts:
        if self.reading:
            return (len(evaluate(query, events, Readings(**{self.reading: self.choice}))),)
        if self.stated:
            return self.stated
        model = SOUND.without(*filter(None, (self.repair, self.with_repair)))
        processes = len(self.right)
        if self.edits:
            make = edited(MODULES, self.edits).module("parte.languages.cel.semantics.machine").Machine
            return results(query, events, model, processes, make)
        if self.other:
            query = self.other_query
        return MEASURES[self.measure](query, events, model, processes)


def _events(trace: str) -> list[Event]:
    """`A:1@5 B*2 C(id=1)`: types, with v, other attributes, a number and a time where they are said."""
    words = [f"{word.partition('*')[0]}" for word in trace.split() for _ in range(int(word.partition("*")[2] or 1))]
    records = read_short([" ".join(_short(words))], {})
    return [
        Event(each["id"], each["template"], each["timestamp"], each.get("attributes", {}), each["source"])
        for each in records
    ]


_WORD = re.compile(r"(?P<type>\w+)(:(?P<v>\w+))?(?P<attributes>\(.*\))?(@(?P<time>\d+))?")


def _short(words: list[str]) -> Iterator[str]:
    """Words of the short notation of traces."""
    for position, word in enumerate(words):
        read = _WORD.fullmatch(word)
        assert read is not None, word
        attributes = f"(v={read['v']})" if read["v"] else read["attributes"] or ""
        yield f"{read['type'].lower()}{position}@{read['time'] or position}{attributes}"


@cache
def defects() -> tuple[Defect, ...]:
    """All of them, by number."""
    return tuple(read_records(FILE, "defect", Defect))
