"""The languages that there are: PARTElang, and those that installed packages register.

A package registers a language as an entry point of the group `parte.languages`, whose object is its record
(`parte.languages.language.Language`). The guests that this project brings along are registered in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

from parte.languages.language import Language
from parte.languages.partelang import PARTELANG

GROUP = "parte.languages"
_joined: list[Language] = []


class BadRegistration(RuntimeError):
    """An installed package registers something that is no language, or a language that there is already."""


def languages() -> tuple[Language, ...]:
    """Return every language: PARTElang, then the registered ones by name. Nothing of a language is imported but its
    record."""
    return (PARTELANG, *_registered(), *_joined)


def missing() -> tuple[str, ...]:
    """Return the names of registered languages whose modules are not there, as in a copy from which one was deleted."""
    return tuple(point.name for point in _points() if not _is_there(point))


@cache
def _registered() -> tuple[Language, ...]:
    registered: dict[str, Language] = {PARTELANG.name: PARTELANG}
    for point in _points():
        if not _is_there(point):
            continue
        language = point.load()
        if not isinstance(language, Language):
            raise BadRegistration(
                f"the entry point {point.name!r} ({point.value}) is no parte.languages.language.Language"
            )
        if any(
            (language.name.lower(), language.ending) == (known.name.lower(), known.ending)
            for known in registered.values()
        ):
            raise BadRegistration(f"the entry point {point.name!r} ({point.value}) registers {language.name} once more")
        registered[language.name] = language
    return tuple(
        sorted(
            (language for language in registered.values() if language is not PARTELANG),
            key=lambda language: language.name,
        )
    )


def _points() -> tuple[EntryPoint, ...]:
    """The entry points, each once: an installation in place may list them twice."""
    return tuple({(point.name, point.value): point for point in entry_points(group=GROUP)}.values())


def _is_there(point: EntryPoint) -> bool:
    try:
        return find_spec(point.module) is not None
    except ModuleNotFoundError:
        return False


@contextmanager
def joined(language: Language) -> Iterator[None]:
    """Add a language for the duration of a `with` block, in this process only."""
    _joined.append(language)
    try:
        yield
    finally:
        _joined.pop()


def is_joined(language: Language) -> bool:
    """Return whether a language was added to this process only, so that no other process has it."""
    return language in _joined


def language_of(path: str) -> Language | None:
    """Return the language of a file by its ending; None if no language has that ending."""
    if path.endswith(PARTELANG.ending):
        return PARTELANG
    return next((language for language in languages() if path.endswith(language.ending)), None)


def language_called(name: str) -> Language:
    """Return the language of a name, in any case. Raises KeyError if there is none."""
    if name.lower() == PARTELANG.name.lower():
        return PARTELANG
    for language in languages():
        if language.name.lower() == name.lower():
            return language
    raise KeyError(name)
