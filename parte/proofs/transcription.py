"""Programs that Coq has extracted as JSON, run on integers and on solver terms.

`parte/proofs/rocq/reduced.py` documents the form of the terms. A function of Coq takes its arguments one by one. Truth
values are those of Python, or terms; natural numbers and integers are numbers of Python, or terms; every other value is
`Made` by a constructor. Where a program branches on a term, the run forks, as it does in Python code. A function of
Coq's library whose name has a dot is the one in `_LIBRARY`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add, eq, itemgetter, le, lt
from operator import neg as opposite
from typing import Any, NamedTuple

from parte.semantics.rulebook.connectives import conj, disj, greater, lesser, neg

Known = Mapping[str, Any]
"""The values of variables."""
Branches = Mapping[str, tuple[Sequence[str], Callable[[Known], Any]]]


class Made(NamedTuple):
    """A value that a constructor has made of others."""

    constructor: str
    parts: tuple[Any, ...] = ()


NIL, NONE = Made("Nil"), Made("None")


def listed(values: Iterable[Any]) -> Made:
    """Return a list of Coq with these elements."""
    rest = NIL
    for value in reversed(tuple(values)):
        rest = Made("Cons", (value, rest))
    return rest


def elements(rest: Made) -> list[Any]:
    """Return the elements of a list of Coq."""
    values = []
    while rest.constructor == "Cons":
        value, rest = rest.parts
        values.append(value)
    return values


def _one_by_one(function: Callable[..., Any], count: int, *arguments: Any) -> Any:
    """Return a function that takes the rest of so many arguments one by one; its result if none is missing."""
    if len(arguments) == count:
        return function(*arguments)
    return lambda argument: _one_by_one(function, count, *arguments, argument)


_OF_TWO: Mapping[str, Callable[[Any, Any], Any]] = {
    "Bool.andb": conj,
    "Bool.orb": disj,
    "Nat.eqb": eq,
    "Nat.leb": le,
    "Z.add": add,
    "Z.leb": le,
    "Z.ltb": lt,
    "Z.max": greater,
    "Z.min": lesser,
}
_LIBRARY: Mapping[str, Any] = {
    "Bool.negb": neg,
    "Z.opp": opposite,
    **{name: _one_by_one(function, 2) for name, function in _OF_TWO.items()},
}
_CONSTANTS: Mapping[str, Any] = {"True": True, "False": False, "O": 0, "Z0": 0}


class Transcription:
    """The functions of an extracted program, by name."""

    def __init__(self, text: str) -> None:
        self._terms: Mapping[str, Any] = json.loads(text)
        self._values: dict[str, Any] = dict(_LIBRARY)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._compiled(self._terms[name])({})
        return self._values[name]

    def applied(self, name: str, *arguments: Any) -> Any:
        """Return the result of a function for some arguments."""
        return _applied(self[name], arguments)

    def _compiled(self, term: Any) -> Callable[[Known], Any]:
        """Return a function that returns the value of a term, for the values of its variables."""
        match term:
            case str():
                return itemgetter(term)
            case ["global", name]:
                return lambda _: self[name]
            case ["apply", term, terms]:
                function, arguments = self._compiled(term), self._each(terms)
                return lambda known: _applied(function(known), [argument(known) for argument in arguments])
            case ["lambda", names, term]:
                body = self._compiled(term)
                return lambda known: _one_by_one(
                    lambda *arguments: body({**known, **dict(zip(names, arguments, strict=True))}), len(names)
                )
            case ["let", name, term, rest]:
                value, body = self._compiled(term), self._compiled(rest)
                return lambda known: body({**known, name: value(known)})
            case ["make", constructor, terms]:
                parts = self._each(terms)
                return lambda known: _made(constructor, tuple([part(known) for part in parts]))
            case ["case", term, cases]:
                subject = self._compiled(term)
                branches = {constructor: (names, self._compiled(body)) for constructor, names, body in cases}
                return lambda known: _taken(subject(known), branches, known)
        raise ValueError(f"{term} is no term")

    def _each(self, terms: Iterable[Any]) -> list[Callable[[Known], Any]]:
        return [self._compiled(term) for term in terms]


def _applied(function: Any, arguments: Iterable[Any]) -> Any:
    for argument in arguments:
        function = function(argument)
    return function


def _made(constructor: str, parts: tuple[Any, ...]) -> Any:
    if constructor == "S":
        return parts[0] + 1
    return Made(constructor, parts) if parts else _CONSTANTS.get(constructor, Made(constructor))


def _taken(value: Any, branches: Branches, known: Known) -> Any:
    """Return the value of the branch for a value; the run may fork."""
    constructor, parts = value if isinstance(value, Made) else _taken_apart(value, branches)
    if constructor in branches:
        names, body = branches[constructor]
        return body({**known, **dict(zip(names, parts, strict=True))} if names else known)
    return branches["_"][1](known)


def _taken_apart(value: Any, branches: Branches) -> tuple[str, tuple[Any, ...]]:
    if "True" in branches or "False" in branches:
        return "True" if value else "False", ()
    if isinstance(value, int) and ("O" in branches or "S" in branches):
        return ("S", (value - 1,)) if value else ("O", ())
    raise ValueError(f"{value} is made by none of {', '.join(branches)}")
