"""CEL in the conformance kit."""

from __future__ import annotations

from pathlib import Path

from parte.conformance.engines.own import own
from parte.conformance.engines.registry import Engines, found_engines
from parte.conformance.kit import Example, Kit
from parte.languages.cel.conformance.engine import CelEngine
from parte.languages.cel.conformance.generation import Case
from parte.languages.cel.conformance.notation import NOTATION
from parte.languages.language import lazy


def _engines() -> Engines:
    return {**own(CelEngine), **found_engines("parte.languages.cel.conformance.engines")}


KIT: Kit[Case] = Kit(
    suite=Path(__file__).parents[1] / "suite",
    notation=NOTATION,
    shapes=lazy("parte.languages.cel.conformance.notation:SHAPES"),
    drawn=("breadth",),
    profiles=(
        "core",
        "conditions",
        "projection",
        "contiguous",
        "windows",
        "streams",
        "partition",
        "strategies",
        "consumption",
        "links",
        "shares",
        "rejects",
    ),
    example=Example(
        "SELECT * WHERE A; B\n",
        tuple({"id": name.lower(), "template": name, "timestamp": 0} for name in "ACB"),
        {"start": 0, "end": 2, "events": ["a", "b"]},
        "SELECT * WHERE A; ; B\n",
    ),
    engines=_engines,
    recorded=Path(__file__).parent,
    definition="definition",
    measures=lazy("parte.languages.cel.conformance.measure:MEASURES"),
    mutants=lazy("parte.languages.cel.conformance.mutants:mutants()"),
    killers=Path(__file__).parent / "mutants",
    published=lazy("parte.languages.cel.conformance.mutants:AS_PUBLISHED"),
    generation=lazy("parte.languages.cel.conformance.generation:GENERATION"),
)
