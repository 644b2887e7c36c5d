"""The result of an exploration, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from parte.proofs.partelang.exploration.retrace import Retraced
from parte.proofs.partelang.exploration.states import Occupancy
from parte.semantics.events.differences import differences
from parte.semantics.events.match import Match
from parte.semantics.partelang.capacities import Capacities

_SHOWN = 3
"""Number of results whose steps are printed; the number of all results is always printed."""


@dataclass(frozen=True, slots=True)
class Held:
    """The largest occupancy of a node over all schedules, for each part separately."""

    node: str
    occupancy: Occupancy


@dataclass(frozen=True, slots=True)
class Exploration:
    """All schedules of a model on a trace.

    `outcomes` are one shortest path for each different result (matches and emissions without a value), the shortest
    first; `blocked` is a shortest path to a blocked state, None if there is none. `expected` are the algebra's matches;
    they are not computed if no schedule was followed to its end, because there is nothing to compare with them.
    `states` were visited for these and for the occupancy of histories, `box_states` by further searches for that of
    inboxes and outboxes (0 if there were none); the latter are lower bounds unless `boxes_exact`. A truncated search
    stopped at `max_states`, or earlier: other results may exist, and all its occupancies are lower bounds. `drawn`
    schedules were then drawn at random; their results count like those of the search.
    """

    model: str
    states: int
    finals: int
    max_states: int | None
    truncated: bool
    drawn: int
    interrupted: bool
    box_states: int
    boxes_exact: bool
    outcomes: tuple[Retraced, ...]
    blocked: Retraced | None
    expected: tuple[Match, ...]
    held: tuple[Held, ...]
    capacities: Capacities

    @property
    def confluent(self) -> bool:
        """True if all final states that were reached have the same result."""
        return len(self.outcomes) <= 1

    @property
    def agrees(self) -> bool:
        """True if every result that was reached is that of the algebra."""
        return all(result.outcome.matches == self.expected for result in self.outcomes)

    @property
    def correct(self) -> bool:
        """True if all states were visited, and every schedule gives the algebra's matches and never blocks."""
        return not self.truncated and self.confluent and self.agrees and self.blocked is None

    def occupancy(self, node: str) -> Occupancy:
        """Return the largest occupancy of the node of that name; raise KeyError if there is none."""
        return {held.node: held.occupancy for held in self.held}[node]

    def difference(self, retraced: Retraced) -> tuple[tuple[Match, ...], tuple[Match, ...]]:
        """Return the algebra's matches that a result lacks, and its own that are not the algebra's."""
        return differences(self.expected, retraced.outcome.matches, Match.to_json)

    # --- For people -------------------------------------------------------------------------------------------------

    def render(self) -> str:
        """Return the report as text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        visited, finals = _count(self.states, "state"), _count(self.finals, "final state")
        if self.truncated:
            known = "" if self._wrong else "; what every schedule finds is not known"
            yield f"{self.model}: NOT ALL VISITED: the search stopped {self._stop}{known}"
            yield f"visited: {visited}, {finals}; drawn besides: {_count(self.drawn, 'schedule')}"
        else:
            yield f"{self.model}: {visited}, all visited; {finals}"
        yield from self._results()
        if self.blocked is None:
            yield f"blocked: {'not known; never so far' if self.truncated else 'never'}"
        else:
            yield f"blocked: yes, after {len(self.blocked.steps)} steps"
            yield from _numbered(self.blocked.steps)
            if (blocked := self.blocked.outcome.blocked) is not None:
                yield from (f"  {line}" for line in blocked.render().splitlines())
        yield from self._occupancies()

    @property
    def _wrong(self) -> bool:
        """True if a wrong result is known, whatever remains to be searched."""
        return not self.confluent or not self.agrees or self.blocked is not None

    @property
    def _stop(self) -> str:
        if self.interrupted:
            return "by an interruption"
        return f"at the limit of {self.max_states} states" if self.states == self.max_states else "before the end"

    def _results(self) -> Iterator[str]:
        truth = f"{_count(len(self.expected), 'match', 'matches')} of the algebra"
        if not self.outcomes:
            yield "confluent: not known; no schedule was followed to its end"
        elif self.confluent and self.agrees:
            some = f"not known; {self._ended}"
            yield f"confluent: {some if self.truncated else 'yes; every schedule'} finds the {truth}"
        elif self.confluent:
            some = f"not known; {self._ended} has one result, which"
            yield f"confluent: {some if self.truncated else 'yes, but the result'} is not the {truth}"
        else:
            yield f"confluent: no, there are {len(self.outcomes)} results"
        if self.confluent and self.agrees:
            return
        for number, retraced in enumerate(self.outcomes[:_SHOWN], 1):
            missing, spurious = self.difference(retraced)
            count = _count(len(retraced.outcome.matches), "match", "matches")
            verdict = "" if missing or spurious else ", those of the algebra"
            blocked = ", then blocked" if retraced.outcome.blocked is not None else ""
            yield f"result {number}: {count}{verdict}, after {len(retraced.steps)} steps{blocked}"
            for heading, matches in (("missing", missing), ("spurious", spurious)):
                yield from (f"  {heading}: {match.to_json()}" for match in matches)
            if self.blocked is None or retraced.path != self.blocked.path:
                yield from _numbered(retraced.steps)
        if len(self.outcomes) > _SHOWN:
            yield f"and {len(self.outcomes) - _SHOWN} more results"

    @property
    def _ended(self) -> str:
        """Return the number of schedules that were followed to their end, if these are not all."""
        drawn = f"every one of the {_count(self.drawn, 'drawn schedule')}"
        return (
            f"{drawn} and of those to a final state"
            if self.finals and self.drawn
            else (drawn if self.drawn else "every schedule to a final state")
        )

    def _occupancies(self) -> Iterator[str]:
        yield "largest occupancy (of the capacity):"
        columns = ("left", "right", "inbox", "outbox")
        rows: list[tuple[str, ...]] = [("", *columns)]
        for held in self.held:
            limits = self.capacities.of(held.node)
            cells = []
            for column in columns:
                size, limit = getattr(held.occupancy, column), getattr(limits, column)
                if not held.node.startswith(("join:", "not:")) and column in ("left", "right"):
                    cells.append("")
                else:
                    least = "≥" if self._is_lower_bound(column) else ""
                    cells.append(f"{least}{size}" if limit is None else f"{least}{size} of {limit}")
            rows.append((held.node, *cells))
        widths = [max(len(row[place]) for row in rows) for place in range(len(columns) + 1)]
        for row in rows:
            name, *cells = row
            aligned = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
            yield f"  {name.ljust(widths[0])}  {'  '.join(aligned)}"
        if not self.boxes_exact and not self.truncated:
            yield "  ≥: no search for these visited all the states that it would need"

    def _is_lower_bound(self, column: str) -> bool:
        return self.truncated or (column in ("inbox", "outbox") and not self.boxes_exact)

    # --- For programs -----------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return one line of JSON with everything that `render` prints."""
        return json.dumps(self.record(), ensure_ascii=False, allow_nan=False)

    def record(self) -> Mapping[str, object]:
        """Return the content of `to_json`."""
        return {
            "model": self.model,
            "states": self.states,
            "final_states": self.finals,
            "max_states": self.max_states,
            "truncated": self.truncated,
            "drawn": self.drawn,
            "interrupted": self.interrupted,
            "box_states": self.box_states,
            "boxes_exact": self.boxes_exact,
            "confluent": self.confluent,
            "agrees": self.agrees,
            "expected": [json.loads(match.to_json()) for match in self.expected] if self.outcomes else None,
            "results": [self._result(retraced) for retraced in self.outcomes],
            "blocked": None if self.blocked is None else self._result(self.blocked),
            "occupancy": {held.node: held.occupancy._asdict() for held in self.held},
        }

    def _result(self, retraced: Retraced) -> Mapping[str, object]:
        outcome = retraced.outcome
        missing, spurious = self.difference(retraced)
        return {
            "matches": [json.loads(match.to_json()) for match in outcome.matches],
            "missing": [json.loads(match.to_json()) for match in missing],
            "spurious": [json.loads(match.to_json()) for match in spurious],
            "steps": list(retraced.steps),
            "blocked": None if outcome.blocked is None else outcome.blocked.render().splitlines(),
        }


def _numbered(steps: Sequence[str]) -> Iterator[str]:
    width = len(str(len(steps)))
    yield from (f"  {number:>{width}}. {step}" for number, step in enumerate(steps, 1))


def _count(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
