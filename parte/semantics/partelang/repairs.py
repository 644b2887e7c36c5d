"""The named repairs that turn `published` into `sound`, one for each defect, and the models (specification: repairs).

A model is a family of rules and the set of repairs that are on, so that any combination can be run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import Enum


class Family(Enum):
    """Which rules a model uses: those of D §5.2 or those of D §5.4."""

    RUDIMENTARY = "5.2"
    FEATHERWEIGHT = "5.4"


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are on; all are off in `published` and on in `sound`. The order is that of the defects."""

    expire_by_lifetime: bool = False
    join_before_expiry: bool = False
    window_per_event: bool = False
    exhaustive_expiry: bool = False
    negate_in_window: bool = False
    store_only_live: bool = False
    bound_per_token: bool = False
    report_silence: bool = False
    slot_per_side: bool = False
    bound_on_last_token: bool = False
    merge_by_promise: bool = False
    retention_sizes: bool = False


DESCRIPTIONS: dict[str, str] = {
    "expire-by-lifetime": "a left partial match expires when its lifetime ends, not when it is older than the bound",
    "join-before-expiry": "a left token is joined before its bound, which speaks of later tokens, expires right events",
    "window-per-event": "each event of a left partial match is compared with its own interval to the right event",
    "exhaustive-expiry": "at a not-node every left partial match either stays or has expired; none falls through both",
    "negate-in-window": "a right event removes only the left partial matches in whose window it lies",
    "store-only-live": "a match that nothing can join any more is not stored, and at a not-node it is released at once",
    "bound-per-token": "each token of a step carries a bound that holds of the tokens after it in that step",
    "report-silence": "a step without results still passes its bound on",
    "slot-per-side": "the inbox has a slot per activation side, and any filled one may be taken",
    "bound-on-last-token": "the bound after a step travels on its last result, not on one more token",
    "merge-by-promise": "each source has its own queue and slot; where room is limited, the least promise goes first",
    "retention-sizes": "histories are sized by how long an event is kept, for each source, not by rate times window",
}
"""What each repair does, by the name that the command line and the reports use, in the order of the defects."""


def repair_names() -> tuple[str, ...]:
    """The names of the repairs, in the order of the defects."""
    return tuple(field.name.replace("_", "-") for field in fields(Repairs))


def repairs_of(names: Iterable[str]) -> Repairs:
    """The named repairs, and no other. ValueError for a name that is none."""
    chosen = tuple(names)
    for name in chosen:
        if name not in DESCRIPTIONS:
            raise ValueError(f"no repair is called {name!r}; there are: {', '.join(repair_names())}")
    return replace(Repairs(), **{name.replace("-", "_"): True for name in chosen})


@dataclass(frozen=True, slots=True)
class Model:
    """A machine: its rules and its repairs."""

    name: str
    family: Family
    repairs: Repairs

    def repaired(self, *names: str) -> Model:
        """This model with more repairs."""
        return _named(self.family, repairs_of({*self.repair_names(), *names}))

    def without(self, *names: str) -> Model:
        """This model with fewer repairs."""
        repairs_of(names)
        return _named(self.family, repairs_of(set(self.repair_names()) - set(names)))

    def repair_names(self) -> tuple[str, ...]:
        """The names of the repairs that are on."""
        return tuple(name for name in repair_names() if getattr(self.repairs, name.replace("-", "_")))


def _named(family: Family, repairs: Repairs) -> Model:
    if family is Family.RUDIMENTARY and repairs != Repairs():
        raise ValueError("the rudimentary model has no repairs: they mend the rules of D §5.4, not those of D §5.2")
    for model in MODELS.values():
        if (model.family, model.repairs) == (family, repairs):
            return model
    names = repair_names()
    on = [name for name in names if getattr(repairs, name.replace("-", "_"))]
    off = [name for name in names if name not in on]
    described = f"sound without {', '.join(off)}" if len(off) <= len(on) else f"published with {', '.join(on)}"
    return Model(described, family, repairs)


RUDIMENTARY = Model("rudimentary", Family.RUDIMENTARY, Repairs())
PUBLISHED = Model("published", Family.FEATHERWEIGHT, Repairs())
SOUND = Model("sound", Family.FEATHERWEIGHT, repairs_of(repair_names()))
MODELS = {model.name: model for model in (RUDIMENTARY, PUBLISHED, SOUND)}
