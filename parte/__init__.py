"""PARTE: patterns of events, detected in bounded space. The public API, and the `parte` command.

import parte

program = parte.parse(text)
trace = parte.read_trace(lines)
for match in parte.run(program, trace, domain={"uncommon_route": lambda origin, target: True}):
    print(match.to_json())
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parte.algebra.parte.relational import Log
    from parte.api import (
        MODEL_NAMES,
        EmissionWarning,
        check,
        execute,
        format_program,
        network_of,
        parse,
        prove,
        run,
    )
    from parte.displays import NetworkDrawing, draw, timeline
    from parte.drawing.timeline import Timeline
    from parte.experiments.python import experiment
    from parte.semantics.events.domain import DomainTable, load_domain, read_domain
    from parte.semantics.events.event import Event, Progress
    from parte.semantics.events.match import Match
    from parte.semantics.events.outcome import Blocked, EmissionFailure, Outcome
    from parte.semantics.events.problems import DomainError, InputError, Problem, TraceError
    from parte.semantics.events.trace import Trace, load_trace, read_trace, trace_lines
    from parte.semantics.parte.capacities import Capacities, CapacitiesError, NodeCapacities, read_capacities
    from parte.semantics.parte.repairs import MODELS, PUBLISHED, RUDIMENTARY, SOUND, Model, repair_names
    from parte.semantics.parte.schedules import SCHEDULES, Adversarial, RoundRobin, Schedule, SeededRandom
    from parte.semantics.parte.syntax.core import Program
    from parte.semantics.parte.syntax.json_form import program_to_json
    from parte.semantics.source.diagnostics import Diagnostic, ProgramError

__all__ = [
    "MODELS",
    "MODEL_NAMES",
    "PUBLISHED",
    "RUDIMENTARY",
    "SCHEDULES",
    "SOUND",
    "Adversarial",
    "Blocked",
    "Capacities",
    "CapacitiesError",
    "Diagnostic",
    "DomainError",
    "DomainTable",
    "EmissionFailure",
    "EmissionWarning",
    "Event",
    "InputError",
    "Log",
    "Match",
    "Model",
    "NetworkDrawing",
    "NodeCapacities",
    "Outcome",
    "Problem",
    "Program",
    "ProgramError",
    "Progress",
    "RoundRobin",
    "Schedule",
    "SeededRandom",
    "Timeline",
    "Trace",
    "TraceError",
    "check",
    "draw",
    "execute",
    "experiment",
    "format_program",
    "load_domain",
    "load_trace",
    "network_of",
    "parse",
    "program_to_json",
    "prove",
    "read_capacities",
    "read_domain",
    "read_trace",
    "repair_names",
    "run",
    "timeline",
    "trace_lines",
]

_HOMES = {
    "parte.algebra.parte.relational": "Log",
    "parte.api": "EmissionWarning MODEL_NAMES check execute format_program network_of parse prove run",
    "parte.displays": "NetworkDrawing draw timeline",
    "parte.drawing.timeline": "Timeline",
    "parte.experiments.python": "experiment",
    "parte.semantics.events.domain": "DomainTable load_domain read_domain",
    "parte.semantics.events.event": "Event Progress",
    "parte.semantics.events.match": "Match",
    "parte.semantics.events.outcome": "Blocked EmissionFailure Outcome",
    "parte.semantics.events.problems": "DomainError InputError Problem TraceError",
    "parte.semantics.events.trace": "Trace load_trace read_trace trace_lines",
    "parte.semantics.parte.capacities": "Capacities CapacitiesError NodeCapacities read_capacities",
    "parte.semantics.parte.repairs": "MODELS Model PUBLISHED RUDIMENTARY SOUND repair_names",
    "parte.semantics.parte.schedules": "Adversarial RoundRobin SCHEDULES Schedule SeededRandom",
    "parte.semantics.parte.syntax.core": "Program",
    "parte.semantics.parte.syntax.json_form": "program_to_json",
    "parte.semantics.source.diagnostics": "Diagnostic ProgramError",
}
"""Where each public name lives. Nothing is imported before it is asked for: a module of one room loads no other."""
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'parte' has no attribute {name!r}")
    if "IPython" in sys.modules:
        importlib.import_module("parte.displays").install()
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
