"""Short ways to run a pattern on a trace."""

from __future__ import annotations

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.repairs import SOUND
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence, match_to_json
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.readings import Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event, Value
from parte.semantics.rulebook.models import Model


def rule_of(pattern: str) -> tree.Rule:
    """A rule over the streams A, B and C."""
    return parse(f"FROM A, B, C MATCH {pattern}")


def events_of(trace: str) -> list[Event]:
    """`a0@0 b1@2=5`: an id whose first letter is the stream, a time, and an attribute v."""
    events = []
    for word in trace.split():
        name, _, rest = word.partition("@")
        time, _, value = rest.partition("=")
        attributes: dict[str, Value] = {"v": int(value)} if value else {}
        events.append(Event(name, name[0].upper(), int(time), attributes))
    return events


def occurring(rule: tree.Rule, trace: str) -> list[Occurrence]:
    """What a rule sees of a trace."""
    return occurrences(rule, events_of(trace))


def defined(pattern: str, trace: str, readings: Readings | None = None) -> list[Match]:
    """What a pattern means."""
    rule = rule_of(pattern)
    return evaluate(rule, occurring(rule, trace), readings or Readings())


def run(pattern: str, trace: str, model: Model = SOUND) -> list[Match]:
    """What the net of a pattern finds."""
    rule = rule_of(pattern)
    return Machine(rule, model).run(occurring(rule, trace))


def ids(matches: list[Match]) -> list[str]:
    """Matches as `end: id id …`."""
    return [f"{match.end}: {' '.join(_ids(match))}".rstrip() for match in matches]


def _ids(match: Match) -> list[str]:
    labels: list[str] = []
    for _, bound in match.bindings:
        if isinstance(bound, Occurrence):
            labels.append(bound.event.id)
        else:
            labels.append(f"[{', '.join(' '.join(_ids(item)) for item in bound)}]")
    return labels


def written(matches: list[Match]) -> list[str]:
    """Matches with all that is in them."""
    return [repr(match_to_json("rule", match)) for match in matches]
