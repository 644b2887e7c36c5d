"""Models of a machine: the repairs of the published rules that each model has.

A language declares its repairs once, as a frozen dataclass of booleans (`Switches`). The name of a field is the id of a
repair, with `_` for `-`; its annotation has a description, and the defects of the source that it mends. A `Model` is a
set of these ids with a name. A machine converts it to the record when it is constructed (`Switches.of`), and reads the
attributes of the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import ClassVar, Self, get_type_hints

SOUND, PUBLISHED = "sound", "published"
"""The model with all repairs, and the model without."""
DEFINITION, ALGEBRA = "definition", "algebra"
"""The evaluator of the definition of a guest, and its other name."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The effect of a repair, and the numbers of the defects of the source that it mends."""

    text: str
    defects: tuple[int, ...]

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.defects))
        return f"{self.text} (defect{'s' if len(self.defects) > 1 else ''} {numbers})"


@dataclass(frozen=True, slots=True)
class Switches:
    """The repairs of a language, each on or off: a frozen dataclass of booleans in the order of the defects.

    A field is annotated with a text and the numbers of defects, as in `one_root: Annotated[bool, "shares are …", 24]`.
    No field has a default, so that every repair is set explicitly.
    """

    NEEDED: ClassVar[frozenset[str]] = frozenset()
    """The repairs without which nothing runs; `published` has them too."""

    @classmethod
    @cache
    def declared(cls) -> Mapping[str, Repair]:
        """Return the repairs by id, in their order."""
        hints = get_type_hints(cls, include_extras=True)
        repairs: dict[str, Repair] = {}
        for switch in fields(cls):
            text, *defects = hints[switch.name].__metadata__
            repairs[_id(switch.name)] = Repair(text, tuple(defects))
        return repairs

    @classmethod
    def of(cls, model: Model) -> Self:
        """Return the switches of a model. Raise ValueError for a model of another language."""
        ids = cls.declared()
        if not model.repairs <= ids.keys():
            raise ValueError(f"the model {model.name} is not of this language")
        return cls(**{_name(id_): id_ in model.repairs for id_ in ids})

    @classmethod
    def sound(cls) -> Model:
        """The model with all repairs."""
        return Model(SOUND, frozenset(cls.declared()), cls)

    @classmethod
    def published(cls) -> Model:
        """Return the model with only the repairs without which nothing runs."""
        return Model(PUBLISHED, cls.NEEDED, cls)


def _id(name: str) -> str:
    return name.replace("_", "-")


def _name(id_: str) -> str:
    return id_.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Model:
    """A machine by its name, and the ids of its repairs, among those that its language declares.

    `base` names the rules that are repaired: those of `published`, or those of another machine of the language; such a
    model has no repairs.
    """

    name: str
    repairs: frozenset[str]
    declaration: type[Switches] = field(repr=False)
    base: str = PUBLISHED

    def __post_init__(self) -> None:
        self._check(self.repairs)
        if self.repairs and self.base != PUBLISHED:
            raise ValueError(f"the {self.base} model has no repairs: they mend the rules of the {PUBLISHED} one")

    @property
    def switches(self) -> Switches:
        """The record of the language's repairs for this model; `declaration.of` has its type."""
        return self.declaration.of(self)

    def repaired(self, *names: str) -> Model:
        """Return this model with more repairs. Raise ValueError if one does not exist."""
        return self._having(self.repairs.union(names))

    def without(self, *names: str) -> Model:
        """Return this model with fewer repairs. Raise ValueError if one does not exist."""
        self._check(names)
        return self._having(self.repairs.difference(names))

    def repair_names(self) -> tuple[str, ...]:
        """Return the ids of its repairs, in the order of the defects."""
        return tuple(id_ for id_ in self.declaration.declared() if id_ in self.repairs)

    def _check(self, names: Iterable[str]) -> None:
        known = self.declaration.declared()
        for name in sorted(frozenset(names) - known.keys()):
            raise ValueError(f"no repair is called {name!r}; there are: {', '.join(known)}")

    def _having(self, repairs: frozenset[str]) -> Model:
        return Model(_called(repairs, self.declaration, self.base), repairs, self.declaration, self.base)


def _called(repairs: frozenset[str], declaration: type[Switches], base: str) -> str:
    """Return `sound`, `published`, or the closer one of them with the repairs that differ."""
    ids: Iterable[str] = declaration.declared()
    off = [id_ for id_ in ids if id_ not in repairs]
    on = [id_ for id_ in ids if id_ in repairs and id_ not in declaration.NEEDED]
    if base != PUBLISHED:
        return base
    if not off:
        return SOUND
    if repairs == declaration.NEEDED:
        return PUBLISHED
    return f"{SOUND} without {', '.join(off)}" if len(off) <= len(on) else f"{PUBLISHED} with {', '.join(on)}"
