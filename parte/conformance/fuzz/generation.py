"""Drawing cases batch by batch, more of the kinds that the engine supports.

An engine reports an unsupported construct only when it runs a case; a menu of which it refuses most cases is chosen
less often from then on, but never excluded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Generic

from parte.conformance.fixtures import Expected, Fixture
from parte.conformance.fuzz.cases import C, Case, Generation, Menu
from parte.conformance.fuzz.draw import seeded
from parte.conformance.measure import expected_of
from parte.conformance.runner.judging import Prepared, prepare
from parte.languages.language import Language

BATCH = 8
"""Programs of a batch."""

VARIANTS = 4
"""Variants of each case that is drawn."""

SAMPLED = 60
"""Cases of a sample."""

UNNAMED = "fuzz/case"
"""The id of a case before it is a finding."""


@dataclass(slots=True)
class Generator(Generic[C]):
    """The cases of a campaign: the same for a seed and the same replies."""

    generation: Generation[C]
    seed: int
    requests: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def cases(self) -> Iterator[tuple[Menu[C], C]]:
        """Yield cases without end, each with its menu; calls of `note` in between affect the choice of later batches.

        The variants of each drawn case follow it.
        """
        for number in count():
            draw = seeded(f"{self.seed}/{number}")
            menu = draw.rng.choices(self.generation.menus, [self._weight(menu) for menu in self.generation.menus])[0]
            for _ in range(BATCH):
                for case in menu.drawn(draw):
                    yield menu, case
                    if case.lines:
                        for _ in range(VARIANTS):
                            yield menu, self.generation.varied(case, draw)

    def note(self, menu: Menu[C], *, refused: bool) -> None:
        """Record whether the engine refused a case of a menu."""
        self.requests[menu.name] += 1
        self.refused[menu.name] += refused

    def _weight(self, menu: Menu[C]) -> float:
        expressed = self.requests[menu.name] - self.refused[menu.name]
        return menu.weight * ((expressed + 1) / (self.requests[menu.name] + 1)) ** 2


def sample(generation: Generation[C], seed: int) -> list[C]:
    """Return some cases of all kinds: of many programs one case or two."""
    drawn_cases = islice(Generator(generation, seed).cases(), 0, SAMPLED * 8, 8)
    return [case for _, case in drawn_cases]


def prepared(language: Language, case: Case) -> Prepared | None:
    """Return the case with the expectation of the definition; None if its program or its trace is invalid, or if the
    definition would look at more values than it may (MemoryError)."""
    trace = tuple(json.loads(line) for line in case.lines)
    fixture = Fixture(
        UNNAMED, "", "core", "", (), (), (), "", (case.text,), {}, 0, dict(case.options), trace, Expected()
    )
    try:
        expected = expected_of(language, fixture)
    except MemoryError:
        return None
    return None if expected.rejected is not None else prepare(replace(fixture, expected=expected), language)
