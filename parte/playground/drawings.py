"""Traces in time and networks of languages other than PARTElang."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parte.playground.exchange import Answer, Request, Task
from parte.semantics.events.trace import Trace, read_trace


def _trace(asked: Request) -> Trace:
    return read_trace(asked.trace, filename="trace")


def _cel_timeline(asked: Request) -> Answer:
    from parte import cel
    from parte.drawing.timeline import draw_results

    query = cel.parse(asked.program)
    events = cel.stream(query, _trace(asked))
    return Answer(True, drawing=draw_results(events, list(cel.run(query, events))).svg)


def _cel_network(asked: Request) -> Answer:
    from parte import cel
    from parte.languages.cel.drawing.automaton import draw_automaton_svg

    return Answer(True, drawing=draw_automaton_svg(cel.Machine(cel.parse(asked.program)).automaton))


def _etalis_timeline(asked: Request) -> Answer:
    from parte import etalis
    from parte.languages.etalis.drawing.intervals import draw_intervals

    program = etalis.parse(asked.program)
    instants = etalis.stream(program, asked.trace.split("\n"))
    return Answer(True, drawing=draw_intervals(instants, list(etalis.run(program, instants))).svg)


def _etalis_network(asked: Request) -> Answer:
    from parte import etalis
    from parte.languages.etalis.drawing.rule_network import draw_rule_network_svg

    return Answer(True, drawing=draw_rule_network_svg(etalis.parse(asked.program)))


def _lead_timeline(asked: Request) -> Answer:
    from parte import lead
    from parte.drawing.timeline import draw_lead_matches

    rule, items = lead.parse(asked.program), _trace(asked)
    return Answer(True, drawing=draw_lead_matches(items, lead.run(rule, items, disorder=asked.lag)).svg)


def _lead_network(asked: Request) -> Answer:
    from parte import lead
    from parte.languages.lead.drawing.petri_svg import draw_net_svg

    return Answer(True, drawing=draw_net_svg(lead.Machine(lead.parse(asked.program)).net))


TASKS: Mapping[str, dict[Task, Callable[[Request], Answer]]] = {
    "CEL": {"timeline": _cel_timeline, "network": _cel_network},
    "ETALIS": {"timeline": _etalis_timeline, "network": _etalis_network},
    "LEAD": {"timeline": _lead_timeline, "network": _lead_network},
}
