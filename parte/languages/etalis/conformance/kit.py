"""ETALIS in the conformance kit."""

from __future__ import annotations

from pathlib import Path

from parte.conformance.engines.own import own
from parte.conformance.engines.registry import Engines, found_engines
from parte.conformance.kit import Example, Kit
from parte.languages.etalis.conformance.engine import EtalisEngine
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.conformance.notation import NOTATION
from parte.languages.language import lazy


def _engines() -> Engines:
    return {**own(EtalisEngine), **found_engines("parte.languages.etalis.conformance.engines")}


KIT: Kit[Case] = Kit(
    suite=Path(__file__).parents[1] / "suite",
    notation=NOTATION,
    shapes=lazy("parte.languages.etalis.conformance.notation:SHAPES"),
    drawn=("breadth",),
    profiles=(
        *("core", "data", "intervals", "lasting", "moments", "negation", "recursion", "policies", "readings"),
        "rejects",
    ),
    example=Example(
        "e <- a SEQ b.\n",
        ({"template": "a", "timestamp": 1}, {"template": "b", "timestamp": 2}),
        {"event": "e", "arguments": [], "start": 1, "end": 2},
        "e <- a SEK b.\n",
    ),
    engines=_engines,
    recorded=Path(__file__).parent,
    definition="definition",
    measures=lazy("parte.languages.etalis.conformance.measure:MEASURES"),
    mutants=lazy("parte.languages.etalis.conformance.mutants:mutants()"),
    killers=Path(__file__).parent / "mutants",
    published=lazy("parte.languages.etalis.conformance.mutants:AS_PUBLISHED"),
    generation=lazy("parte.languages.etalis.conformance.generation:GENERATION"),
)
