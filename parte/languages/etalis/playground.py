"""The drawings of programs in ETALIS in the playground."""

from __future__ import annotations

from collections.abc import Callable

from parte.languages.etalis import api as etalis
from parte.languages.etalis.drawing.intervals import draw_intervals
from parte.languages.etalis.drawing.rule_network import draw_rule_network_svg
from parte.playground.exchange import Answer, Request, Task


def _timeline(request: Request) -> Answer:
    program = etalis.parse(request.program)
    instants = etalis.stream(program, request.trace.split("\n"))
    return Answer(True, drawing=draw_intervals(instants, list(etalis.run(program, instants))).svg)


def _network(request: Request) -> Answer:
    return Answer(True, drawing=draw_rule_network_svg(etalis.parse(request.program)))


TASKS: dict[Task, Callable[[Request], Answer]] = {"timeline": _timeline, "network": _network}
