"""EQL in the conformance kit."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from parte.conformance.engines.registry import Engines, Listed, found_engines
from parte.conformance.kit import Example, Kit
from parte.languages.eql.conformance.engine import EqlEngine
from parte.languages.eql.conformance.generation import Case
from parte.languages.eql.conformance.notation import NOTATION
from parte.languages.eql.running import RUNNER
from parte.languages.language import lazy


def _engines() -> Engines:
    own = {name: Listed(partial(EqlEngine, name)) for name in RUNNER.models}
    return {**own, **found_engines("parte.languages.eql.conformance.engines")}


KIT: Kit[Case] = Kit(
    suite=Path(__file__).parents[1] / "suite",
    notation=NOTATION,
    shapes=lazy("parte.languages.eql.conformance.notation:SHAPES"),
    drawn=("breadth",),
    profiles=(
        "core",
        "conditions",
        "keys",
        "windows",
        "until",
        "missing",
        "samples",
        "pipes",
        "readings",
        "rejects",
    ),
    example=Example(
        "sequence with maxspan=1m [A where true] [B where true]\n",
        tuple({"id": name.lower(), "template": name, "timestamp": 0} for name in "ACB"),
        {"keys": [], "events": ["a", "b"]},
        "sequence with maxspan=1m [A where true] [B where]\n",
    ),
    engines=_engines,
    recorded=Path(__file__).parent,
    definition="definition",
    measures=lazy("parte.languages.eql.conformance.measure:MEASURES"),
    mutants=lazy("parte.languages.eql.conformance.mutants:mutants()"),
    killers=Path(__file__).parent / "mutants",
    published=lambda: None,
    generation=lazy("parte.languages.eql.conformance.generation:GENERATION"),
)
