"""What a case asks an engine to have: the profiles that it has reason to be in, and the kinds of nodes of its program
(specification: protocol-constructs)."""

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
"""What stands before the kind of a node, which a profile may be called like."""


def constructs_of(language: Language) -> frozenset[str]:
    """All that an engine for a language may declare."""
    return frozenset((*language[KIT].profiles, *(NODE + kind for kind in listed(language[TEXT].schema()))))


def declarable(language: Language) -> frozenset[str]:
    """All that an engine may declare that is asked about a language: it may speak the others, too."""
    return constructs_of(language).union(*(constructs_of(each) for each in languages()))


def unknown(declared: Iterable[str], known: Collection[str]) -> list[str]:
    """What is declared and is no construct, each with what was probably meant."""
    found = []
    for name in declared:
        if name not in known:
            near = get_close_matches(name, known, 1)
            found.append(f"{name!r}, which is no construct" + (f"; did you mean {near[0]!r}?" if near else ""))
    return found


def needed(case: Fixture, tree: Json, language: Language) -> frozenset[str]:
    """What a case needs, whose program has a tree as engines are given it."""
    return frozenset((*language[KIT].measures().traits(case), *(NODE + kind for kind in kinds(tree))))


def kinds(tree: Json) -> Iterator[str]:
    """The kinds of all nodes."""
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
    """The kinds that a schema lets nodes have."""
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
