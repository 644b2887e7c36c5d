"""Short functions that run a pattern, also by L's formulas as printed."""

from __future__ import annotations

from collections.abc import Sequence

from parte.conformance.casefiles.cases import Answers
from parte.conformance.casefiles.events import read_trace as read_short
from parte.languages.lead.algebra.published.denotation import Bindings, Interval, published
from parte.languages.lead.conformance.notation import NOTATION
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence, match_to_json
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace, trace_lines

Lines = tuple[str, ...]


def read(pattern: str, trace: str) -> tuple[tree.Rule, list[Occurrence]]:
    """Return the rule of a pattern over A, B and C, and its occurrences of a trace in the notation of case files."""
    rule = parse(f"FROM A, B, C MATCH {pattern}")
    records = read_short([trace], {})
    items = [
        Event(record["id"], record["template"], record["timestamp"], record.get("attributes", {})) for record in records
    ]
    return rule, occurrences(rule, read_trace(trace_lines(items)))


def written(matches: Sequence[Match]) -> Lines:
    """Return matches in the notation of case files."""
    return tuple(NOTATION.write(Answers(tuple(match_to_json("rule", match) for match in matches))))


def as_printed(rule: tree.Rule, events: Sequence[Occurrence]) -> Lines:
    """Return lines as `2, 3, …: A=a0`: the instants at which a match holds by the printed formulas, with `…` if it
    holds at each later instant."""
    relation, interval = published(rule, events)
    ordered = sorted(relation.items(), key=lambda entry: (sorted(entry[1]), _bindings(entry[0])))
    return tuple(f"{_instants(at, interval)}: {_bindings(m)}".rstrip() for m, at in ordered)


def _bindings(m: Bindings) -> str:
    (line,) = written([Match(m, 0, 0, frozenset())])
    return line.partition(":")[2].strip()


def _instants(at: frozenset[int], interval: Interval) -> str:
    """Return the instants as text. If they last to the end of the interval, write the first two of that stretch."""
    last = interval.last
    while last in at:
        last -= 1
    if last == interval.last:
        return ", ".join(map(str, sorted(at)))
    first = sorted(instant for instant in at if instant <= last + 2)
    return ", ".join((*map(str, first), "…"))
