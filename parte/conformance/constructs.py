"""The constructs that a case requires of an engine: the profiles that fit the case, and the kinds of nodes of its
program (specification: protocol-constructs)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from parte.conformance.fixtures import Fixture
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.semantics.source.text import TEXT

Json = Any
NODE = "ast:"
"""The prefix of the kind of a node in a declaration, which distinguishes it from a profile of the same name."""


def constructs_of(language: Language) -> frozenset[str]:
    """Return all constructs that an engine for a language may declare."""
    return frozenset((*language[KIT].profiles, *(NODE + kind for kind in listed(language[TEXT].schema()))))


def declarable(language: Language) -> frozenset[str]:
    """Return all constructs that an engine may declare when it is run on a language: it may support others, too."""
    return constructs_of(language).union(*(constructs_of(installed) for installed in languages()))


def unknown(declared: Iterable[str], known: Collection[str]) -> list[str]:
    """Return a message for each declared name that is not a construct, with the construct that was probably meant."""
    messages = []
    for name in declared:
        if name not in known:
            near = get_close_matches(name, known, 1)
            messages.append(f"{name!r}, which is no construct" + (f"; did you mean {near[0]!r}?" if near else ""))
    return messages


def needed(case: Fixture, tree: Json, language: Language) -> frozenset[str]:
    """Return the constructs that a case requires whose program has this tree, in the form that engines receive."""
    return frozenset((*language[KIT].measures().traits(case), *(NODE + kind for kind in kinds(tree))))


def kinds(tree: Json) -> Iterator[str]:
    """Yield the kinds of all nodes."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("kind"), str):
                yield node["kind"]
            waiting += node.values()
        elif isinstance(node, list | tuple):
            waiting += node


def listed(schema: Json) -> Iterator[str]:
    """Yield the kinds of nodes that a schema allows."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            kind = part["properties"].get("kind") if isinstance(part.get("properties"), dict) else None
            if isinstance(kind, dict):
                yield from (name for name in (kind.get("const"), *kind.get("enum", ())) if isinstance(name, str))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
