"""The run of a query: events in, results out (specification: cel-machine; T §4.3, Algorithms 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parte.languages.cel.semantics.automata import Automaton
from parte.languages.cel.semantics.construction import cea_proj, cea_strict, constructed
from parte.languages.cel.semantics.determinised import Determinised
from parte.languages.cel.semantics.enumeration import Found, counted, enumerate_paths, share
from parte.languages.cel.semantics.evaluation import UNBOUNDED, Evaluation
from parte.languages.cel.semantics.predicates import comparable
from parte.languages.cel.semantics.refinement import Unsupported, refine, rewrite, types_of
from parte.languages.cel.semantics.repairs import SOUND, Repairs
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.tecs import Node
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model

RIVALS = ("interval", "end")
"""The readings of rivals that the machine supports: those of the same interval, and those of the same end."""

Key = tuple[object, ...]


@dataclass(slots=True)
class Substream:
    """A substream with its events by position in the stream, as far as they are needed."""

    evaluation: Evaluation
    length: int = 0
    events: dict[int, Event] = field(default_factory=dict)


@dataclass(slots=True)
class Machine:
    """A run of a query. Of several processes it prints the share of the one with this index, from 0.

    Raise Unsupported for a query that only the definition evaluates. `visited` counts the nodes that an enumeration
    entered, `counted` those whose paths were counted for shares.
    """

    query: tree.Query
    model: Model = SOUND
    processes: int = 1
    index: int = 0
    rivals: str = "interval"
    visited: int = 0
    counted: int = 0
    position: int = -1
    substreams: dict[Key, Substream] = field(default_factory=dict)
    repairs: Repairs = field(init=False)
    _automaton: Determinised = field(init=False)
    _conditions: tuple[tree.Condition, ...] = field(init=False)
    _types: dict[str, frozenset[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.repairs = Repairs.of(self.model)
        if not 0 <= self.index < self.processes:
            raise ValueError(f"expected an index from 0 to {self.processes - 1}, found {self.index}")
        if self.rivals not in RIVALS:
            raise Unsupported(
                f"rivals read as {self.rivals!r} are not known while events come: only the definition has them"
            )
        formula, self._conditions = rewrite(self.query.formula, stay=self.repairs.links_stay)
        if self._conditions and self.query.strategy not in (tree.Strategy.ALL, tree.Strategy.STRICT):
            raise Unsupported(
                f"a link together with {self.query.strategy.value}, "
                "which selects among rivals before links are applied: use the model definition"
            )
        automaton = constructed(formula, after=self.repairs.sequence_after)
        selected = None if self.query.selected is None else frozenset(self.query.selected)
        if self.query.strategy is tree.Strategy.STRICT:
            automaton = cea_strict(automaton, selected)
        if selected is not None and not self._labelled:
            automaton = cea_proj(automaton, selected)
        self._types = types_of(self.query.formula)
        self._automaton = Determinised(
            automaton, self.query.strategy, labelled=self._labelled, everywhere=self.rivals == "end"
        )

    @property
    def _labelled(self) -> bool:
        """True if results are enumerated with their variables, for links."""
        return bool(self._conditions) and self.repairs.refined_valuations

    @property
    def automaton(self) -> Automaton:
        """The automaton before determinisation."""
        return self._automaton.automaton

    @property
    def determinised(self) -> Determinised:
        """The determinised automaton."""
        return self._automaton

    def run(self, events: Iterable[Event]) -> Iterator[ComplexEvent]:
        """Yield the results on a stream, each as soon as its last event arrives."""
        for event in events:
            yield from self.results(event)

    def event(self, event: Event) -> list[ComplexEvent]:
        """Return the results that end with one more event, without duplicates."""
        return list(self.results(event))

    def results(self, event: Event) -> Iterator[ComplexEvent]:
        """Yield the results that end with one more event, without duplicates, as they are found. Take all of them
        before the next event."""
        taken = self.take(event)
        if taken is None:
            return
        substream, position, least = taken
        ended = False
        for result in self._results(substream, position, least):
            ended = True
            yield result
        consuming = self.query.consumption is not tree.Consumption.NONE
        if consuming and (ended or self._ended_elsewhere(substream, position, least)):
            q_consume(self.query.consumption, substream, self.substreams.values())

    def take(self, event: Event) -> tuple[Substream, int, int] | None:
        """Process one more event without its results: return its substream, its position there and the least start in
        the window; None if it is in no substream."""
        self.position += 1
        if not q_from(self.query.streams, event):
            return None
        key = q_partition(self.query.attributes, event, self.repairs.nulls_apart)
        if key is None:
            return None
        substream = self.substreams.get(key)
        if substream is None:
            substream = self.substreams[key] = Substream(
                Evaluation(self._automaton, self.repairs, self.query.window is not None)
            )
        position = self.position if self.repairs.stream_positions else substream.length
        substream.length += 1
        start, least = q_within(self.query.window, event, position, self.repairs.time_windows)
        if self._conditions:
            self._remember(substream, event, position, least)
        substream.evaluation.event(event, position, start, least)
        return substream, position, least

    def _remember(self, substream: Substream, event: Event, position: int, least: int) -> None:
        """Store an event for the conditions on links, and drop those that no window reaches any more."""
        substream.events[position] = event
        while self.repairs.forgetting:
            oldest = next(iter(substream.events))
            place, _ = q_within(self.query.window, substream.events[oldest], oldest, self.repairs.time_windows)
            if place >= least:
                return
            del substream.events[oldest]

    # --- Results -----------------------------------------------------------------------------------------------------

    def _results(self, substream: Substream, position: int, least: int) -> Iterator[ComplexEvent]:
        roots = substream.evaluation.roots(least)
        if not self._conditions:
            for node in roots:
                for path in self._share(node, least):
                    yield ComplexEvent(position, path.start, tuple(place for place, _ in path.marks))
        elif self._one_to_one:
            for node in roots:
                yield from self._refined(self._share(node, least), substream, position)
        else:
            # Several valuations may give one result: every process finds all results, and prints its share of them.
            paths = [path for node in roots for path in self._enumerated(node, least, None)]
            results = sorted(set(self._refined(paths, substream, position)))
            skipped, count = share(len(results), self.processes, self.index)
            yield from results[skipped : skipped + count]

    @property
    def _one_to_one(self) -> bool:
        """True if no two valuations have given, or can now give, one result."""
        return not self._labelled or (self.query.selected is None and not self._automaton.ambiguous)

    def _share(self, node: Node, least: int) -> Iterator[Found]:
        """Return the paths of a node that this process prints."""
        repairs = self.repairs
        if self.processes == 1 and repairs.indices_from_zero:
            return self._enumerated(node, least, None)
        counts = counted(node, least if repairs.shares_in_window else UNBOUNDED, self._count)
        total = counts(node)
        portion = share(total, self.processes, self.index, repairs)
        if repairs.single_paths_shared and total <= portion[0]:
            return iter(())
        return enumerate_paths(node, least, self._visit, portion, counts)

    def _enumerated(self, node: Node, least: int, portion: tuple[int, int] | None) -> Iterator[Found]:
        return enumerate_paths(node, least, self._visit, portion)

    def _visit(self) -> None:
        self.visited += 1

    def _count(self) -> None:
        self.counted += 1

    def _refined(self, paths: Iterable[Found], substream: Substream, position: int) -> Iterator[ComplexEvent]:
        """Yield the results of the paths that fulfil the conditions with links."""
        for path in paths:
            contents: dict[str, list[int]] = {}
            for place, label in path.marks:
                for variable in label if self._labelled else self._possible(substream.events[place]):
                    contents.setdefault(variable, []).append(place)
            if refine(contents, self._conditions, substream.events.__getitem__):
                selected = self.query.selected if self._labelled else None
                places = tuple(
                    place for place, label in path.marks if selected is None or not label.isdisjoint(selected)
                )
                yield ComplexEvent(position, path.start, places)

    def _possible(self, event: Event) -> list[str]:
        return [variable for variable, types in self._types.items() if event.template in types]

    def _ended_elsewhere(self, substream: Substream, position: int, least: int) -> bool:
        """Return whether another process has results that end now."""
        if self.processes == 1:
            return False
        roots = substream.evaluation.roots(least)
        if not self._conditions:
            return bool(roots)
        paths = (path for node in roots for path in self._enumerated(node, least, None))
        return next(self._refined(paths, substream, position), None) is not None


# --- Clauses ----------------------------------------------------------------------------------------------------------


@rule("Q-FROM", "FROM", "3.2")
def q_from(streams: Sequence[str], event: Event) -> bool:
    """True if an event is of one of the streams; without FROM every event is."""
    return not streams or event.source in streams


@rule("Q-PARTITION", "PARTITION BY", "3.2")
def q_partition(attributes: Sequence[str], event: Event, apart: bool) -> Key | None:
    """The values that name the substream of an event; None if it lacks an attribute, and so is in no substream."""
    values = [event.attributes.get(name) for name in attributes]
    if apart and None in values:
        return None
    return tuple((comparable(value, True), comparable(value, ""), value) for value in values)


@rule("Q-WITHIN", "WITHIN", "3.2")
def q_within(window: tree.Window | None, event: Event, position: int, timed: bool) -> tuple[int, int]:
    """The place of an event in the unit of the window, and the least start in the window of a result that ends here."""
    match window:
        case None:
            return position, UNBOUNDED
        case tree.EventWindow(events=length):
            return position, position - length
        case tree.TimeWindow():
            place = event.timestamp if timed else position
            return place, place - window.milliseconds


@rule("Q-CONSUME", "CONSUME BY", "")
def q_consume(consumption: tree.Consumption, substream: Substream, every: Iterable[Substream]) -> None:
    """After results, only what begins later counts: in all substreams, or in this one."""
    for ended in every if consumption is tree.Consumption.ANY else [substream]:
        ended.evaluation.clear()
        ended.events.clear()
