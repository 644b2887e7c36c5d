"""The named repairs that turn the nets as printed into nets that agree with the formulas (specification:
lead-repairs)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from parte.semantics.rulebook.models import Switches


@dataclass(frozen=True, slots=True)
class Repairs(Switches):
    """The repairs of L's nets that are on."""

    instant: Annotated[bool, "the arrivals of an instant come together, and may be matched by what they enable", 21]
    unique: Annotated[bool, "an event is bound once in a match", 2]
    twins: Annotated[bool, "events of one stream without names are bound in one order", 3]
    activation: Annotated[bool, "each match on the left makes an activation of its own", 22]
    deadline_first: Annotated[bool, "guards that are due fire before arrivals, but those of wait", 23]
    kill_all: Annotated[bool, "a match of what is negated takes every token that waits for it", 24]
    invalidate_first: Annotated[bool, "a list that is invalid does not terminate", 25]
    outer_join: Annotated[bool, "what ends together on both sides of `or` is joined", 4, 26]
    wait_all: Annotated[bool, "at the end of a wait all matches are released", 27]
    rearm: Annotated[bool, "a list that ended does not begin again", 28]
    local_age: Annotated[bool, "the age of a match counts from its end", 29]
    sub_release: Annotated[bool, "a sub-context that is disabled releases its match", 30]
    keep: Annotated[bool, "tokens of stateful places stay while they are needed", 31]


SOUND, PUBLISHED = Repairs.sound(), Repairs.published()
MODELS = {model.name: model for model in (SOUND, PUBLISHED)}
