"""Rules of LEAD: the net under many schedules, and under every reading that it has, against the definition; a trace out
of order, and fed event by event, against the same in order; which repairs explain where the net as printed differs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.lead.algebra.effort import TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.generation import GENERATION, Case, drawn_case
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import TooManyFirings
from parte.languages.lead.semantics.repairs import PUBLISHED, SOUND
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence, match_to_json
from parte.languages.lead.semantics.syntax.parser import parse
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.syntax.readings import CHOICES, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.translation import NoNet
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model
from tests.campaigns.running import Broken

WILD = (Shape(depth=3, events=12, least=6), Shape(depth=4, events=9, least=4), Shape(depth=6, events=7, least=3))
"""Larger than what the menus of the kit draw."""
SCHEDULES = 3


@dataclass(frozen=True, slots=True)
class Disordered:
    """A rule and a trace in order, and in which other order and with which disorder the trace comes."""

    case: Case
    disorder: int
    seed: int


class Lead:
    """The campaign."""

    name = "lead"

    def draw(self, source: random.Random) -> Disordered:
        """A case of one of the menus of the kit, or a larger one, which often has what can be read otherwise."""
        draw = Seeded(source)
        if source.random() < 0.6:
            case = drawn_case(draw, source.choice(WILD))
            while source.random() < 0.7 and not any(map(_ambiguous, tree.within(case.program.pattern))):
                case = drawn_case(draw, source.choice(WILD))
        else:
            case = GENERATION.drawn(draw)
        case = GENERATION.varied(case, draw) if source.random() < 0.2 else case
        return Disordered(case, source.choice((0, 1, 2, 5)), source.randrange(10**6))

    def smaller(self, case: Disordered) -> Iterator[Disordered]:
        """The case as fuzzing makes it smaller, and in order."""
        yield from (replace(case, case=reduced) for reduced in smaller(GENERATION, case.case))
        if case.disorder:
            yield replace(case, disorder=0)

    def show(self, case: Disordered) -> str:
        """The rule, the trace and the disorder."""
        comment = f"// disorder {case.disorder}, seed {case.seed}\n"
        return case.case.text + comment + "".join(f"{line}\n" for line in case.case.lines)

    def attack(self, case: Disordered, counts: Counter[str]) -> None:
        """Net and definition agree, and repairs explain what is published."""
        rule = case.case.program
        items = [item for item in case.case.items if isinstance(item, Event)]
        if parse(print_rule(rule)) != rule:
            raise Broken("what is printed is another rule")
        events = occurrences(rule, items)
        try:
            expected = _written(evaluate(rule, events))
            _same("sound", _found(rule, events, SOUND), expected)
        except (TooManyMatches, TooManyFirings):
            counts["too much"] += 1
            return
        counts["with results"] += bool(expected)
        counts["results"] += len(expected)
        _count(case, events, counts)
        for schedule in range(1, SCHEDULES):
            _same("sound", _found(rule, events, SOUND, random.Random(case.seed + schedule)), expected)
        counts["compared: sound"] += SCHEDULES
        self._read_otherwise(rule, events, random.Random(case.seed), expected, counts)
        _same("fed", _fed(rule, items, 0), expected)
        self._out_of_order(case, items, expected, counts)
        self._published(rule, events, expected, counts)

    def _read_otherwise(
        self,
        rule: tree.Rule,
        events: Sequence[Occurrence],
        source: random.Random,
        usual: list[str],
        counts: Counter[str],
    ) -> None:
        """The net under readings, some of them others than the usual ones."""
        readings = Readings(**{name: source.choice(choices) for name, choices in CHOICES.items()})
        try:
            machine = Machine(rule, schedule=source, readings=readings)
            meant, matches = _written(evaluate(rule, events, readings)), _written(machine.run(events))
        except NoNet:
            counts["read otherwise: no net"] += 1
            return
        except (TooManyMatches, TooManyFirings):
            counts["read otherwise: too much"] += 1
            return
        counts["compared: read otherwise"] += 1
        counts["read otherwise: finds something else"] += meant != usual
        _same("read otherwise", matches, meant)

    def _out_of_order(
        self, case: Disordered, items: Sequence[Event], expected: list[str], counts: Counter[str]
    ) -> None:
        """Arrivals that are late by at most the disorder, those of one time in their order, change nothing."""
        if not case.disorder:
            return
        source = random.Random(case.seed)
        late = [(item.timestamp + source.randint(0, case.disorder), item.timestamp) for item in items]
        places = sorted(range(len(items)), key=lambda place: (late[place], place))
        if [items[place].timestamp for place in places] == [item.timestamp for item in items]:
            return
        order = {id(items[place]): number for number, place in enumerate(places)}
        arrived = sorted(items, key=lambda item: order[id(item)])
        ties = sorted(arrived, key=lambda item: item.timestamp)
        if ties != list(items):  # events of one time came in another order: another trace
            return
        counts["compared: out of order"] += 1
        events = occurrences(case.case.program, arrived, case.disorder)
        _same("out of order", _found(case.case.program, events, SOUND), expected)
        _same("fed out of order", _fed(case.case.program, arrived, case.disorder), expected)

    def _published(
        self, rule: tree.Rule, events: Sequence[Occurrence], expected: list[str], counts: Counter[str]
    ) -> None:
        def right(model: Model) -> bool:
            try:
                return _found(rule, events, model) == expected
            except TooManyFirings:
                return False

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


def _ambiguous(node: tree.Node) -> bool:
    """Whether a reading may make something else of a part."""
    match node:
        case tree.Wait(operand=operand):
            return not tree.is_open(operand)
        case tree.Within(source=source):
            return source is not None
        case tree.Policy(choice=choice):
            return choice in (tree.Choice.EVERY, tree.Choice.LAST, tree.Choice.ADJ)
        case _:
            return False


def _count(case: Disordered, events: Sequence[Occurrence], counts: Counter[str]) -> None:
    """What the case has of what is seldom drawn."""
    nodes = list(tree.within(case.case.program.pattern))
    contexts = [node for node in nodes if isinstance(node, tree.Subcontext)]
    inner = [where for node in contexts for where in tree.within(node) if where is not node]
    streams = {item.event.template for item in events}
    counts["with ties"] += len({occurrence.time for occurrence in events}) < len(events)
    counts["with empty streams"] += any(stream.name not in streams for stream in case.case.program.streams)
    counts["with one stream under two names"] += len({stream.name for stream in case.case.program.streams}) < 3
    counts["with contexts"] += bool(contexts)
    counts["with nested contexts"] += any(isinstance(node, tree.Subcontext) for node in inner)
    counts["with written policies"] += any(isinstance(node, tree.Policy | tree.Pick) for node in nodes)


def _found(
    rule: tree.Rule, events: Sequence[Occurrence], model: Model, schedule: random.Random | None = None
) -> list[str]:
    return _written(Machine(rule, model, schedule).run(events))


def _fed(rule: tree.Rule, items: Sequence[Event], disorder: int) -> list[str]:
    """What a net that is fed one event at a time finds, which is in order."""
    feeding = Feeding(Machine(rule), disorder)
    matches = [match for item in items for match in feeding.event(item)]
    return _written([*matches, *feeding.end()])


def _written(matches: Sequence[Match]) -> list[str]:
    return [repr(match_to_json("rule", match)) for match in matches]


def _same(who: str, matches: list[str], meant: list[str]) -> None:
    if matches != meant:
        missing, surplus = Counter(meant) - Counter(matches), Counter(matches) - Counter(meant)
        raise Broken(who, f"missing {sorted(missing)}, surplus {sorted(surplus)}")
