"""Promises of a trace that is still arriving.

Its sources, and those that promise by progress lines, are not known before their first item (specification:
promise-explicit, promise-implicit).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event, TraceItem
from parte.semantics.events.problems import Problem
from parte.semantics.events.promises import Promises
from parte.semantics.events.strictjson import quoted

INPUT: Final = "input"
"""The only source of an engine's input: the engine cannot know the other sources beforehand."""


@dataclass(slots=True)
class OpenPromises(Promises):
    """The promise for each template: the least promise of all its sources so far.

    A source that begins later must keep the promises of those before it. A pair of source and template promises by its
    progress lines from the first of them on. A trace that keeps these promises also keeps its promises when it is read
    as a whole. No events of templates in `emitted` come from outside.
    """

    emitted: Collection[str] = ()
    _bounds: dict[str, dict[str, int]] = field(default_factory=dict)
    _promised: dict[str, int] = field(default_factory=dict)

    def arrival(self, item: TraceItem) -> Arrival:
        """Return the arrival for the next item, as if there were one source."""
        template = item.template
        if template in self.emitted:
            self._refuse(
                item,
                f"rules of the program emit events of {template}; a trace that comes line by line has none of its own",
                "give the trace as a file",
            )
        bounds = self._bounds.setdefault(template, {})
        promised = self._promised.get(template, NEGATIVE_INFINITY)
        own = bounds.get(item.source, NEGATIVE_INFINITY)  # below the promise of the others if the source was later
        if isinstance(item, Event) and own <= item.timestamp < promised:
            below = promised - item.timestamp
            self._refuse(
                item,
                f"event {quoted(item.id)} of {template}, from source {quoted(item.source)}, has the "
                f"timestamp {item.timestamp}, {below} ms below what other sources have promised before",
                "give the trace as a file, whose sources are all known, begin with a progress line of each source, "
                "or allow for the delay with --disorder",
            )
        arrival = super(OpenPromises, self).arrival(item)
        bounds[item.source] = arrival.bound
        promised = self._promised[template] = max(promised, min(bounds.values()))
        return Arrival(INPUT, template, promised, arrival.event)

    def _refuse(self, item: TraceItem, message: str, hint: str) -> None:
        self.problems.append(Problem(self.filename, item.line, message, hint))


def inputs(templates: Collection[str], emitted: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the sources of each template for which an engine is set up."""
    return {template: (INPUT,) for template in templates if template not in emitted}


def ends(templates: Collection[str]) -> Iterator[Arrival]:
    """Return the arrivals at the end of the input."""
    for template in templates:
        yield Arrival(INPUT, template, POSITIVE_INFINITY, None)
