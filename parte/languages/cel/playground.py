"""The drawings of programs in CEL in the playground."""

from __future__ import annotations

from collections.abc import Callable

from parte.drawing.timeline import draw_results
from parte.languages.cel import api as cel
from parte.languages.cel.drawing.automaton import draw_automaton_svg
from parte.playground.exchange import Answer, Request, Task
from parte.semantics.events.trace import read_trace


def _timeline(request: Request) -> Answer:
    query = cel.parse(request.program)
    events = cel.stream(query, read_trace(request.trace, filename="trace"))
    return Answer(True, drawing=draw_results(events, list(cel.run(query, events))).svg)


def _network(request: Request) -> Answer:
    return Answer(True, drawing=draw_automaton_svg(cel.Machine(cel.parse(request.program)).automaton))


TASKS: dict[Task, Callable[[Request], Answer]] = {"timeline": _timeline, "network": _network}
