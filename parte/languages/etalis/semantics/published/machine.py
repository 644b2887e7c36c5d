"""A run of the clauses that E prints: a stream instant by instant (docs/etalis-defects.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.published.compiler import Compiled, compiled, event_of, moment_of, named, value_of
from parte.languages.etalis.semantics.published.prolog import MOST_STEPS, Prolog
from parte.languages.etalis.semantics.published.repairs import SOUND
from parte.languages.etalis.semantics.published.terms import Structure, Term
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, in_order
from parte.languages.etalis.semantics.syntax.values import Number, rank
from parte.semantics.rulebook.models import Model

POLICIES = {"unrestricted": "unrestricted", "recent-consuming": "recent", "chronological": "chronological"}
"""The policies for which E has clauses, (18), (16) and (17), by their names here."""


class NoClauses(ValueError):
    """A policy for which E has no clauses."""


@dataclass(slots=True)
class Published:
    """A run of a program. Raise PrologError if Prolog throws an error or takes too many steps; NoClauses for other
    policies."""

    program: tree.Program
    model: Model = SOUND
    policy: str = "unrestricted"
    most_steps: int = MOST_STEPS
    compiled: Compiled = field(init=False)
    steps: int = field(init=False, default=0)
    _prolog: Prolog = field(init=False)
    _moments: deque[Number] = field(init=False)

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise NoClauses(f"E has clauses for the policies {', '.join(POLICIES)}, not for {self.policy}")
        self.compiled = compiled(self.program, self.model.repairs, POLICIES[self.policy])
        self._prolog = Prolog(self.compiled.foreign, most_steps=self.most_steps)
        self._prolog.add(self.compiled.clauses)
        self._moments = deque(self.compiled.moments)

    def run(self, instants: Iterable[Instant]) -> Iterator[IntervalEvent]:
        """Yield the derived events of a whole stream in order."""
        for instant in instants:
            yield from self.instant(instant)
        yield from self.end()

    def instant(self, instant: Instant) -> list[IntervalEvent]:
        """Return the derived events that end before the next instant of the stream, in order."""
        derived: list[IntervalEvent] = []
        while self._moments and self._moments[0] < instant.time:
            derived += self._at(Instant(self._moments[0], frozenset()))
        return derived + self._at(instant)

    def end(self) -> list[IntervalEvent]:
        """Return the derived events that end later."""
        derived: list[IntervalEvent] = []
        while self._moments:
            derived += self._at(Instant(self._moments[0], frozenset()))
        return derived

    @property
    def stored(self) -> int:
        """The number of stored goals and absent events."""
        return sum(len(self._prolog.database.get(key, ())) for key in (("goal", 3), ("absent", 1)))

    def _at(self, instant: Instant) -> list[IntervalEvent]:
        arrived = {IntervalEvent(name, arguments, instant.time, instant.time) for name, arguments in instant.atoms}
        return in_order(set(self.noted(instant)) - arrived)

    def noted(self, instant: Instant) -> Iterator[IntervalEvent]:
        """Return the heads that happen at an instant."""
        noted_events = (_event(term, self.compiled.heads) for term in self.happening(instant))
        return (event for event in noted_events if event is not None)

    def happening(self, instant: Instant) -> list[Term]:
        """Return the events of an instant, those of parts of patterns included, in their order and with repetitions."""
        for goal in self.goals(instant):
            self._prolog.once(goal)
            self.steps += self._prolog.steps
        self._prolog.database.pop(("happened", 1), None)
        return [note.head.arguments[0] for note in self._prolog.database.pop(("noted", 1), ())]

    def goals(self, instant: Instant) -> Sequence[Term]:
        """Return the goals of an instant: that each of its events happens."""
        events: list[Structure] = []
        while self._moments and self._moments[0] == instant.time:
            events.append(moment_of(self._moments.popleft()))
        ordered = sorted(instant.atoms, key=lambda atom: (atom[0], tuple(map(rank, atom[1]))))
        events += [event_of(name, arguments, instant.time, instant.time) for name, arguments in ordered]
        return [Structure("happens", (event,)) for event in events]


def _event(term: Term, heads: AbstractSet[str]) -> IntervalEvent | None:
    """Return the event of a term; None for a part of a pattern, or an event that no rule derives."""
    name = named(term.name) if isinstance(term, Structure) else None
    if not isinstance(term, Structure) or name is None or name not in heads:
        return None
    *arguments, start, end = map(value_of, term.arguments)
    assert not isinstance(start, str)
    return IntervalEvent(name, tuple(arguments), start, end)  # type: ignore[arg-type]  # times are numbers
