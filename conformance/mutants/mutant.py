"""Mutants: models of this project that err in one way, each with a name for its error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from conformance.mutants.space import measured_sizes, no_sizes
from conformance.mutants.worlds import Edit, world
from conformance.protocol import Engine
from semantics.repairs import DESCRIPTIONS

SOUND, ALGEBRA = "sound", "algebra"


class Space(Enum):
    """The room that a mutated machine has.

    `UNBOUNDED` is any, and the quick way through the network. `PLAIN` is any, taking every step by the global rules.
    `MEASURED` is what `sound` needs for the rates of the trace, so that an error that costs room shows as a machine
    that blocks.
    """

    UNBOUNDED = "unbounded"
    PLAIN = "plain"
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A model that errs. Of a machine or of the algebra, by changed lines (`edits`) or by repairs that it lacks.

    `description` completes the sentence "behaves like sound with …". `rules` are the inference rules whose effect it
    contradicts, the first being the one to name; `sections` say where D or SPEC decides that it is wrong. `survives` is
    why no case of the suite can tell it from the model itself; empty, as it should be, if one must.
    """

    name: str
    of: str
    rules: tuple[str, ...]
    sections: tuple[str, ...]
    description: str
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    space: Space = Space.UNBOUNDED
    schedule: tuple[str, int] = ("round-robin", 0)
    survives: str = ""

    def __post_init__(self) -> None:
        if self.of not in (SOUND, ALGEBRA):
            raise ValueError(f"{self.name}: a mutant is one of {SOUND} or of {ALGEBRA}, not of {self.of}")
        if not self.name.startswith(f"{self.of}/") or not (self.rules and self.sections and self.description):
            raise ValueError(f"{self.name}: a mutant has a name that begins with {self.of}/, rules and sections")
        if bool(self.edits) == bool(self.without):
            raise ValueError(f"{self.name}: a mutant has either edits or repairs that it lacks")
        if not DESCRIPTIONS.keys() >= set(self.without):
            raise ValueError(f"{self.name}: no such repairs: {', '.join(self.without)}")

    def engine(self) -> Engine:
        """The mutant as an engine of this process: a new one each time, which shares no state with any other."""
        changed = world(self.edits)
        reference = changed.module("conformance.engines.reference").ReferenceEngine
        engine: Engine
        if self.of == ALGEBRA:
            engine = reference("algebra")
        else:
            model = changed.module("semantics.repairs").SOUND
            schedule = changed.module("semantics.schedules").schedule_of(*self.schedule)
            sizes = {Space.UNBOUNDED: None, Space.PLAIN: no_sizes, Space.MEASURED: measured_sizes}[self.space]
            engine = reference(model.without(*self.without), schedule, sizes)
        return engine


def sound(
    name: str,
    rules: tuple[str, ...],
    sections: tuple[str, ...],
    description: str,
    *edits: Edit,
    space: Space = Space.UNBOUNDED,
    schedule: tuple[str, int] = ("round-robin", 0),
    survives: str = "",
) -> Mutant:
    """A mutant of the machine with some lines changed."""
    return Mutant(f"{SOUND}/{name}", SOUND, rules, sections, description, edits, (), space, schedule, survives)


def algebra(
    name: str,
    rules: tuple[str, ...],
    sections: tuple[str, ...],
    description: str,
    *edits: Edit,
    survives: str = "",
) -> Mutant:
    """A mutant of the defining evaluator with some lines changed."""
    return Mutant(f"{ALGEBRA}/{name}", ALGEBRA, rules, sections, description, edits, survives=survives)
