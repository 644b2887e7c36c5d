"""What the menus of the four languages draw: every construct, and what engines get wrong, in cases enough."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from parte.conformance.constructs import kinds, listed
from parte.conformance.fuzz.cases import Case
from parte.conformance.fuzz.draw import seeded
from parte.conformance.kit import KIT
from parte.conformance.partelang.fuzz.cases import Case as PartelangCase
from parte.languages.language import Language
from parte.languages.registry import languages
from parte.semantics.events.event import Event, Progress
from parte.semantics.source.text import TEXT
from tests.guests import modules

CASES = 1_500
LEAST = 3
"""In so many of the cases at least each of them stands."""

UNDRAWN = {
    "PARTElang": {
        *("function-call", "list", "negation", "predicate-call", "compound", "not", "pattern-test"),
        *("aggregate", "clock-reading", "time-constant", "presence"),
    },
    "EQL": {"null"},
}
"""Constructs that no menu draws, those of level 2 among them; `tests.algebra.partelang.strategies` and
`tests.semantics.partelang.test_level_2` draw them for the models of the project."""

WILD = {
    "PARTElang": {"ties", "no event", "extremes", "out of order", "promises", "self-joins", "several strata"},
    "CEL": {"ties", "no event", "extremes"},
    "ETALIS": {"ties", "no event", "recursion"},
    "LEAD": {"ties", "empty streams"},
    "EQL": {"ties", "no event"},
}


def wild(case: Case) -> Iterator[str]:
    """What a case has of what engines get wrong."""
    times = [item.timestamp for item in case.items]
    events = [item for item in case.items if isinstance(item, Event)]
    integers = {value for event in events for value in event.attributes.values() if type(value) is int}
    facts = {
        "ties": len(set(times)) < len(times),
        "no event": not times,
        "extremes": bool(integers & {2**63 - 1, -(2**63)}),
        "out of order": times != sorted(times),
        "promises": any(isinstance(item, Progress) for item in case.items),
        "empty streams": not {"A", "B", "C"} <= {event.template for event in events},
    }
    for guest in modules("wild"):
        facts |= guest.wild(case.program)
    if isinstance(case, PartelangCase):
        read = [[pattern.template for pattern in rule.patterns] for rule in case.rules]
        emitted = {emission.template for rule in case.rules for emission in rule.emissions}
        facts["self-joins"] = any(len(set(templates)) < len(templates) for templates in read)
        facts["several strata"] = any(emitted & set(templates) for templates in read)
    return (name for name, holds in facts.items() if holds)


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.name)
def test_every_construct_is_drawn(language: Language) -> None:
    generation, text = language[KIT].generation(), language[TEXT]
    counts: Counter[str] = Counter()
    for seed in range(CASES):
        case = generation.drawn(seeded(seed))
        counts.update({*kinds(json.loads(json.dumps(text.tree(text.parse(case.text))))), *wild(case)})
    wanted = {*listed(text.schema()), *WILD[language.name]} - UNDRAWN.get(language.name, set())
    assert {name: counts[name] for name in wanted if counts[name] < LEAST} == {}
