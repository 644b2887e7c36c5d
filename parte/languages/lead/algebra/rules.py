"""The meaning of a rule on a trace: its matches, and the events that it emits for them (specification: lead-check,
lead-emit)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from parte.languages.lead.algebra.effort import Effort
from parte.languages.lead.algebra.expressions import Environment, holds
from parte.languages.lead.algebra.formulas import Context, Denotation, emission
from parte.languages.lead.algebra.partitioning import runs
from parte.languages.lead.algebra.policies import with_policies
from parte.languages.lead.algebra.unions import precedes
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Emitted, Keys, Match, Occurrence
from parte.languages.lead.semantics.syntax.names import named
from parte.languages.lead.semantics.syntax.readings import Readings
from parte.semantics.events.event import Value

DEFAULT = Readings()
Types = Mapping[str, Sequence[tree.Attribute]]


def evaluate(
    rule: tree.Rule, events: Sequence[Occurrence], readings: Readings = DEFAULT, effort: Effort | None = None
) -> list[Match]:
    """Return the matches of a rule, by end, with the events that they emit and their partition. Raise
    TooManyMatches."""
    effort = effort or Effort()
    pattern = with_policies(named(rule.pattern), readings.default)
    types: dict[str, list[tree.Attribute]] = {}
    for declared in rule.types:
        types.setdefault(declared.name, []).extend(declared.attributes)
    matches: dict[tuple[object, ...], Match] = {}
    for values, run in runs(rule, events):
        keys = {key.attribute: value for key, value in zip(rule.keys, values, strict=True) if key.length is None}
        for match in Denotation(rule, run, types, readings, effort).denote(pattern, run[0].time, Context()):
            names = Environment(dict(match.bindings), None, keys)
            emits = (*match.emits, *_emitted(rule.outcome, names, match.end, types))
            whole = replace(match, emits=emits, partition=values)
            matches.setdefault((whole, repr(emits), repr(values)), whole)
    return sorted(matches.values(), key=lambda entry: (precedes(entry), _ranked(entry.partition), repr(entry.emits)))


def _ranked(keys: Keys) -> list[tuple[int, Value]]:
    """Return the order of partitions: numbers come before strings, strings before Booleans."""
    return [(2 if isinstance(value, bool) else 1 if isinstance(value, str) else 0, value) for value in keys]


def _emitted(outcome: Sequence[tree.Outcome], names: Environment, end: int, types: Types) -> Iterator[Emitted]:
    for part in outcome:
        if isinstance(part, tree.Emission):
            yield emission(part, names, end, types)
            continue
        held = [clause for clause in part.clauses if holds(clause.condition, names)]
        for clause in held[:1] if part.first else held:
            yield from _emitted(clause.outcome, names, end, types)
