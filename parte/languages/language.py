"""A language as PARTE finds it: its name, the ending of its programs, and where its facets are.

A facet is what one role of PARTE asks of every language: its text, its rules, its checks, its part in the conformance
kit. The role declares the facet as a key with a type, as `TEXT` in `parte.semantics.source.text`. A language only names
the object that answers, so this module knows no role, and nothing of a language is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from typing import Generic, TypeVar, cast

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Facet(Generic[F]):
    """The key of a facet whose value has the type F. `about` says in messages what a language without it lacks."""

    name: str
    about: str


class LacksFacet(LookupError):
    """A language does not have what was asked of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language: its name, the ending of its programs, and the source that its sections cite, as "D".

    `facets` maps the name of each facet that the language has to a place (see `loaded`), as in
    "parte.languages.cel.conformance.kit:KIT", or to a function that returns its value.
    """

    name: str
    ending: str
    source: str
    facets: Mapping[str, str | Callable[[], object]]

    def has(self, facet: Facet[F]) -> bool:
        """Return whether the language has a facet; imports nothing."""
        return facet.name in self.facets

    def __getitem__(self, facet: Facet[F]) -> F:
        """Return a facet, importing it on first use. Raises LacksFacet if the language does not have it."""
        if facet.name not in self.facets:
            raise LacksFacet(f"{self.name} has no {facet.about}")
        provider = self.facets[facet.name]
        return cast(F, loaded(provider) if isinstance(provider, str) else provider())

    def having(self, facet: Facet[F], value: F) -> Language:
        """Return the language with another value of a facet."""
        return replace(self, facets={**self.facets, facet.name: lambda: value})


@cache
def loaded(place: str) -> object:
    """Return the object at "module:NAME", or the result of the function at "module:NAME()"."""
    module, _, name = place.partition(":")
    provider: object = getattr(import_module(module), name.removesuffix("()"))
    return cast(Callable[[], object], provider)() if name.endswith("()") else provider


def lazy(place: str) -> Callable[[], F]:
    """Return a function that imports the value at a place (see `loaded`) when it is called."""
    return cast(Callable[[], F], partial(loaded, place))
