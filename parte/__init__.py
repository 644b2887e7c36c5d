"""PARTE: patterns of events, detected in bounded space. The public API, and the `parte` command.

import parte

program = parte.parse(text)
trace = parte.read_trace(lines)
for match in parte.run(program, trace, domain={"uncommon_route": lambda origin, target: True}):
    print(match.to_json())
"""

from __future__ import annotations

from algebra.relational import Log
from parte.api import (
    MODEL_NAMES,
    EmissionWarning,
    Outcome,
    execute,
    format_program,
    network_of,
    parse,
    run,
)
from parte.checking import check_program as check
from parte.commands.prove import prove_lemmas as prove
from parte.displays import NetworkDrawing, draw, install, timeline
from parte.drawing.timeline import Timeline
from parte.experiments.python import experiment
from semantics.blocking import Blocked
from semantics.capacities import Capacities, CapacitiesError, NodeCapacities, read_capacities
from semantics.events.domain import DomainTable, load_domain, read_domain
from semantics.events.event import Event, Progress
from semantics.events.match import Match
from semantics.events.problems import DomainError, InputError, Problem, TraceError
from semantics.events.trace import Trace, load_trace, read_trace, trace_lines
from semantics.repairs import MODELS, PUBLISHED, RUDIMENTARY, SOUND, Model, repair_names
from semantics.schedules import SCHEDULES, Adversarial, RoundRobin, Schedule, SeededRandom
from semantics.state import EmissionFailure
from semantics.syntax.core import Program
from semantics.syntax.diagnostics import Diagnostic, ProgramError
from semantics.syntax.json_form import program_to_json

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

install()
