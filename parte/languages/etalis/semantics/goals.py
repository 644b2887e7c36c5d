"""Goals: events that wait for another, in the order in which a policy tries them."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.syntax.values import Number
from parte.languages.etalis.semantics.terms import Values


@dataclass(slots=True)
class Goals:
    """Goals of a side of a rule with equal values of the shared variables: by end, and for one end by length and
    arrival.

    They are three lists, so that goals can be found by end.
    """

    starts: list[Number] = field(default_factory=list)
    ends: list[Number] = field(default_factory=list)
    values: list[Values] = field(default_factory=list)

    def add(self, start: Number, end: Number, values: Values, shortest: bool) -> None:
        """Add a goal that ends now. The events of an instant arrive by length, so the goal is the last; if the shorter
        ones are to be later, it stands before them."""
        place = len(self.ends)
        while shortest and place and self.ends[place - 1] == end and self.starts[place - 1] > start:
            place -= 1
        self.starts.insert(place, start)
        self.ends.insert(place, end)
        self.values.insert(place, values)

    def remove(self, places: list[int]) -> None:
        """Remove the goals at these places, which ascend."""
        for place in reversed(places):
            del self.starts[place], self.ends[place], self.values[place]

    def drop(self, count: int) -> None:
        """Drop the first goals."""
        del self.starts[:count], self.ends[:count], self.values[:count]


@dataclass(slots=True)
class Store:
    """All goals of a side, by the values of the shared variables.

    No answer that ends later than now needs a goal that ended `limit` or longer before now; without a limit, goals
    stay. The events that goals wait for end at `until` at the latest, if that is known.
    """

    limit: Number | None
    shortest: bool
    until: Number | None = None
    goals: dict[Values, Goals] = field(default_factory=dict)
    _arrived: deque[tuple[Number, Values]] = field(default_factory=deque)

    def add(self, key: Values, start: Number, end: Number, values: Values) -> Goals:
        """Store a goal that ends now."""
        goals = self.goals.get(key)
        if goals is None:
            goals = self.goals[key] = Goals()
        goals.add(start, end, values, self.shortest)
        if self.limit is not None:
            self._arrived.append((end, key))
        return goals

    def consume(self, key: Values, places: list[int]) -> None:
        """Remove the goals at these places, which a policy consumes."""
        goals = self.goals[key]
        goals.remove(places)
        if not goals.ends:
            del self.goals[key]

    def forget(self, now: Number) -> None:
        """Drop what no answer can need after this instant."""
        if self.until is not None and self.until <= now:
            self.goals.clear()
            self._arrived.clear()
        if self.limit is None:
            return
        least = now - self.limit
        while self._arrived and self._arrived[0][0] <= least:
            _, key = self._arrived.popleft()
            goals = self.goals.get(key)
            if goals is not None:
                goals.drop(bisect_right(goals.ends, least))
                if not goals.ends:
                    del self.goals[key]

    def __len__(self) -> int:
        return sum(len(goals.ends) for goals in self.goals.values())
