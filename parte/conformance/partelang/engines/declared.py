"""The constructs that adapters of foreign engines declare (specification: protocol-constructs)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache

from parte.conformance.constructs import constructs_of
from parte.conformance.kit import KIT
from parte.conformance.protocol import Greeting
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.syntax.constructs import Construct

_KINDS: Mapping[str, Collection[Construct]] = {
    "ast:compound": {Construct.CONNECTIVES},
    "ast:not": {Construct.CONNECTIVES},
    "ast:presence": {Construct.PRESENCE},
    "ast:pattern-test": {Construct.STRINGS, Construct.REGULAR, Construct.NETWORKS},
    "ast:time-constant": {Construct.TIMES},
    "ast:clock-reading": {Construct.CLOCKS},
    "ast:aggregate": {Construct.SETS},
}
"""The constructs of level 2 with each kind of node: whoever has one of them declares the kind."""


@cache
def all_but(*lacking: str) -> tuple[str, ...]:
    """Return all constructs of level 1 of PARTElang except those that an engine lacks, and except `rejects`: adapters
    get valid programs only. Each case of another level needs the profile of that level."""
    return tuple(sorted(constructs_of(PARTELANG) - {"rejects", *PARTELANG[KIT].extensions, *lacking}))


def with_level_2(greeting: Greeting, declared: Collection[Construct]) -> Greeting:
    """Return the greeting of an engine of level 1 that has constructs of level 2 too: with the profiles of that level,
    without the kinds of nodes that the engine lacks."""
    if greeting.constructs is None or not declared:
        return greeting
    absent = {kind for kind, having in _KINDS.items() if not set(declared) & set(having)}
    more = {*greeting.constructs, *PARTELANG[KIT].extensions} - absent
    return replace(greeting, constructs=tuple(sorted(more)))
