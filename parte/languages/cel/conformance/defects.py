"""The defects of T, each with its counterexample (`defects.toml`), and the counts of a run."""

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
    """An error or a gap in a section of T, and a query on a trace that shows it: in a run of `sound`, `measure` counts
    `right`, and not `wrong`.

    The wrong count is that of a run without a `repair` (and without `with_repair`, where it would hide the error); or
    with another `choice` for a `reading` of the definition; or of another query, `compared_with`, which T means or
    another reader reads; or of a machine with `edits`, which follows T where no model does, as such a model cannot run;
    a machine that stops counts nothing, and `wrong` is empty. Otherwise the wrong count is only `stated`. With
    `definition`, the right count is that of the definition, because the machine does not support the query.
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
    compared_with: str = ""
    edits: tuple[Edit, ...] = ()
    stated: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()
    definition: bool = False

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"defect {self.number}: measures are {', '.join(MEASURES)}, not {self.measure}")
        if [
            self.repair in SOUND.repairs,
            *map(bool, (self.reading, self.compared_with, self.edits, self.stated)),
        ].count(True) != 1:
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

    def counts(self) -> tuple[Counts, Counts]:
        """Return the right and the wrong counts."""
        return self._right(*self.read), self._wrong(*self.read)

    @property
    def other_query(self) -> Query:
        """The other query."""
        return parse(self._text(self.compared_with))

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
        if self.compared_with:
            query = self.other_query
        return MEASURES[self.measure](query, events, model, processes)


def _events(trace: str) -> list[Event]:
    """Read `A:1@5 B*2 C(id=1)`: types, each optionally with v, other attributes, a number of repetitions and a time."""
    words = [f"{word.partition('*')[0]}" for word in trace.split() for _ in range(int(word.partition("*")[2] or 1))]
    records = read_short([" ".join(_short(words))], {})
    return [
        Event(record["id"], record["template"], record["timestamp"], record.get("attributes", {}), record["source"])
        for record in records
    ]


_WORD = re.compile(r"(?P<type>\w+)(:(?P<v>\w+))?(?P<attributes>\(.*\))?(@(?P<time>\d+))?")


def _short(words: list[str]) -> Iterator[str]:
    """Yield words of the short notation of traces."""
    for position, word in enumerate(words):
        read = _WORD.fullmatch(word)
        assert read is not None, word
        attributes = f"(v={read['v']})" if read["v"] else read["attributes"] or ""
        yield f"{read['type'].lower()}{position}@{read['time'] or position}{attributes}"


@cache
def defects() -> tuple[Defect, ...]:
    """Return all defects, by number."""
    return tuple(read_records(FILE, "defect", Defect))
