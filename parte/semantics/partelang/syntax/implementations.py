"""Tables of the implementations of built-in functions, for each reader of programs; others are rejected by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from parte.semantics.partelang.syntax.functions import lookup
from parte.semantics.source.packages import Unavailable

Implementation = TypeVar("Implementation")


class MissingFunction(Unavailable):
    """A function that an evaluator of PARTElang lacks."""

    def __init__(self, evaluator: str, function: str) -> None:
        super().__init__(f"{evaluator} cannot evaluate the function {function}", "choose another model")
        self.args = evaluator, function  # for pickle


def untranslated(function: str, language: str, otherwise: str) -> str:
    """Return the message about a function without a translation; `otherwise` is the reason for one of the user's."""
    registered = (row := lookup(function)) is not None and row.implementation is not None
    return f"function {function} " + (
        f"is registered from Python, which {otherwise}" if registered else f"has no translation to {language}"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Implementations(Generic[Implementation]):
    """The implementations of built-in functions of a reader of programs, by name.

    `refuse` makes the exception that is raised for any other function. `of_timestamps`: the table is of the functions
    by which `at` combines timestamps.
    """

    entries: Mapping[str, Implementation]
    refuse: Callable[[str], Exception]
    of_timestamps: bool = False

    def __getitem__(self, name: str) -> Implementation:
        """Return the entry of a function; raise the exception from `refuse` if there is none."""
        if name not in self.entries:
            raise self.refuse(name)
        return self.entries[name]

    def __contains__(self, name: str) -> bool:
        return name in self.entries
