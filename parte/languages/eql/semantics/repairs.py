"""The models of the machine. There is one: no other machine is published (specification: eql-machine)."""

from __future__ import annotations

from dataclasses import dataclass

from parte.semantics.rulebook.models import Switches


@dataclass(frozen=True, slots=True)
class Repairs(Switches):
    """No repairs: the rules are those of the specification."""


SOUND = Repairs.sound()
MODELS = {SOUND.name: SOUND}
