"""The named repairs that turn `published` into `sound`, one for each defect, and the models (specification: repairs).

A model is a family of rules and the set of repairs that are on, so that any combination can be run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from parte.semantics.rulebook.models import Model, Switches


class Family(Enum):
    """The family of rules of a model: those of D §5.2 or those of D §5.4."""

    RUDIMENTARY = "5.2"
    FEATHERWEIGHT = "5.4"


@dataclass(frozen=True, slots=True)
class Repairs(Switches):
    """Which repairs of D §5.4 are on."""

    expire_by_lifetime: Annotated[
        bool, "a left partial match expires when its lifetime ends, not when it is older than the bound", 1
    ]
    join_before_expiry: Annotated[
        bool, "a left token is joined before its bound, which speaks of later tokens, expires right events", 2
    ]
    window_per_event: Annotated[
        bool, "each event of a left partial match is compared with its own interval to the right event", 3
    ]
    exhaustive_expiry: Annotated[
        bool, "at a not-node every left partial match either stays or has expired; none falls through both", 4
    ]
    negate_in_window: Annotated[bool, "a right event removes only the left partial matches in whose window it lies", 5]
    store_only_live: Annotated[
        bool, "a match that nothing can join any more is not stored, and at a not-node it is released at once", 6
    ]
    bound_per_token: Annotated[
        bool, "each token of a step carries a bound that holds of the tokens after it in that step", 7
    ]
    report_silence: Annotated[bool, "a step without results still passes its bound on", 8]
    slot_per_side: Annotated[bool, "the inbox has a slot per activation side, and any filled one may be taken", 9]
    bound_on_last_token: Annotated[bool, "the bound after a step travels on its last result, not on one more token", 10]
    merge_by_promise: Annotated[
        bool, "each source has its own queue and slot; where room is limited, the least promise goes first", 11
    ]
    retention_sizes: Annotated[
        bool, "histories are sized by how long an event is kept, for each source, not by rate times window", 12
    ]


SOUND, PUBLISHED = Repairs.sound(), Repairs.published()
RUDIMENTARY = Model("rudimentary", frozenset(), Repairs, base="rudimentary")
MODELS = {model.name: model for model in (RUDIMENTARY, PUBLISHED, SOUND)}


def family_of(model: Model) -> Family:
    """Return the family of rules of a model."""
    return Family.RUDIMENTARY if model.base == RUDIMENTARY.base else Family.FEATHERWEIGHT


def repair_names() -> tuple[str, ...]:
    """Return the names of the repairs, in the order of the defects."""
    return tuple(Repairs.declared())
