"""The named repairs that turn the nets as printed into those that find what the formulas say (specification:
lead-repairs)."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are on: all in `sound`, none in `published`."""

    instant: bool = True
    unique: bool = True
    twins: bool = True
    activation: bool = True
    deadline_first: bool = True
    kill_all: bool = True
    invalidate_first: bool = True
    outer_join: bool = True
    wait_all: bool = True
    rearm: bool = True
    local_age: bool = True
    sub_release: bool = True
    keep: bool = True


DESCRIPTIONS: dict[str, str] = {
    "instant": "the arrivals of an instant come together, and may be matched by what they enable (defect 21)",
    "unique": "an event is bound once in a match (defect 2)",
    "twins": "events of one stream without names are bound in one order (defect 3)",
    "activation": "each match on the left makes an activation of its own (defect 22)",
    "deadline-first": "guards that are due fire before arrivals, but those of wait (defect 23)",
    "kill-all": "a match of what is negated takes every token that waits for it (defect 24)",
    "invalidate-first": "a list that is invalid does not terminate (defect 25)",
    "outer-join": "what ends together on both sides of `or` is joined (defects 4, 26)",
    "wait-all": "at the end of a wait all matches are released (defect 27)",
    "rearm": "a list that ended does not begin again (defect 28)",
    "local-age": "the age of a match counts from its end (defect 29)",
    "sub-release": "a sub-context that is disabled releases its match (defect 30)",
    "keep": "tokens of stateful places stay while they are needed (defect 31)",
}
"""What each repair does, by the name that reports use."""

SOUND = Repairs()
PUBLISHED = Repairs(**dict.fromkeys((field.name for field in fields(Repairs)), False))
MODELS = {"sound": SOUND, "published": PUBLISHED}


def repairs_of(model: str) -> Repairs:
    """The repairs of a model. ValueError if there is no such model."""
    if model not in MODELS:
        raise ValueError(f"expected one of the models {', '.join(MODELS)}, found {model!r}")
    return MODELS[model]
