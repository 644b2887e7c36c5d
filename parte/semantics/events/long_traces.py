"""Traces in files that are read a few lines at a time, twice: to learn who speaks, and to tell an engine what they say.

What is wrong with such a trace is not told here: read whole, it is told with all that is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from parte.semantics.events.event import Arrival
from parte.semantics.events.ids import HashedIds
from parte.semantics.events.problems import TraceError
from parte.semantics.events.promises import Pair, Promises
from parte.semantics.events.scenario import Arriving
from parte.semantics.events.trace import DEFAULT_SOURCE, bounded_lines
from parte.semantics.events.types import Declarations
from parte.semantics.events.units import Units

_AT_ONCE: Final = 1_000
"""Lines."""


class Unfit(ValueError):
    """The trace is better read whole: something is wrong with it."""


@dataclass(frozen=True, slots=True)
class Speakers:
    """The pairs of source and template of a trace, in the order in which they first speak, and those of them that
    promise by progress lines."""

    pairs: tuple[Pair, ...]
    explicit: frozenset[Pair]

    def sources(self) -> dict[str, tuple[str, ...]]:
        """The sources of each template."""
        found: dict[str, tuple[str, ...]] = {}
        for source, template in self.pairs:
            found[template] = (*found.get(template, ()), source)
        return found


def lines_of(path: str) -> Iterator[str]:
    """The lines of a file, as `load_trace` reads them."""
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        yield from bounded_lines(file.readline)


def speakers(lines: Iterable[str]) -> Speakers:
    """Who speaks in a trace. Unfit if a line is none of a trace; more is found when it is read again."""
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


def told(
    program: Declarations, lines: Iterable[str], who: Speakers, disorder: int, units: Units | None = None
) -> Iterator[Arrival]:
    """What an engine is told of the lines and of their end, as of a trace that is read whole; `units` learns what the
    timestamps look like. Unfit if anything is wrong, which may be known in the end only."""
    ids = HashedIds()
    arriving = Arriving(program, Promises(who.explicit, disorder), ids, units or Units())
    left = iter(lines)
    try:
        while some := list(islice(left, _AT_ONCE)):
            yield from arriving.more(some)
    except TraceError:
        raise Unfit from None
    if not ids.distinct():
        raise Unfit
    yield from arriving.promises.ends()
