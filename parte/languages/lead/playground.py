"""The drawings of the playground for programs in LEAD."""

from __future__ import annotations

from collections.abc import Callable

from parte.languages.lead import api as lead
from parte.languages.lead.drawing.petri_svg import draw_net_svg
from parte.languages.lead.drawing.timeline import draw_matches
from parte.playground.exchange import Answer, Request, Task
from parte.semantics.events.trace import read_trace


def _timeline(request: Request) -> Answer:
    rule, items = lead.parse(request.program), read_trace(request.trace, filename="trace")
    return Answer(True, drawing=draw_matches(items, lead.run(rule, items, disorder=request.lag)).svg)


def _network(request: Request) -> Answer:
    return Answer(True, drawing=draw_net_svg(lead.Machine(lead.parse(request.program)).net))


TASKS: dict[Task, Callable[[Request], Answer]] = {"timeline": _timeline, "network": _network}
