"""Measures of cases of EQL: the rules that fire, the constructs that an engine needs, and what an error contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from parte.conformance.firing import rules_fired
from parte.conformance.fixtures import Fixture
from parte.conformance.kit import Measures
from parte.languages.eql.conformance.engine import EqlEngine
from parte.languages.eql.semantics.listing import RULES
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.text import parsed

Json = Any


def constructs(case: Fixture) -> Iterator[str]:
    """Yield the profiles that the constructs of a case belong to, except `core`."""
    query = parsed(case.text).query
    nodes = list(tree.within(query))
    stages = [node for node in nodes if isinstance(node, tree.Stage)]
    events = [node for node in nodes if isinstance(node, tree.Event)]
    by_profile = {
        "conditions": any(event.condition != tree.Literal(True) for event in events),
        "keys": isinstance(query, tree.Sequence) and any(tree.keys_of(query, stage) for stage in stages),
        "windows": isinstance(query, tree.Sequence) and query.maxspan is not None,
        "until": isinstance(query, tree.Sequence) and query.until is not None,
        "missing": any(stage.missing for stage in stages),
        "samples": isinstance(query, tree.Sample),
        "pipes": not isinstance(query, tree.Sample) and bool(query.pipes),
        "readings": bool(case.options),
    }
    yield from (name for name, has in by_profile.items() if has)


def contradicted(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    """Return the rule of the most particular construct of the query, and the effect that an engine contradicts."""
    if not missing and not spurious:
        return None
    query, traits = parsed(case.text).query, set(constructs(case))
    ends = ", ".join(map(str, (missing or spurious)[0].get("events", ())))
    effect = f"the result {ends} is found" if missing else f"no result is {ends}"
    of_traits = {"pipes": "EQL/PIPE", "samples": "EQL/SAMPLE", "missing": "EQL/GAP", "until": "EQL/KILL"}
    if isinstance(query, tree.Sequence) and query.stages[-1].missing:
        return "EQL/AFTER", effect
    if isinstance(query, tree.Sequence) and query.stages[0].missing:
        return "EQL/BEFORE", effect
    rule = next((rule for trait, rule in of_traits.items() if trait in traits), None)
    if rule is None:
        others = {"conditions": "EQL/THREE", "keys": "EQL/KEY", "windows": "EQL/EXPIRED"}
        last = "EQL/EVENT" if isinstance(query, tree.Single) else "EQL/TAKE"
        rule = next((rule for trait, rule in others.items() if trait in traits), last)
    return rule, effect


MEASURES = Measures(rules_fired(RULES, EqlEngine), constructs, contradicted)
