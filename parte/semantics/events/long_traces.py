"""Traces in files that are read twice, a few lines at a time: first to find the sources, then to feed an engine.

This module does not report errors of a trace: the trace is then read whole, and all its errors are reported.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from parte.semantics.events.event import Arrival
from parte.semantics.events.ids import HashedIds
from parte.semantics.events.promises import Pair, Promises
from parte.semantics.events.scenario import Arriving
from parte.semantics.events.trace import DEFAULT_SOURCE, bounded_lines
from parte.semantics.events.types import Declarations
from parte.semantics.events.units import Units


class Unfit(ValueError):
    """The trace must be read whole, because it has an error."""


@dataclass(frozen=True, slots=True)
class Speakers:
    """The pairs of source and template of a trace, in the order in which they first speak, and those of them that
    promise by progress lines."""

    pairs: tuple[Pair, ...]
    explicit: frozenset[Pair]

    def sources(self) -> dict[str, tuple[str, ...]]:
        """The sources of each template."""
        sources: dict[str, tuple[str, ...]] = {}
        for source, template in self.pairs:
            sources[template] = (*sources.get(template, ()), source)
        return sources


def lines_of(path: str) -> Iterator[str]:
    """The lines of a file, as `load_trace` reads them."""
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        yield from bounded_lines(file.readline)


def speakers(lines: Iterable[str]) -> Speakers:
    """Return the sources of a trace. Unfit if a line is wrong; other errors are found when the trace is read again."""
    pairs: dict[Pair, bool] = {}
    for line in lines:
        if line.isspace():
            continue
        try:
            record = json.loads(line.removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            raise Unfit from None
        if type(record) is not dict:
            raise Unfit
        source, template = record.get("source", DEFAULT_SOURCE), record.get("template")
        if type(source) is not str or type(template) is not str:
            raise Unfit
        pair = (source, template)
        pairs[pair] = pairs.get(pair, False) or "progress" in record
    return Speakers(tuple(pairs), frozenset(pair for pair, explicit in pairs.items() if explicit))


class LongTrace:
    """A trace that is read a few lines at a time, after its sources are known.

    `arriving` reads the lines, as of a trace that is read whole, and raises TraceError; `units` collects the units of
    the timestamps.
    """

    def __init__(self, program: Declarations, who: Speakers, disorder: int, units: Units) -> None:
        self._ids = HashedIds()
        self.arriving = Arriving(program, Promises(who.explicit, disorder), self._ids, units)

    def ends(self) -> Iterator[Arrival]:
        """Return the arrivals at the end of the trace. Unfit if two events may have the same id."""
        if not self._ids.distinct():
            raise Unfit
        return self.arriving.promises.ends()
