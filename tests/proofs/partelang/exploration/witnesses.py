"""The shortest witness of each defect of `published`, found by search (specification: repairs).

Traces over a defect's program are enumerated by size, and every schedule of `sound` without the repair is explored on
each, until one loses a match, invents one, or blocks. The repaired model must be right on the same trace under every
schedule, so that the missing repair is to blame.

A trace is smaller than another if it has fewer events, or else if it spans less time; of equally small ones that with
the shortest schedule is taken. Sources promise what their last event says. With D the greatest distance that a rule
of the program can compare with, two neighbouring events more than D + 1 apart compare with all others as if they were
D + 1 apart; so only finitely many traces of each number of events need be tried. `span` cuts them short where these
are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product

from parte.proofs.partelang.defects import Defect
from parte.proofs.partelang.exploration.explore import expected_matches, explore
from parte.proofs.partelang.exploration.reduction import reduced
from parte.proofs.partelang.exploration.retrace import Retraced, retrace
from parte.proofs.partelang.exploration.search import Final, search
from parte.proofs.partelang.exploration.states import Space
from parte.semantics.events.differences import differences
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.compilation import windows_of
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.repairs import PUBLISHED, SOUND
from parte.semantics.partelang.sizes import Rate
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

Pair = tuple[str, str]
"""A source and a template."""


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What traces are made of: sources and templates, the values of k, and the greatest distance of a rule.

    `ordered`: the order among sources matters, as they share a queue. `rates` must be kept.
    """

    pairs: tuple[Pair, ...]
    values: tuple[int, ...]
    distance: int
    ordered: bool = False
    rates: Mapping[Pair, Rate] | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """A smallest trace on which the model without the repair fails, how, and how many traces were tried before.

    `symptom` is "lost", "spurious" or "blocked". `published_fails`: under some schedule `published` fails on it too.
    """

    number: int
    repair: str
    model: str
    trace: tuple[Event, ...]
    symptom: str
    retraced: Retraced
    tried: int
    published_fails: bool

    @property
    def span(self) -> int:
        """The time from the first event to the last, in milliseconds."""
        return max(event.timestamp for event in self.trace)

    def row(self) -> str:
        """The row of docs/exploration.md."""
        events = []
        for event in self.trace:
            k = f" (k = {event.attributes['k']})" if event.attributes["k"] else ""
            source = "" if event.source == "s" else f" from {event.source}"
            events.append(f"{event.template} at {event.timestamp}{k}{source}")
        cells = (str(self.number), self.repair, ", ".join(events), self.symptom, str(len(self.retraced.path)))
        return f"| {' | '.join(cells)} |"

    def render(self) -> str:
        """Lines for people."""
        events = ", ".join(f"{event.id} at {event.timestamp} from {event.source}" for event in self.trace)
        lines = [f"defect {self.number}, {self.model}: {self.symptom}, on {events}; after {self.tried} smaller traces"]
        lines.extend(f"  {number}. {step}" for number, step in enumerate(self.retraced.steps, 1))
        return "\n".join(lines)


def witness(defect: Defect, *, events: int = 6, span: int | None = None) -> Witness | None:
    """The shortest witness of a defect among traces of so many events, and of at most so many milliseconds; if any."""
    program = parse(defect.program)
    tried = 0
    for traces in by_size(alphabet(defect, program), events, span):
        shortest: Witness | None = None
        for trace in traces:
            limit = None if shortest is None else len(shortest.retraced.path)
            scenario = Scenario.of(program, trace)
            failure = _failure(defect, scenario, limit)
            if failure is not None and _is_right(defect, scenario, SOUND.without(*defect.less)):
                symptom, retraced = failure
                fails = not _is_right(defect, scenario, PUBLISHED)
                name = defect.exhibits.name
                shortest = Witness(defect.number, defect.repair, name, trace, symptom, retraced, tried, fails)
            elif shortest is None:
                tried += 1
        if shortest is not None:
            return shortest
    return None


# --- One trace ------------------------------------------------------------------------------------------------------


def _failure(defect: Defect, scenario: Scenario[core.Program], limit: int | None) -> tuple[str, Retraced] | None:
    """How the model without the repair fails on a trace, by a shortest schedule of fewer steps than `limit`."""
    model, arrivals = defect.exhibits, scenario.arrivals
    capacities = defect.capacities_for(scenario, model)
    network = network_of(scenario)
    expected = expected_matches(scenario)
    failures: list[tuple[str, Retraced]] = []

    def judge(end: Final) -> bool:
        retraced = retrace(network, arrivals, model, capacities, end.path)
        missing, spurious = differences(expected, retraced.outcome.matches, Match.to_json)
        if end.blocked or missing or spurious:
            failures.append(("blocked" if end.blocked else "lost" if missing else "spurious", retraced))
        return bool(failures)

    space = Space(network, arrivals, model, capacities)
    search(space, reduced(space), enough=judge)
    if not failures or (limit is not None and len(failures[0][1].path) >= limit):
        return None
    return failures[0]


def _is_right(defect: Defect, scenario: Scenario[core.Program], model: Model) -> bool:
    """Whether every schedule of a model gives the algebra's matches on a trace, and none blocks."""
    capacities = defect.capacities_for(scenario, model)
    return explore(scenario, model=model, capacities=capacities, max_states=None, box_occupancy=False).correct


# --- Traces by size -------------------------------------------------------------------------------------------------


def alphabet(defect: Defect, program: core.Program) -> Alphabet:
    """What the traces for a defect are made of: the templates that its rule reads, and as many sources as it needs."""
    patterns = [pattern for rule in program.rules for pattern in rule.patterns]
    templates = tuple(dict.fromkeys(pattern.template for pattern in patterns))
    ordered = "merge-by-promise" not in defect.exhibits.repairs
    sources = ("s", "t") if ordered else ("s",)
    windows = [
        interval
        for rule in program.rules
        for by_reference in windows_of(rule).values()
        for interval in by_reference.values()
    ]
    return Alphabet(
        tuple((source, template) for template in templates for source in sources),
        (0, 1) if any(pattern.conditions for pattern in patterns) else (0,),
        max((abs(end) for interval in windows for end in interval), default=0),
        ordered,
        {("s", template): rate for template, rate in defect.rates.items()} or None,
    )


def by_size(letters: Alphabet, events: int, span: int | None = None) -> Iterator[Iterator[tuple[Event, ...]]]:
    """All traces of up to so many events, those of equal size together, small ones first."""
    for count in range(1, events + 1):
        widest = (count - 1) * (letters.distance + 1)
        for latest in range(widest + 1 if span is None else min(widest, span) + 1):
            yield _traces(letters, count, latest)


def _traces(letters: Alphabet, count: int, latest: int) -> Iterator[tuple[Event, ...]]:
    """The traces of `count` events from 0 to `latest`, one for each content of the queues in which events wait."""
    moments = [(timestamp, pair) for timestamp in range(latest + 1) for pair in letters.pairs]
    for chosen in combinations_with_replacement(moments, count):
        if chosen[0][0] != 0 or chosen[-1][0] != latest or not _keeps_rates(letters, chosen):
            continue
        for order in _orders(chosen) if letters.ordered else (chosen,):
            for values in product(letters.values, repeat=count):
                moved = enumerate(zip(order, values, strict=True), 1)
                yield tuple(_event(number, *moment, k) for number, (moment, k) in moved)


def _event(number: int, timestamp: int, pair: Pair, k: int) -> Event:
    source, template = pair
    return Event(f"{template.lower()}{number}", template, timestamp, {"k": k}, source)


def _orders(chosen: Sequence[tuple[int, Pair]]) -> Iterable[tuple[tuple[int, Pair], ...]]:
    """The orders of arrival in which each source keeps its promises."""
    return {order: None for order in permutations(chosen) if _kept(order)}


def _kept(order: Sequence[tuple[int, Pair]]) -> bool:
    latest: dict[Pair, int] = {}
    for timestamp, pair in order:
        if timestamp < latest.get(pair, timestamp):
            return False
        latest[pair] = timestamp
    return True


def _keeps_rates(letters: Alphabet, chosen: Sequence[tuple[int, Pair]]) -> bool:
    for pair, rate in (letters.rates or {}).items():
        times = [timestamp for timestamp, candidate in chosen if candidate == pair]
        if any(later - earlier < rate.period for earlier, later in zip(times, times[rate.events :], strict=False)):
            return False
    return True
