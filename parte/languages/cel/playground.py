"""What the playground draws of programs in CEL."""

from __future__ import annotations

from collections.abc import Callable

from parte.drawing.timeline import draw_results
from parte.languages.cel import api as cel
from parte.languages.cel.drawing.automaton import draw_automaton_svg
from parte.playground.exchange import Answer, Request, Task
from parte.semantics.events.trace import read_trace


def _timeline(asked: Request) -> Answer:
    query = cel.parse(asked.program)
    events = cel.stream(query, read_trace(asked.trace, filename="trace"))
    return Answer(True, drawing=draw_results(events, list(cel.run(query, events))).svg)


def _network(asked: Request) -> Answer:
    return Answer(True, drawing=draw_automaton_svg(cel.Machine(cel.parse(asked.program)).automaton))


TASKS: dict[Task, Callable[[Request], Answer]] = {"timeline": _timeline, "network": _network}
