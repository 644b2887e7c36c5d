"""The originals of this language's mutants: the machine, with capacities and a schedule, or the defining evaluator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from parte.conformance.mutants import MachineMutant, Modules, Original, edited
from parte.conformance.partelang.mutants.space import measured_sizes, no_sizes
from parte.conformance.protocol import Engine
from parte.semantics.partelang.repairs import MODELS, Family, repair_names
from parte.semantics.partelang.rulebook import RULEBOOK

MODULES = Modules(
    "parte.conformance.partelang.engines.reference",
    ("parte.semantics", "parte.algebra", "parte.conformance"),
    frozenset({"parte.semantics.rulebook.registry", "parte.semantics.partelang.rules.registry"}),
)


class Space(Enum):
    """The capacities of a mutated machine.

    `PLAIN` never binds, and every step follows the global rules. `UNBOUNDED` never binds, in unbounded runs, which send
    bounds late, so that errors in them show in few cases. `MEASURED` is what `sound` needs for the rates of the trace,
    so that an error that costs space shows as a machine that blocks.
    """

    UNBOUNDED = "unbounded"
    PLAIN = "plain"
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class ParteMutant(MachineMutant):
    """A mutant of PARTElang. A machine has capacities and a schedule; some schedules are drawn from a seed."""

    original = Original(MODULES, "ReferenceEngine", MODELS, "algebra")
    space: Space = Space.PLAIN
    schedule: str = "round-robin"
    seed: int = 0

    @property
    def circumstances(self) -> tuple[str, ...]:
        """Measured capacities, and a schedule that is not the usual one."""
        room = ("in measured room",) if self.space is Space.MEASURED else ()
        return room if self.schedule == "round-robin" else (*room, f"under the schedule {self.schedule} {self.seed}")

    def engine(self) -> Engine:
        """Return the mutant as an engine of this process."""
        modules = edited(MODULES, self.edits)
        reference = modules.module(MODULES.root).ReferenceEngine
        schedule = modules.module("parte.semantics.partelang.schedules").schedule_of(self.schedule, self.seed)
        sizes = {Space.UNBOUNDED: None, Space.PLAIN: no_sizes, Space.MEASURED: measured_sizes}[self.space]
        engine: Engine = reference(self.model, schedule, sizes)
        return engine


AS_PUBLISHED = ParteMutant(
    "sound/as-published",
    tuple(info.id for info in RULEBOOK.values() if info.family is Family.FEATHERWEIGHT),
    ("model-published",),
    "all rules as published: none of the repairs",
    without=repair_names(),
)
"""An engine built from D §5.4 to the letter. Compared last: it has many errors."""
