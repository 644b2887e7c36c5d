"""The pairs of languages with a translation, text to text. A language is imported only when a translation needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from parte.languages.language import Facet, loaded
from parte.languages.registry import languages


@dataclass(frozen=True, slots=True)
class Given:
    """The input of a translation: a program as text, the name of a rule, and a program whose templates declare the
    types of events."""

    text: str
    rule: str | None = None
    templates: str | None = None


class NoSuchRule(ValueError):
    """Error: the program has several rules and none is named, or it has no rule of that name."""


Translation = Callable[[Given], str]
"""A translation. It raises ProgramError if the program cannot be read or has no translation, and NoSuchRule."""

Translations = Mapping[tuple[str, str], Translation]
"""Translations by the names of the languages, from and to."""

TRANSLATIONS: Facet[Translations] = Facet("translations", "translation")
"""The translations from and to a language."""


def lazily(place: str) -> Translation:
    """Return a translation that imports the function at a place (`language.loaded`) when it is called."""

    def translation(request: Given) -> str:
        return cast(Translation, loaded(place))(request)

    return translation


def translations() -> Translations:
    """Return the translations between the languages that there are."""
    names = {language.name for language in languages()}
    return {
        way: translation
        for language in languages()
        if language.has(TRANSLATIONS)
        for way, translation in language[TRANSLATIONS].items()
        if names.issuperset(way)
    }
