"""Named choices for the points at which Elastic's documents, Elasticsearch and Python EQL differ; definition and
machine both take them (specification: eql-readings)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for each reading; the default is that of the specification.

    - `until`: an event of until ends a chain if it lies strictly `between` two events of the chain; also if it is the
      later of them (`before`), or also if it is the earlier (`inclusive`).
    - `absence`: each missing event counts by itself (`each`), or those before the first and after the last event only
      together, within one maxspan (`together`).
    - `missing`: a missing event in the middle spoils the result of the `chain`, or ends the chain at once (`pending`).
    - `border`: "between" and "after" are by `order`, or by `timestamp`.
    - `keys`: an event without a key field is in no key (`present`), or null is a value of each key (`null`).
    - `case`: keys, `==`, `in` and `like` are `exact`, or `folded`; folded keys also take true for 1.
    - `logic`: conditions have `three` values, or `two`: what would be null is false.
    - `order`: events are in the order of `time`, or of `arrival`.
    - `wildcard`: `*` and `?` are wildcards (`both`), or only `*` (`star`).
    - `lists`: a comparison of a list is null (`null`), or true if it is true of `any` of its values.
    """

    until: str = "between"
    absence: str = "each"
    missing: str = "chain"
    border: str = "order"
    keys: str = "present"
    case: str = "exact"
    logic: str = "three"
    order: str = "time"
    wildcard: str = "both"
    lists: str = "null"

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) not in CHOICES[field.name]:
                choices = ", ".join(CHOICES[field.name])
                raise ValueError(f"{field.name}: expected one of {choices}, found {getattr(self, field.name)!r}")


DIALECT = "dialect"
CHOICES: Mapping[str, tuple[str, ...]] = {
    DIALECT: ("eql", "elastic", "python"),
    "until": ("between", "before", "inclusive"),
    "absence": ("each", "together"),
    "missing": ("chain", "pending"),
    "border": ("order", "timestamp"),
    "keys": ("present", "null"),
    "case": ("exact", "folded"),
    "logic": ("three", "two"),
    "order": ("time", "arrival"),
    "wildcard": ("both", "star"),
    "lists": ("null", "any"),
}
"""The choices for each reading; the first is the default. A dialect is a choice for several."""

DIALECTS: Mapping[str, Mapping[str, str]] = {
    "eql": {},
    "elastic": {"until": "inclusive", "absence": "together", "border": "timestamp", "lists": "any"},
    "python": {"until": "before", "keys": "null", "case": "folded", "order": "arrival", "wildcard": "star"},
}
USUAL = Readings()


def readings_of(options: Mapping[str, str]) -> Readings:
    """Return the readings that options name: those of the dialect, then the others. Raise ValueError for others."""
    chosen = dict(options)
    dialect = chosen.pop(DIALECT, CHOICES[DIALECT][0])
    if dialect not in DIALECTS or not chosen.keys() <= CHOICES.keys():
        raise ValueError(f"expected readings of {', '.join(CHOICES)}, found {options}")
    return Readings(**{**DIALECTS[dialect], **chosen})
