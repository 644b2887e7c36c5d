"""Queries of EQL under every reading: the machine, on a whole trace and fed line by line, in any order that promises or
the disorder allow, against the definition, and the definition against the second one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.eql.conformance.drawing import Shape
from parte.languages.eql.conformance.generation import GENERATION, Case, drawn_case
from parte.languages.eql.running import begin, evaluate
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.languages.eql.semantics.text import TEXT
from parte.semantics.events.event import Progress, TraceItem
from parte.semantics.events.trace import trace_lines
from parte.semantics.rulebook.running import Request
from tests.campaigns.running import Broken
from tests.languages.eql import greedy

WILD = (Shape(events=30, depth=3), Shape(events=30, conditions=False, kinds=("sequence",)))
"""Longer traces than those of the menus of the kit."""


@dataclass(frozen=True, slots=True)
class Disordered:
    """A query with readings and a trace in order, and the seed of the order in which it comes, with how much disorder;
    by promises instead, if `promising`."""

    case: Case
    disorder: int
    promising: bool
    seed: int

    @property
    def items(self) -> list[TraceItem]:
        """The trace as it comes: in order, if the query takes the order of arrival."""
        items, rng = list[TraceItem](self.case.items), random.Random(self.seed)
        if readings_of(self.case.readings).order == "arrival":
            return items
        items = sorted(items, key=lambda item: item.timestamp + rng.random() * self.disorder)
        return promised(items, rng) if self.promising else items


def promised(items: Sequence[TraceItem], rng: random.Random) -> list[TraceItem]:
    """Return the items with progress lines of each source and template before and among them."""
    pairs = sorted({(item.source, item.template) for item in items})
    lines: list[TraceItem] = [Progress(source, template, -(10**6)) for source, template in pairs]
    for index, item in enumerate(items):
        lines.append(item)
        if rng.random() < 0.6:
            pair = rng.choice(pairs)
            left = [later.timestamp for later in items[index + 1 :] if (later.source, later.template) == pair]
            lines.append(Progress(*pair, min(left, default=2 * 10**12)))
    return lines


class Eql:
    """The campaign."""

    name = "eql"

    def draw(self, source: random.Random) -> Disordered:
        """A case of one of the menus of the kit, or a longer one."""
        draw = Seeded(source)
        case = drawn_case(draw, source.choice(WILD)) if source.random() < 0.3 else GENERATION.drawn(draw)
        return Disordered(case, source.choice((0, 1, 5)), source.random() < 0.5, source.randrange(10**6))

    def smaller(self, case: Disordered) -> Iterator[Disordered]:
        """The case as fuzzing makes it smaller, and in order."""
        yield from (replace(case, case=reduced) for reduced in smaller(GENERATION, case.case))
        if case.disorder or case.promising:
            yield replace(case, disorder=0, promising=False)

    def show(self, case: Disordered) -> str:
        """The query, its readings and the trace as it comes."""
        comment = f"// {dict(case.case.readings)}, disorder {case.disorder}\n"
        return case.case.text + comment + "".join(f"{line}\n" for line in trace_lines(case.items))

    def attack(self, case: Disordered, counts: Counter[str]) -> None:
        """Definitions and machine agree."""
        options, lines, source = case.case.readings, list(trace_lines(case.items)), TEXT.parse(case.case.text)
        if source.query != case.case.program:
            raise Broken("what is printed is another query")
        readings = readings_of(options)
        disorder = 0 if case.promising or readings.order == "arrival" else case.disorder
        expected = evaluate(source, lines, Request("definition", options, disorder))
        whole = evaluate(source, lines, Request("sound", options, disorder))
        running = begin(source, Request("sound", options, disorder))
        fed = [result for batch in (*running.feed(lines), *running.end()) for result in batch]
        meant = TEXT.match_lines(expected)
        for name, results in (("machine", whole), ("machine, fed", fed)):
            if TEXT.match_lines(results) != meant:
                raise Broken(name, f"{TEXT.match_lines(results)}, where the definition has {meant}")
        counts[type(source.query).__name__] += 1
        counts["with results"] += bool(expected)
        counts["with readings"] += bool(options)
        if isinstance(source.query, tree.Sequence) and readings.missing == "chain":
            spanned = source.query.maxspan is not None
            events = ordered(case.items, Stream(readings, "", disorder, spanned=spanned))
            again = greedy.results(source.query, events, readings)
            for pipe in source.query.pipes:
                again = again[: pipe.count] if pipe.end is tree.End.HEAD else again[-pipe.count :]
            counts["with the second definition"] += 1
            if again != expected:
                raise Broken("second definition", f"{again}, where the first has {expected}")
