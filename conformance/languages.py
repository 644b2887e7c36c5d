"""The languages that there are. Nothing of a language is imported before it is asked for."""

from __future__ import annotations

from typing import cast

from parte.conformance.fuzz.cases import Case
from parte.conformance.language import Language

AnyLanguage = Language[object, Case]
"""A language that was named by a user: what its programs are nobody knows, so they can only be handed back to it."""


def languages() -> tuple[AnyLanguage, ...]:
    """Every language; another one joins here."""
    from parte.conformance.parte.language import PARTELANG

    return (cast(AnyLanguage, PARTELANG),)


def profiles_of(name: str) -> tuple[str, ...]:
    """The profiles of a language in the order in which reports show them; none of a language that is not there."""
    return next((language.profiles for language in languages() if language.name == name), ())


def language_called(name: str) -> AnyLanguage:
    """The language of a name, in capitals or not. KeyError if there is none."""
    for language in languages():
        if language.name.lower() == name.lower():
            return language
    raise KeyError(name)
