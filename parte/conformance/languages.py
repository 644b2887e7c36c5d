"""The languages that there are. Nothing of a language is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from parte.conformance.fuzz.cases import Case
from parte.conformance.language import C, Language, P

AnyLanguage = Language[object, Case]
"""A language that was named by a user: what its programs are nobody knows, so they can only be handed back to it."""


_guests: list[AnyLanguage] = []


def languages() -> tuple[AnyLanguage, ...]:
    """Every language; another one joins here."""
    from parte.conformance.partelang.language import PARTELANG
    from parte.languages.cel.conformance.language import CEL
    from parte.languages.etalis.conformance.language import ETALIS
    from parte.languages.lead.conformance.language import LEAD

    return (
        cast(AnyLanguage, PARTELANG),
        cast(AnyLanguage, CEL),
        cast(AnyLanguage, ETALIS),
        cast(AnyLanguage, LEAD),
        *_guests,
    )


@contextmanager
def joined(language: Language[P, C]) -> Iterator[None]:
    """While this lasts there is one language more, that is not of this project."""
    _guests.append(cast(AnyLanguage, language))
    try:
        yield
    finally:
        _guests.pop()


def is_guest(language: AnyLanguage) -> bool:
    """Whether a language has joined in this process only, so that no other knows it."""
    return language in _guests


def profiles_of(name: str) -> tuple[str, ...]:
    """The profiles of a language in the order in which reports show them; none of a language that is not there."""
    return next((language.profiles for language in languages() if language.name == name), ())


def language_of(path: str) -> AnyLanguage | None:
    """The language in which a file is written, by its ending; None if that tells nothing."""
    return next((language for language in languages() if path.endswith(language.ending)), None)


def language_called(name: str) -> AnyLanguage:
    """The language of a name, in capitals or not. KeyError if there is none."""
    for language in languages():
        if language.name.lower() == name.lower():
            return language
    raise KeyError(name)
