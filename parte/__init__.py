"""PARTE: patterns of events, detected in bounded space. The public API, and the `parte` command.

For example::

    import parte

    program = parte.parse(text)
    trace = parte.read_trace(lines)
    for match in parte.run(program, trace, domain={"uncommon_route": lambda origin, target: True}):
        print(match.to_json())
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    __version__: str

    from parte.algebra.partelang.relational import Log as Log
    from parte.api import MODEL_NAMES as MODEL_NAMES
    from parte.api import EmissionWarning as EmissionWarning
    from parte.api import Matches as Matches
    from parte.api import check as check
    from parte.api import execute as execute
    from parte.api import format_program as format_program
    from parte.api import network_of as network_of
    from parte.api import parse as parse
    from parte.api import prove as prove
    from parte.api import run as run
    from parte.api import varied as varied
    from parte.api import why as why
    from parte.displays import NetworkDrawing as NetworkDrawing
    from parte.displays import draw as draw
    from parte.displays import step as step
    from parte.displays import timeline as timeline
    from parte.drawing.stepper.page import Stepper as Stepper
    from parte.drawing.timeline import Timeline as Timeline
    from parte.experiments.python import experiment as experiment
    from parte.notebook import Shell
    from parte.proofs.variants import Variant as Variant
    from parte.semantics.events.domain import DomainTable as DomainTable
    from parte.semantics.events.domain import load_domain as load_domain
    from parte.semantics.events.domain import read_domain as read_domain
    from parte.semantics.events.event import Event as Event
    from parte.semantics.events.event import Progress as Progress
    from parte.semantics.events.match import Match as Match
    from parte.semantics.events.match import derivation as derivation
    from parte.semantics.events.outcome import Blocked as Blocked
    from parte.semantics.events.outcome import EmissionFailure as EmissionFailure
    from parte.semantics.events.outcome import Outcome as Outcome
    from parte.semantics.events.problems import DomainError as DomainError
    from parte.semantics.events.problems import InputError as InputError
    from parte.semantics.events.problems import Problem as Problem
    from parte.semantics.events.problems import TraceError as TraceError
    from parte.semantics.events.trace import Trace as Trace
    from parte.semantics.events.trace import load_trace as load_trace
    from parte.semantics.events.trace import read_trace as read_trace
    from parte.semantics.events.trace import trace_lines as trace_lines
    from parte.semantics.partelang.capacities import Capacities as Capacities
    from parte.semantics.partelang.capacities import CapacitiesError as CapacitiesError
    from parte.semantics.partelang.capacities import NodeCapacities as NodeCapacities
    from parte.semantics.partelang.capacities import read_capacities as read_capacities
    from parte.semantics.partelang.repairs import MODELS as MODELS
    from parte.semantics.partelang.repairs import PUBLISHED as PUBLISHED
    from parte.semantics.partelang.repairs import RUDIMENTARY as RUDIMENTARY
    from parte.semantics.partelang.repairs import SOUND as SOUND
    from parte.semantics.partelang.repairs import repair_names as repair_names
    from parte.semantics.partelang.schedules import SCHEDULES as SCHEDULES
    from parte.semantics.partelang.schedules import Adversarial as Adversarial
    from parte.semantics.partelang.schedules import RoundRobin as RoundRobin
    from parte.semantics.partelang.schedules import Schedule as Schedule
    from parte.semantics.partelang.schedules import SeededRandom as SeededRandom
    from parte.semantics.partelang.syntax.core import Program as Program
    from parte.semantics.partelang.syntax.imports import load_program as load_program
    from parte.semantics.partelang.syntax.json_form import program_to_json as program_to_json
    from parte.semantics.rulebook.models import Model as Model
    from parte.semantics.source.diagnostics import Diagnostic as Diagnostic
    from parte.semantics.source.diagnostics import ProgramError as ProgramError

_HOMES = {
    "parte.algebra.partelang.relational": "Log",
    "parte.api": (
        "EmissionWarning MODEL_NAMES Matches check execute format_program network_of parse prove run varied why"
    ),
    "parte.displays": "NetworkDrawing draw step timeline",
    "parte.drawing.stepper.page": "Stepper",
    "parte.drawing.timeline": "Timeline",
    "parte.experiments.python": "experiment",
    "parte.proofs.variants": "Variant",
    "parte.semantics.events.domain": "DomainTable load_domain read_domain",
    "parte.semantics.events.event": "Event Progress",
    "parte.semantics.events.match": "Match derivation",
    "parte.semantics.events.outcome": "Blocked EmissionFailure Outcome",
    "parte.semantics.events.problems": "DomainError InputError Problem TraceError",
    "parte.semantics.events.trace": "Trace load_trace read_trace trace_lines",
    "parte.semantics.partelang.capacities": "Capacities CapacitiesError NodeCapacities read_capacities",
    "parte.semantics.partelang.repairs": "MODELS PUBLISHED RUDIMENTARY SOUND repair_names",
    "parte.semantics.rulebook.models": "Model",
    "parte.semantics.partelang.schedules": "Adversarial RoundRobin SCHEDULES Schedule SeededRandom",
    "parte.semantics.partelang.syntax.core": "Program",
    "parte.semantics.partelang.syntax.imports": "load_program",
    "parte.semantics.partelang.syntax.json_form": "program_to_json",
    "parte.semantics.source.diagnostics": "Diagnostic ProgramError",
}
"""The module of each public name. A module is imported when one of its names is first used."""

_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def load_ipython_extension(shell: Shell) -> None:
    """Register what `%load_ext parte` offers: the cell magics `%%parte` and `%%trace` (`parte.notebook`)."""
    importlib.import_module("parte.notebook").load(shell)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("parte.semantics.events.installation").version()
    module = _MODULE_OF.get(name)
    if module is None:
        return _functions_of(name)
    if "IPython" in sys.modules:
        importlib.import_module("parte.displays").install()
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def _functions_of(name: str) -> ModuleType:
    """The functions of another language, by its name in small letters, as `parte.cel`."""
    # `from parte import terminal` asks for an attribute first, and then for the module.
    if not name.startswith("_") and name.islower() and importlib.util.find_spec(f"parte.{name}") is not None:
        return importlib.import_module(f"parte.{name}")
    raise AttributeError(f"module 'parte' has no attribute {name!r}")


class _Languages:
    """`import parte.cel`: the module is the one that the language CEL names as its functions for Python."""

    def find_spec(  # what is not used here is what Python gives
        self,
        fullname: str,
        path: object,  # noqa: ARG002 - importlib gives it
        target: object = None,  # noqa: ARG002 - importlib may give it
    ) -> ModuleSpec | None:
        """Return where the functions are if the last word of a name is that of a language in small letters."""
        package, _, name = fullname.rpartition(".")
        if package == "parte" and name.islower():
            for language in importlib.import_module("parte.languages.registry").languages():
                place = language.facets.get("python", "")
                if language.name.lower() == name and isinstance(place, str) and place:
                    return ModuleSpec(fullname, cast(Any, self), loader_state=place.partition(":")[0])
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module under its own name."""
        module = importlib.import_module(spec.loader_state)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module, which has run, its own description back."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


# Without the classes of `importlib.abc`, which are slow to import.
sys.meta_path.append(cast(Any, _Languages()))  # the last, so that it is asked for what is no module in this folder


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
