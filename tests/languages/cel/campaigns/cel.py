"""Queries of CEL: the machine under every reading of rivals that it has, alone and as processes that share, against the
definition; and which repairs explain where the published algorithms differ."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.cel.algebra.denotation import TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.conformance.generation import GENERATION, Case
from parte.languages.cel.semantics.machine import RIVALS, Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.repairs import PUBLISHED, SOUND
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model
from tests.campaigns.running import Broken

_READ_OTHERWISE = (("sequence-after", "sequence", "meets"), ("nulls-apart", "nulls", "one"))
"""A repair, and what the definition reads otherwise so that it means what the machine does without it."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A query and a trace, for so many processes."""

    case: Case
    processes: int


class Cel:
    """The campaign."""

    name = "cel"

    def draw(self, source: random.Random) -> Shared:
        """A case of one of the menus of the kit."""
        draw = Seeded(source)
        case = GENERATION.drawn(draw)
        return Shared(GENERATION.varied(case, draw) if source.random() < 0.2 else case, source.randint(1, 5))

    def smaller(self, case: Shared) -> Iterator[Shared]:
        """The case as fuzzing makes it smaller, and for fewer processes."""
        yield from (replace(case, case=reduced) for reduced in smaller(GENERATION, case.case))
        if case.processes > 1:
            yield replace(case, processes=case.processes - 1)

    def show(self, case: Shared) -> str:
        """The query, the trace and how many processes."""
        return f"{case.case.text}-- {case.processes} processes\n" + "".join(f"{line}\n" for line in case.case.lines)

    def attack(self, case: Shared, counts: Counter[str]) -> None:
        """Machine and definition agree, shares are exact and level, and repairs explain what is published."""
        query = case.case.program
        events = [item for item in case.case.items if isinstance(item, Event)]
        if parse(print_query(query)) != query:
            raise Broken("what is printed is another query")
        try:
            expected = evaluate(query, events)
        except TooManyValuations:
            counts["too many valuations"] += 1
            return
        counts["with results"] += bool(expected)
        counts["results"] += len(expected)
        competing = query.strategy not in (tree.Strategy.ALL, tree.Strategy.STRICT)
        for rivals in RIVALS if competing else RIVALS[:1]:
            meant = evaluate(query, events, Readings(rivals=rivals)) if rivals != RIVALS[0] else expected
            counts[f"compared: sound, rivals {rivals}"] += 1
            _same(f"sound, rivals {rivals}", list(Machine(query, rivals=rivals).run(events)), meant)
            self._shares(case, events, rivals, meant, counts)
        for repair, reading, choice in _READ_OTHERWISE:
            counts[f"compared: without {repair}, {reading} {choice}"] += 1
            complex_events = list(Machine(query, SOUND.without(repair)).run(events))
            _same(f"without {repair}", complex_events, evaluate(query, events, Readings(**{reading: choice})))
        self._published(case, events, expected, counts)

    def _shares(
        self, case: Shared, events: Sequence[Event], rivals: str, meant: list[ComplexEvent], counts: Counter[str]
    ) -> None:
        every = range(case.processes)
        shares = [
            list(Machine(case.case.program, rivals=rivals, processes=case.processes, index=index).run(events))
            for index in every
        ]
        counts["compared: shares"] += 1
        _same("the union of the shares", [complex_event for share in shares for complex_event in share], meant)
        ends = [Counter(complex_event.end for complex_event in share) for share in shares]
        for end in {complex_event.end for complex_event in meant}:
            sizes = [share[end] for share in ends]
            if max(sizes) - min(sizes) > 1:
                raise Broken("shares that are not level", f"{sizes} of the results that end at {end}")

    def _published(
        self, case: Shared, events: Sequence[Event], expected: list[ComplexEvent], counts: Counter[str]
    ) -> None:
        def right(model: Model) -> bool:
            return _printed(case, events, model) == expected

        if right(PUBLISHED):
            counts["published agrees"] += 1
            return
        counts["published differs"] += 1
        needed = SOUND
        for name in SOUND.repair_names():
            if right(without := needed.without(name)):
                needed = without
        for name in SOUND.repair_names():
            counts[f"published differs for want of {name}"] += name in needed.repairs


def _printed(case: Shared, events: Sequence[Event], model: Model) -> list[ComplexEvent] | None:
    """What all processes print, or None if the machine with these repairs does not take the query."""
    try:
        return sorted(
            result
            for index in range(case.processes)
            for result in Machine(case.case.program, model, case.processes, index).run(events)
        )
    except Unsupported:
        return None


def _same(who: str, results: list[ComplexEvent], meant: list[ComplexEvent]) -> None:
    if sorted(results) != meant:
        missing, surplus = Counter(meant) - Counter(results), Counter(results) - Counter(meant)
        raise Broken(who, f"missing {sorted(missing)}, surplus {sorted(surplus)}")
