"""Renaming of names that a program declares."""

from __future__ import annotations

import re

from parte.editing.analysis import Analysis
from parte.editing.names import Entity, Extent, Name, Sort
from parte.semantics.source.limits import MAX_NAME_CHARACTERS

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class NotRenamed(ValueError):
    """Error: the name cannot be changed, or not into this one."""


_ALONE = frozenset({Sort.ATTRIBUTE, Sort.VARIABLE, Sort.RULE})


def _space(entity: Entity) -> tuple[str, str]:
    """Return the space in which the names of such entities must differ (specification: name-spaces)."""
    return (entity.sort.value, entity.owner) if entity.sort in _ALONE else ("", "")


def renamable(analysis: Analysis, offset: int) -> Name | None:
    """Return the name at an offset if its entity is declared in this text, so that all of its places are known; else
    None."""
    name = analysis.names.at(offset)
    if name is None or not analysis.support.exact or not analysis.names.declarations(name.entity):
        return None
    return name


def renamed(analysis: Analysis, offset: int, word: str) -> list[Extent]:
    """Return the places at which a name must be replaced. Raise NotRenamed if the program would change its meaning."""
    name = renamable(analysis, offset)
    if name is None:
        raise NotRenamed("what stands here is declared nowhere in this file")
    colouring = analysis.support.colouring
    if not _NAME.fullmatch(word) or len(word) > MAX_NAME_CHARACTERS:
        raise NotRenamed(f"`{word}` is no name: letters, digits and underscores, not beginning with a digit")
    if word in colouring.words or word in colouring.units:
        raise NotRenamed(f"`{word}` is a word of {colouring.language}: choose another name")
    names = analysis.names
    spaces = {_space(entity) for entity in names.together(name.entity)}
    taken = {known.entity.name for known in names.names if _space(known.entity) in spaces}
    if word != name.entity.name and word in taken.union(*names.given_names.values()):
        raise NotRenamed(f"there is a `{word}` already: choose another name")
    return [use.extent for use in analysis.names.of(name.entity)]
