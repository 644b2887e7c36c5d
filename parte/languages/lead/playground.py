"""What the playground draws of programs in LEAD."""

from __future__ import annotations

from collections.abc import Callable

from parte.languages.lead import api as lead
from parte.languages.lead.drawing.petri_svg import draw_net_svg
from parte.languages.lead.drawing.timeline import draw_matches
from parte.playground.exchange import Answer, Request, Task
from parte.semantics.events.trace import read_trace


def _timeline(asked: Request) -> Answer:
    rule, items = lead.parse(asked.program), read_trace(asked.trace, filename="trace")
    return Answer(True, drawing=draw_matches(items, lead.run(rule, items, disorder=asked.lag)).svg)


def _network(asked: Request) -> Answer:
    return Answer(True, drawing=draw_net_svg(lead.Machine(lead.parse(asked.program)).net))


TASKS: dict[Task, Callable[[Request], Answer]] = {"timeline": _timeline, "network": _network}
