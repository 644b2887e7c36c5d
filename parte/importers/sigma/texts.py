"""Conditions of PARTElang as trees of texts, and the attributes that they mention."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from parte.importers.names import identifier
from parte.importers.sigma.documents import Refusal
from parte.logs.mapping import Slot
from parte.semantics.events.types import Scalar

_WIDTH: Final = 40
"""The most operands side by side; more are put into groups, because the height of an expression is limited."""
_ORDINARY: Final = re.compile(r"[\w@-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition. It has no value where one of `needs`, expressions, has none; its value is then false to Sigma."""

    text: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Every:
    """All of some conditions, one at least."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of some conditions, one at least."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Unless:
    """The contrary of a condition."""

    condition: Condition


Condition = Atom | Every | Some | Unless


def every(conditions: Sequence[Condition]) -> Condition:
    """Return all of some conditions as one."""
    parts = [part for outer in conditions for part in (outer.conditions if isinstance(outer, Every) else (outer,))]
    distinct = tuple(dict.fromkeys(parts))
    return distinct[0] if len(distinct) == 1 else Every(distinct)


def some(conditions: Sequence[Condition]) -> Condition:
    """Return one of some conditions as one."""
    parts = [part for outer in conditions for part in (outer.conditions if isinstance(outer, Some) else (outer,))]
    distinct = tuple(dict.fromkeys(parts))
    return distinct[0] if len(distinct) == 1 else Some(distinct)


def unless(condition: Condition) -> Condition:
    """Return the contrary of a condition."""
    return condition.condition if isinstance(condition, Unless) else Unless(condition)


def conditions_of(condition: Condition) -> list[str]:
    """Return the conditions of a pattern, a line each."""
    return [_bare(part, False) for part in (condition.conditions if isinstance(condition, Every) else (condition,))]


def text_of(condition: Condition) -> str:
    """Return a condition as one expression."""
    return _bare(condition, False)


def _bare(condition: Condition, negated: bool) -> str:
    """Return the text of a condition. Under a negation what has no value is made false, by `is present`."""
    match condition:
        case Atom(text, needs):
            return " and ".join([*(f"{need} is present" for need in needs), text]) if negated else text
        case Unless(inner):
            text = _bare(inner, not negated)
            return f"not {text}" if _is_single(inner, not negated) else f"not ({text})"
        case Every(conditions):
            shared = _shared_needs(conditions) if negated else ()
            inside = negated and not shared
            texts = [
                f"({_bare(part, inside)})" if isinstance(part, Some) else _bare(part, inside) for part in conditions
            ]
            return _joined([*(f"{need} is present" for need in shared), *texts], " and ")
        case Some(conditions):
            shared = _shared_needs(conditions) if negated else ()
            text = _joined([_bare(part, negated and not shared) for part in conditions], " or ")
            return " and ".join([*(f"{need} is present" for need in shared), f"({text})"]) if shared else text


def _is_single(condition: Condition, negated: bool) -> bool:
    return isinstance(condition, Atom) and not (negated and condition.needs)


def _shared_needs(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Return the needs of tests that all have the same, so that one `is present` does for all of them."""
    needs = {part.needs for part in conditions if isinstance(part, Atom)}
    if len(needs) != 1 or not all(isinstance(part, Atom) for part in conditions):
        return ()
    (shared,) = needs
    return shared


def _joined(texts: list[str], word: str) -> str:
    while len(texts) > _WIDTH:
        first, *groups = (texts[start : start + _WIDTH] for start in range(0, len(texts), _WIDTH))
        texts = [word.join(first), *(f"({word.join(group)})" if len(group) > 1 else group[0] for group in groups)]
    return word.join(texts)


def constant(text: str) -> str:
    """Return a String as PARTElang writes it. Raise Refusal for one that no program can have."""
    if any(0xD800 <= ord(sign) < 0xE000 for sign in text):
        raise Refusal("half of a surrogate pair is no character")
    return json.dumps(text, ensure_ascii=False)


class Attributes:
    """The attributes that the fields of a program become: Strings, and Floats of the fields that are compared as
    numbers."""

    def __init__(self) -> None:
        self.slots: dict[str, Slot] = {}
        self._names: dict[tuple[str, Scalar], str] = {}

    def text(self, field: str) -> str:
        """Return the attribute that has the value of a field as text."""
        return self._name(field, Scalar.STRING)

    def number(self, field: str) -> str:
        """Return the attribute that has the value of a field as a number."""
        return self._name(field, Scalar.FLOAT)

    def _name(self, field: str, of: Scalar) -> str:
        if (field, of) not in self._names:
            name = identifier(f"{field} number" if of is Scalar.FLOAT else field, self.slots)
            self._names[field, of] = name
            self.slots[name] = Slot(of, path=path_of(field), optional=True)
        return self._names[field, of]


def path_of(field: str) -> str:
    """Return the path of a field in a record: dots lead into objects. Raise Refusal if no path can name it."""
    if not field or '"' in field or len(field) > 900:
        raise Refusal(f"no path of a mapping names the field {field[:60]!r}")
    parts = field.split(".")
    if all(map(_ORDINARY.fullmatch, parts)):
        return field
    return f'"{field}"'
