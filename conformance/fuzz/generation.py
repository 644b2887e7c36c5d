"""Drawing cases from the strategies, batch by batch, more of the kinds that the engine can express. Needs hypothesis.

A menu says what the cases of a batch may have. An engine says that it cannot express something only when it is asked; a
menu of which it refuses most is taken less often from then on, and never quite left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from random import Random

from hypothesis import strategies as st

from conformance.fuzz.cases import Case
from conformance.fuzz.variation import varied
from conformance.strategies import Draw, ProgramShape, drawn, programs, traces
from semantics.events.event import TraceItem
from semantics.syntax import core

PROGRAMS = 8
"""Programs of a batch."""

TRACES = 2
"""Traces that are drawn for a program."""

VARIANTS = 4
"""Variants of each of them."""

SAMPLED = 60
"""Cases of a sample."""


@dataclass(frozen=True, slots=True)
class Menu:
    """What the cases of a batch may have, and how often it is taken from an engine that expresses all of it."""

    name: str
    shape: ProgramShape
    sources: int = 1
    promises: bool = False
    weight: int = 1


_PLAIN = ProgramShape(patterns=2, rules=1, strata=1, negation=False, conditions=False, emissions=False)

MENUS = (
    Menu("everything", ProgramShape(), 3, True, weight=4),
    Menu("pairs", _PLAIN),
    Menu("joins", ProgramShape(3, 2, 1, negation=False, conditions=False, emissions=False)),
    Menu("conditions", ProgramShape(3, 1, 1, negation=False, emissions=False)),
    Menu("emission", ProgramShape(2, 3, 2, negation=False)),
    Menu("negation", ProgramShape(3, 1, 1, conditions=False, emissions=False), weight=2),
    Menu("negation with conditions", ProgramShape(3, 1, 1, emissions=False)),
    Menu("several sources", ProgramShape(3, 1, 1, conditions=False, emissions=False), 3),
    Menu("promises", ProgramShape(3, 1, 1, conditions=False, emissions=False), 2, True),
)


@dataclass(slots=True)
class Generator:
    """The cases of a campaign: the same for a seed and the same replies, with the same version of hypothesis."""

    seed: int
    asked: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def cases(self) -> Iterator[tuple[Menu, Case]]:
        """Cases without end, each with its menu; what is said with `note` in between steers the batches to come."""
        number = 0
        while True:
            rng = Random(f"{self.seed}/{number}")
            menu = rng.choices(MENUS, [self._weight(menu) for menu in MENUS])[0]
            for case in _batch(menu, rng):
                yield menu, case
            number += 1

    def note(self, menu: Menu, *, refused: bool) -> None:
        """Whether the engine refused a case of a menu."""
        self.asked[menu.name] += 1
        self.refused[menu.name] += refused

    def _weight(self, menu: Menu) -> float:
        expressed = self.asked[menu.name] - self.refused[menu.name]
        return menu.weight * ((expressed + 1) / (self.asked[menu.name] + 1)) ** 2


def sample(seed: int) -> list[Case]:
    """Some cases of all kinds: of many programs one case or two."""
    drawn_cases = islice(Generator(seed).cases(), 0, SAMPLED * 8, 8)
    return [case for _, case in drawn_cases]


@cache
@st.composite
def _program_with_traces(draw: Draw, menu: Menu) -> tuple[core.Program, list[tuple[TraceItem, ...]]]:
    program = draw(programs(menu.shape))
    kind = traces(program, sources=menu.sources, promises=menu.promises)
    return program, [draw(kind) for _ in range(TRACES)]


def _batch(menu: Menu, rng: Random) -> Iterator[Case]:
    """The cases of a menu; of each drawn trace, its variants follow it."""
    for program, drawn_traces in drawn(_program_with_traces(menu), rng.getrandbits(64), PROGRAMS):
        for items in drawn_traces:
            case = Case(program.source, items)
            yield case
            if items:
                for _ in range(VARIANTS):
                    yield Case(program.source, varied(items, case.distances, rng))
