"""Measures of cases of CEL: the rules that fire, the constructs that an engine needs, and what an error contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from parte.conformance.firing import rules_fired
from parte.conformance.fixtures import Fixture
from parte.conformance.kit import Measures
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.conformance.engine import CelEngine
from parte.languages.cel.running import result_to_json
from parte.languages.cel.semantics.listing import RULES
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.streams import stream
from parte.languages.cel.semantics.text import parsed
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace

Json = Any


def read_input(case: Fixture) -> tuple[tree.Query, list[Event]]:
    """Return the query and the events of a case. Raise ProgramError or TraceError if it is to be rejected."""
    query = parsed(case.text).query
    return query, stream(query, read_trace(case.trace_text))


def constructs(case: Fixture) -> Iterator[str]:
    """Yield the profiles that the constructs of a case belong to, except `core`."""
    if case.shares:
        yield "shares"
        return
    query = parsed(case.text).query
    nodes = list(tree.within(query.formula))
    by_profile = {
        "projection": query.selected is not None or any(isinstance(node, tree.Projection) for node in nodes),
        "contiguous": any(isinstance(node, tree.Sequence | tree.Iteration) and node.contiguous for node in nodes),
        "windows": query.window is not None,
        "partition": bool(query.attributes),
        "streams": bool(query.streams),
        "strategies": query.strategy is not tree.Strategy.ALL,
        "consumption": query.consumption is not tree.Consumption.NONE,
        "conditions": any(isinstance(node, tree.Filtered) for node in nodes),
        "links": any(isinstance(node, tree.Link) for node in nodes),
    }
    yield from (name for name, has in by_profile.items() if has)


# --- What an error contradicts ----------------------------------------------------------------------------------------


def contradicted(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    """Return the rule whose effect an engine contradicts, and a sentence about the effect.

    A spurious result is attributed to the first clause without which it would be a result; a missing one, to the last
    of its events. None if neither gives a rule.
    """
    query, events = read_input(case)
    for result in spurious:
        for rule, effect, without in _relaxed(query):
            if result in [result_to_json(expected, events) for expected in evaluate(without, events, Readings())]:
                return rule, f"{effect} excludes {_name(result)}"
    ids = {event.id: position for position, event in enumerate(events)}
    for result in missing:
        marked = [ids[event_id] for event_id in result.get("events", ()) if event_id in ids]
        if marked:
            last = events[max(marked)].id
            return "CORE/EVAL-MARK", f"{last} is marked as the last event of {_name(result)}"
        return "CORE/EVAL-SKIP", f"{_name(result)} ends without a marked event"
    return ("CORE/EVAL-MARK", f"no run marks {_name(spurious[0])}") if spurious else None


def _name(result: Json) -> str:
    return f"[{result.get('start')}, {result.get('end')}] {', '.join(map(str, result.get('events', ())))}".rstrip()


def _relaxed(query: tree.Query) -> Iterator[tuple[str, str, tree.Query]]:
    """Yield the query without one of its clauses, with the rule and the name of that clause."""
    if query.window is not None:
        yield "CORE/Q-WITHIN", "the window", replace(query, window=None)
    if query.consumption is not tree.Consumption.NONE:
        yield "CORE/Q-CONSUME", "consumption", replace(query, consumption=tree.Consumption.NONE)
    if query.strategy is not tree.Strategy.ALL:
        name = query.strategy.value
        yield f"CORE/CEA-{name}", f"the strategy {name}", replace(query, strategy=tree.Strategy.ALL)
    if query.streams:
        yield "CORE/Q-FROM", "FROM", replace(query, streams=())
    if query.attributes:
        yield "CORE/Q-PARTITION", "PARTITION BY", replace(query, attributes=())
    plain = tree.TREE.mapped(query.formula, lambda node: node.operand if isinstance(node, tree.Filtered) else node)
    if plain != query.formula:
        linked = any(isinstance(node, tree.Link) for node in tree.within(query.formula))
        rule = "CORE/REFINE" if linked else "CORE/CEA-FILTER"
        yield rule, "a FILTER", replace(query, formula=plain)


MEASURES = Measures(rules_fired(RULES, CelEngine), constructs, contradicted)
